// Types that the scripts of the page share, for their checker alone. Those of the API come from tools/api_types.py.

interface Window {
  /** plotly.js, once the first chart was drawn. */
  Plotly?: any;
  toggleTheme(): void;
}

/** A view of the page; it may return what is to be done when the person leaves it. */
type Show = (root: HTMLElement, path: string[], query: URLSearchParams) => Promise<(() => void) | void>;

/** What an element can hold; nothing, where it is no node and no text. */
type Child = Node | string | number | boolean | null | undefined | Child[];

/** A training run or a match, as far as every live card shows it. */
interface LiveItem {
  id: string;
  state: string;
  message: string | null;
  created: string;
}

/** How a live card begins, and who forgets it. */
interface CardPlace {
  open: boolean;
  onremove: () => void;
}

/** An agent that somebody chose, and what it is called on the page. */
interface ChosenAgent {
  choice: Api.AgentChoice;
  label: string;
  /** Whether it is known to tell the truth. */
  exact?: boolean;
}

/** What an agent thinks of a position, or why it says nothing. */
interface Opinion {
  values: Api.ActionValue[] | null;
  best: number[];
  seconds?: number | null;
  message: string | null;
}

/** A field of a form; where the server did not make it, the page may leave out what does not matter. */
type Field = Pick<Api.FormField, "name" | "kind" | "default"> & Partial<Api.FormField>;

/** A value of a field. */
type FieldValue = Api.FormField["default"];

type GameEvent = Api.MoveEvent | Api.ChanceEvent;

/** The columns of a table, by title: what their cells are. */
type Columns = { [title: string]: "text" | "num" };
