# One command each; all of them set up the virtual environment first, on a fresh machine too.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
ARENA := .venv/.arena
READY := .venv/.ready
# errors only: what package indexes have to say is not for a newcomer
INTO := install --quiet --quiet --no-compile
INSTALL := $(BIN)/python -m pip $(INTO)
# bytecode of what was installed: on all cores and without the packages' tests it takes a quarter of pip's time for it
BYTECODE := $(BIN)/python -m compileall -q -j 0 -x /tests/ .venv/lib

.PHONY: setup train arena test fast-tests test-slow lint javascript chromium clean

setup: $(READY)

# Learn Connect Four by self-play, and say how to go on.
train: $(INSTALLED)
	@$(BIN)/boardlab train connect4 --preset quick

# Play, watch, inspect and train in the browser, which opens by itself where there is one.
arena: $(ARENA)
	@$(BIN)/boardlab arena

# boardlab alone
$(INSTALLED): pyproject.toml
	@echo "setting up boardlab in .venv (a minute or so, once)"
	@$(PYTHON) -m venv --without-pip .venv
	@$(PYTHON) -m pip --python $(BIN)/python $(INTO) pip 2> /dev/null || $(BIN)/python -m ensurepip --default-pip > /dev/null
	@$(INSTALL) --editable .
	@$(BYTECODE)
	@touch $(INSTALLED)

# with what the browser needs
$(ARENA): $(INSTALLED)
	@echo "adding what the arena needs"
	@$(INSTALL) --editable ".[web]"
	@$(BYTECODE)
	@touch $(ARENA)

# and what its tests need; open_spiel, bitbully and pygame have wheels for few platforms, all but comparisons work without
$(READY): $(INSTALLED)
	@echo "adding what the tests need"
	@$(INSTALL) --only-binary open_spiel,bitbully,pygame --editable ".[dev,bench]" || { \
		echo "open_spiel, bitbully or pygame has no wheel for this machine: boardlab bench goes without the comparison"; \
		$(INSTALL) --editable ".[dev]"; }
	@$(BYTECODE)
	@touch $(READY)

lint: $(READY) javascript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tools

# The page's JavaScript: TypeScript checks its types (those of the API come from the server's models), Prettier its form
# (`node_modules/.bin/prettier --write boardlab/web/static`). The arena itself needs neither node nor npm; where one of
# them or the registry is missing, this is skipped.
NPM_CI := npm ci --silent --no-audit --no-fund --fetch-retries 1 --fetch-timeout 20000
javascript: $(READY)
	@if ! command -v node > /dev/null || ! command -v npm > /dev/null; then \
		echo "JavaScript is not checked; that needs node and npm: sudo apt-get install nodejs npm" >&2; \
	elif ! [ node_modules/.installed -nt package-lock.json ] \
		&& ! { $(NPM_CI) && touch node_modules/.installed; }; then \
		echo "JavaScript is not checked: npm cannot install what package-lock.json names" >&2; \
	else \
		node_modules/.bin/prettier --log-level warn --check boardlab/web/static tools \
		&& $(BIN)/python tools/api_types.py .types/api.d.ts \
		&& node_modules/.bin/tsc --project jsconfig.json; \
	fi

# The tests in a browser use Debian's Chromium, and are skipped without one.
chromium:
	@{ if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "installing Chromium for the tests in a browser" >&2; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends chromium; } \
		|| echo "Chromium cannot be installed: the tests in a browser are skipped" >&2; \
	else echo "the tests in a browser are skipped; they need Chromium: sudo apt-get install chromium" >&2; fi; } > /dev/null

# The checks beside the tests: each of them keeps one core busy, the tests begin with those in a browser, which wait.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 lint fast-tests

# Three processes on two cores: some tests wait. tests/workers.py says which process gets which file. Hundreds of commands
# that tests give find our bytecode ready, also where Python is told to write none.
fast-tests: $(READY) chromium
	@$(BIN)/python -m compileall -q boardlab
	$(BIN)/python -m pytest -n 3 --dist loadfile

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow

clean:
	rm -rf .venv .types node_modules build *.egg-info
