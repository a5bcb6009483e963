# make play: set up and play · make test: set up and run every test · make check: style, types, import directions
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install --no-compile --constraint constraints.txt --editable  # what is used is compiled when it is
SETUP := pyproject.toml constraints.txt Makefile

# One process per game: LLVM aborts where one process compiles the suite for several. Those first that hide most: they
# take longest.
GAMES := $(notdir $(patsubst %/sight.py,%,$(shell ls -S src/tablee/games/*/sight.py)))
GAME_TESTS := tests/test_conformance.py tests/test_adapter_suites.py tests/test_plain_games.py
OTHER_TESTS := -n 2 --dist loadfile -m 'not surface and not conformance' tests \
  --ignore tests/test_adapter_suites.py --ignore tests/test_plain_games.py

.PHONY: play postgresql load test check format golden clauses bench fuzz clean

play: $(VENV)/.play
	@$(BIN)/tablee serve

test: $(VENV)/.dev postgresql
	{ for game in $(GAMES); do echo "src/tablee/games/$$game $(GAME_TESTS) -k $$game"; done; echo "$(OTHER_TESTS)"; } | \
	  xargs -d '\n' -P 2 -I {} sh -c '$(BIN)/pytest -q {}'
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 3 --dist loadgroup -q -m 'conformance or surface'  # they wait a lot

# The tests start a PostgreSQL of their own; root can fetch its programs.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
	  echo "PostgreSQL is missing: installing Debian's postgresql" >&2; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql; }

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/arrows.py
	@if command -v tsc >/dev/null; then tsc --project tools/tsconfig.json; else \
	  echo "The front end's types are not checked: there is no tsc here (npm install --global typescript)"; fi

format: $(VENV)/.dev  ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/.dev  ## write the golden playthroughs anew; read the diff
	$(BIN)/python tools/golden.py

clauses: $(VENV)/.dev  ## write docs/clauses.md anew
	$(BIN)/python tools/clauses.py

bench: $(VENV)/.dev  ## moves per second, beside OpenSpiel
	$(BIN)/python benchmarks/speed.py

load: $(VENV)/.dev  ## moves per second through a server, beside single commits
	$(BIN)/python benchmarks/load.py

fuzz: $(VENV)/.dev  ## feed the record reader with mutations, for a minute
	$(INSTALL) '.[fuzz]'
	$(BIN)/python tests/fuzz_records.py -max_total_time=60

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Debian's own Python comes without venv; root can fetch it.
$(BIN)/python:
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tablée needs Python 3.11 or later; say make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { \
	  echo "Python's venv module is missing: installing Debian's python3-venv" >&2; \
	  rm -rf $(VENV); apt-get -qq update && apt-get -qq install -y python3-venv && $(PYTHON) -m venv $(VENV); }

$(VENV)/.play: $(BIN)/python $(SETUP)
	@echo "Installing Tablée (once; this takes a minute) ..."
	@$(INSTALL) '.[server,terminal]'
	@touch $@

$(VENV)/.dev: $(BIN)/python $(SETUP)
	@echo "Installing Tablée with what its tests need (once; this takes a few minutes) ..."
	@$(INSTALL) '.[server,terminal,research,dev]'
	@command -v chromium >/dev/null || { \
	  echo "The browser for the tests of the front end is missing: installing Debian's chromium" >&2; \
	  apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } || \
	  echo "No chromium: the tests of the front end will be skipped" >&2
	@touch $@
