VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Plain `torch` would pull gigabytes of CUDA; the CPU build of this version is what we test with.
TORCH := torch==2.13.0

.PHONY: demo test lint install browser clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed-dev browser lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/installed-dev
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/pyright
	$(BIN)/lint-imports

install: $(VENV)/installed

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet -e '.[all]'
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps ppbench
	touch $@

# The referee test needs node, the page's tests need chromium; Debian has both.
browser:
	@command -v node >/dev/null || (apt-get update -qq && apt-get install -y -qq nodejs) \
	  || (echo "install node (https://nodejs.org) for the pzpr.js referee test" && exit 1)
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium) \
	  || (echo "install chromium for the page's tests" && exit 1)

clean:
	rm -rf $(VENV) build dist
