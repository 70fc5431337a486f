// Light or dark, before the first paint: what the person chose last, else what the system prefers.
// A classic script, because a module would run after the page was painted once in the wrong colours.
(() => {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage is switched off: the system decides
    }
  }

  function apply() {
    root.dataset.theme = stored() ?? (system.matches ? "dark" : "light");
    window.dispatchEvent(new Event("themechange"));
  }

  window.toggleTheme = () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", next);
    } catch {
      root.dataset.theme = next;
    }
    apply();
  };
  system.addEventListener("change", apply);
  apply();
})();
