# make demo   install, build the demo, print its decision, serve the app (SERVE=0: do not serve)
# make test   install with the development tools, then every check and test
# make env    only make the environment in .venv

PYTHON ?= python3
SERVE ?= 1
BIN := .venv/bin
INPUTS := pyproject.toml constraints.txt

.PHONY: demo test env dev tools check clean

demo: env
	@$(BIN)/labelkit demo --workspace .demo
ifneq ($(SERVE),0)
	@$(BIN)/labelkit serve --workspace .demo
endif

test: dev tools check
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

env: .venv/.labelkit
dev: .venv/.labelkit-dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "labelkit needs Python 3.11 or newer; name one with make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "Making .venv failed: on Debian and Ubuntu, apt-get install python3-venv"; rm -rf .venv; exit 1; }

.venv/.labelkit: .venv/bin/python $(INPUTS)
	@echo "Installing labelkit with the versions in constraints.txt (about a minute) ..."
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on -c constraints.txt -e . | grep -E --line-buffered '^(Collecting|Installing|Successfully)' || true
	@$(BIN)/python -c 'import labelkit' && touch $@

.venv/.labelkit-dev: .venv/bin/python $(INPUTS)
	@echo "Installing labelkit and its development tools (about a minute) ..."
	@$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[dev]' | grep -E --line-buffered '^(Collecting|Installing|Successfully)' || true
	@$(BIN)/python -c 'import labelkit, pytest' && touch $@ .venv/.labelkit

tools:
	@command -v chromium > /dev/null && command -v sqlite3 > /dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	    echo "Installing Debian's chromium and sqlite3, which some tests use ..."; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium sqlite3 > /dev/null; \
	  else \
	    echo "No chromium or sqlite3: the tests that use them will be skipped (apt-get install chromium sqlite3)"; \
	  fi

clean:
	rm -rf .venv .demo build dist *.egg-info
