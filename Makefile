VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Plain `torch` would pull gigabytes of CUDA; the CPU build of this version is what we test with.
TORCH := torch==2.13.0

.PHONY: demo test lint lint-js install node browser clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed-dev browser lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/installed-dev lint-js
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/pyright
	$(BIN)/lint-imports

# The page has no build step; its modules' types (JSDoc) and style are checked as they are.
lint-js: node_modules/.package-lock.json
	node_modules/.bin/tsc --project tsconfig.json
	node_modules/.bin/eslint --max-warnings 0

node_modules/.package-lock.json: package.json package-lock.json | node
	npm ci --silent --no-audit --no-fund
	touch $@

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

# The referee test and lint-js need node, the page's tests need chromium; Debian has both.
node:
	@(command -v node && command -v npm) >/dev/null \
	  || (echo "node is missing: installing Debian's nodejs and npm" \
	      && apt-get update -qq && apt-get install -y -qq nodejs npm) \
	  || (echo "install node 20 or later (https://nodejs.org) for the checks of JavaScript" && exit 1)

browser: node
	@command -v chromium >/dev/null \
	  || (echo "chromium is missing: installing Debian's chromium" \
	      && apt-get update -qq && apt-get install -y -qq chromium) \
	  || (echo "install chromium for the page's tests" && exit 1)

clean:
	rm -rf $(VENV) node_modules build dist
