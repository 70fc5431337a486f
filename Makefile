# One command each; all of them set up the virtual environment first, on a fresh machine too.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
READY := .venv/.ready
INSTALL := $(BIN)/python -m pip install --quiet

.PHONY: setup train test test-slow lint clean

setup: $(READY)

# Learn Connect Four by self-play, and say how to go on.
train: $(INSTALLED)
	$(BIN)/boardlab train connect4 --preset quick

# boardlab alone
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable .
	touch $(INSTALLED)

# and what its tests need; open_spiel and bitbully have wheels for few platforms, all but the comparison works without
$(READY): $(INSTALLED)
	$(INSTALL) --only-binary open_spiel,bitbully --editable ".[dev,bench]" || { \
		echo "open_spiel or bitbully has no wheel for this machine: boardlab bench goes without the comparison"; \
		$(INSTALL) --editable ".[dev]"; }
	touch $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow

clean:
	rm -rf .venv build *.egg-info
