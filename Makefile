# Everything happens in .venv; nothing needs to be set up by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SOURCES := engine ladder server proto clients tests

.PHONY: run test check bench soak format clean

run: $(READY)
	$(BIN)/lictor demo

test: check
	$(BIN)/pytest -n 2 --dist worksteal -m "not soak"

check: $(READY)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy tests
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/lictor bench engine
	$(BIN)/lictor bench server

soak: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -m soak
	$(BIN)/lictor leakcheck --states 5000
	$(BIN)/lictor bench bots --long --jobs 2

format: $(READY)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lictor needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

clean:
	rm -rf $(VENV)
