# make play: set up and serve the games · make test: set up and run every test · make help: all targets
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install --no-compile --constraint constraints.txt --editable
SETUP := pyproject.toml constraints.txt Makefile
TYPESCRIPT := 7.0.2

# Debian packages besides Python: the browser, the database and the proxy that tests use, Node.js for the type check of scripts.
APT_PACKAGES = $(shell command -v chromium >/dev/null || echo chromium) \
  $(shell ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || echo postgresql) \
  $(shell command -v nginx >/dev/null || test -x /usr/sbin/nginx || echo nginx-light) \
  $(shell command -v npm >/dev/null || echo npm)

# One process per game: LLVM aborts when one process compiles the suite for several games. The games with the longest
# sight.py come first: their conformance checks take longest.
GAMES := $(notdir $(patsubst %/sight.py,%,$(shell ls -S src/tablee/games/*/sight.py)))
GAME_TESTS := tests/test_conformance.py tests/test_adapter_suites.py tests/test_plain_games.py
OTHER_TESTS := -n 2 --dist loadfile -m 'not surface and not conformance and not ray' tests \
  --ignore tests/test_adapter_suites.py --ignore tests/test_plain_games.py

# Tests are reproducible; TABLEE_TEST_SEED=7 plays other games (CONTRIBUTING.md).
test-all test-game quick: export PYTHONHASHSEED = $(or $(TABLEE_TEST_SEED),0)

.PHONY: help play test test-game test-all test-learning train-demo quick check format docs notebooks golden lessons puzzles clauses conformance faults mutants protocol bench exact steps reviews beliefs openspiel load attack growth kills soak evening player-faults scale requirements image secrets fuzz fuzz-batch fuzz-adapters numba-range cuda-kernels clean system-packages

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 20

play: $(VENV)/.play  ## set up and serve the games
	@$(BIN)/tablee serve

test: $(if $(GAME),test-game,test-all)  ## every test (installs missing system packages); GAME=xylo for one game's

test-all: $(VENV)/.dev system-packages
	{ for game in $(GAMES); do echo "src/tablee/games/$$game $(GAME_TESTS) -k $$game"; done; echo "$(OTHER_TESTS)"; } | \
	  xargs -d '\n' -P 2 -I {} sh -c '$(BIN)/pytest -q {}'
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 3 --dist loadgroup -q -m '(conformance or surface) and not ray'
	$(BIN)/pytest -q -m ray tests/test_arena.py  # alone: Ray gives up if its processes take more than 15 s to start

test-game: $(VENV)/.dev
	$(BIN)/pytest -q src/tablee/games/$(GAME) $(GAME_TESTS) -k $(GAME)

# PyTorch in an environment of its own: no other test needs it. Where pip finds a build for the CPU (PIP_FIND_LINKS, or
# PIP_EXTRA_INDEX_URL set to PyTorch's index), it prefers that one, which takes a tenth of the space: 2.13.0+cpu is newer
# than 2.13.0.
TORCH := 2.13.0
LEARNING := $(VENV)/learning

test-learning: $(LEARNING)/.ready  ## the tests of tablee.learning and Stable-Baselines3, which need PyTorch (after make test, kernels are in the cache)
	$(LEARNING)/bin/python -m pytest -q -p no:cacheprovider tests/learning \
	  tests/test_notebooks.py::test_a_notebook_with_pytorch_runs

train-demo: $(LEARNING)/.ready  ## learn tiny Skyjo on two cores in five minutes, and play it against greedy
	@rm -rf build/train-demo
	$(LEARNING)/bin/tablee train skyjo --small --reduction tiny --minutes 4 --out build/train-demo

quick: $(VENV)/.dev  ## a minute or two: style, types, and the interpreted tests that start no server or browser
	$(BIN)/ruff check .
	$(BIN)/mypy
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -n 2 -m quick

check: $(VENV)/.dev $(VENV)/.typescript  ## style, types, import directions, words (installs missing system packages)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/game_names.py
	$(BIN)/python tools/language.py
	$(VENV)/typescript/node_modules/.bin/tsc --project tools/tsconfig.json

format: $(VENV)/.dev  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs  ## build the documentation site into build/site; any warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

notebooks: $(VENV)/.dev  ## run the notebooks of docs/tutorials that need neither PyTorch nor a GPU, and keep their outputs
	$(BIN)/python tools/notebooks.py first_bot cfr data

lessons: $(VENV)/.dev system-packages  ## play every guided round in terminal and browser with every wrong turn; FLAGS="xylo"
	NUMBA_DISABLE_JIT=1 $(BIN)/python tools/lessons.py $(FLAGS)

puzzles: $(VENV)/.dev  ## verify the shipped puzzles with the expert and ten times the search; writes docs/puzzles.md; FLAGS="xylo"
	$(BIN)/python tools/puzzles.py $(FLAGS)

golden: $(VENV)/.dev  ## regenerate the golden playthroughs; read the diff
	$(BIN)/python tools/golden.py

clauses: $(VENV)/.dev  ## regenerate docs/clauses.md
	$(BIN)/python tools/clauses.py

conformance: $(VENV)/.dev  ## regenerate docs/conformance.md
	$(BIN)/python tools/seeded_faults.py --page

faults: $(VENV)/.dev  ## break games in many small ways: the conformance suite must find every one
	NUMBA_DISABLE_JIT=1 $(BIN)/python tools/seeded_faults.py

mutants: $(VENV)/.dev  ## source mutation of GAME=xylo against its own tests, minutes; FLAGS="--file sight.py --jobs 2"
	NUMBA_DISABLE_JIT=1 $(BIN)/python tools/mutants.py $(GAME) $(FLAGS)

protocol: $(VENV)/.dev  ## regenerate what follows from tablee.protocol; read the diff
	$(BIN)/python tools/protocol.py

bench: $(VENV)/.dev  ## moves per second, beside OpenSpiel
	$(BIN)/python benchmarks/speed.py

exact: $(VENV)/.dev  ## solve all reductions, and write the table of docs/reductions.md
	$(BIN)/python benchmarks/exact.py --write

steps: $(VENV)/.dev  ## each bot of the ladder against the next; hours, goes on where it was; FLAGS="--minutes 60 --game xylo"
	$(BIN)/python benchmarks/steps.py play benchmarks/played $(FLAGS)
	$(BIN)/python benchmarks/steps.py report benchmarks/played

reviews: $(VENV)/.dev  ## do reviews add up, order the bots and come true? hours, goes on where it was; FLAGS="--game xylo"
	$(BIN)/python benchmarks/review.py play $(FLAGS)
	$(BIN)/python benchmarks/review.py review $(FLAGS)
	$(BIN)/python benchmarks/review.py report --write

beliefs: $(VENV)/.dev  ## beliefs against all deals of the reductions, half an hour; FLAGS="--positions 10"
	$(BIN)/python benchmarks/beliefs.py $(FLAGS)

openspiel: $(VENV)/.dev  ## OpenSpiel's own tests: API, playthroughs, a hundred simulations of every setup and reduction
	$(BIN)/python tools/openspiel_suite.py

requirements: $(VENV)/.dev  ## write build/requirements.txt: the packages of the image, with hashes
	$(BIN)/python tools/requirements.py

image: requirements  ## build the image that compose.yaml runs
	docker build --tag tablee .

# The files are for whoever may enter the folder: containers read them as users of their own.
secrets:  ## draw the secrets that compose.yaml reads, unless they exist
	@mkdir -p -m 700 secrets
	@test -e secrets/postgres_password || openssl rand -hex 32 > secrets/postgres_password
	@test -e secrets/cookie_secret || openssl rand -hex 32 > secrets/cookie_secret
	@test -e secrets/database_url || \
	  echo "postgresql://tablee:$$(cat secrets/postgres_password)@database/tablee" > secrets/database_url
	@chmod 444 secrets/postgres_password secrets/cookie_secret secrets/database_url

scale: $(VENV)/.dev system-packages  ## restart and lose hosts (network namespaces) under load, as root; FLAGS="--tables 50"
	$(BIN)/python benchmarks/scale.py $(FLAGS)

load: $(VENV)/.dev  ## moves per second through a server, beside single commits
	$(BIN)/python benchmarks/load.py

attack: $(VENV)/.dev  ## attack a server on this machine, and measure what honest players notice
	$(BIN)/python benchmarks/attack.py

growth: $(VENV)/.dev  ## what people ask for, with no and with a million finished games, half an hour
	$(BIN)/python benchmarks/growth.py

kills: $(VENV)/.dev  ## kill a server 200 times on each database, with failing clocks and disks: nothing is lost
	NUMBA_DISABLE_JIT=1 $(BIN)/python benchmarks/kills.py

soak: $(VENV)/.dev  ## 300 tables, people who come and go, half an hour: memory stays flat, and the log quiet
	$(BIN)/python benchmarks/soak.py

evening: $(VENV)/.dev  ## two people and a watcher play every game in browsers, with all that happens in an evening
	NUMBA_DISABLE_JIT=1 $(BIN)/python tools/evenings.py $(FLAGS)

player-faults: $(VENV)/.dev  ## bring back what players stumbled over, one by one: a test must notice each, half an hour; FLAGS="12 15"
	$(BIN)/python tools/player_faults.py $(FLAGS)

fuzz: $(VENV)/.dev  ## feed the record reader with mutations, for a minute
	$(INSTALL) '.[fuzz]'
	$(BIN)/python tests/fuzz_records.py -max_total_time=60

fuzz-batch: $(VENV)/.dev  ## call batches with right and wrong arguments, 100,000 times
	$(BIN)/python tests/fuzz_batch.py

fuzz-adapters: $(VENV)/.dev  ## call the adapters with right and wrong arguments, 100,000 times
	$(BIN)/python tests/fuzz_adapters.py

# The oldest supported version is the lower bound in pyproject.toml; all other tests run with the newest.
OLDEST_NUMBA := $(shell sed -nE 's/.*"numba>=([0-9.]+),<.*/\1.0/p' pyproject.toml)
NUMBA_TESTS := tests/test_numba_internals.py tests/test_fingerprints.py tests/test_compilation.py tests/test_bits.py tests/test_randomness.py

numba-range: $(BIN)/python  ## test kernels and one game with the oldest supported Numba, in an environment of its own
	@test -x $(VENV)/numba-$(OLDEST_NUMBA)/bin/python || $(PYTHON) -m venv $(VENV)/numba-$(OLDEST_NUMBA)
	$(VENV)/numba-$(OLDEST_NUMBA)/bin/python -m pip --quiet --disable-pip-version-check install \
	  numba==$(OLDEST_NUMBA) 'numpy>=2' msgspec hypothesis pytest pytest-xdist scipy
	PYTHONPATH=src $(VENV)/numba-$(OLDEST_NUMBA)/bin/python -m pytest -q -n 2 --dist loadfile -p no:cacheprovider \
	  $(NUMBA_TESTS) src/tablee/games/$(lastword $(GAMES))

cuda-kernels: $(BIN)/python  ## compile the CUDA kernels of all games without a device; FLAGS="xylo --kernel step"
	@test -x $(VENV)/cuda/bin/python || $(PYTHON) -m venv $(VENV)/cuda
	$(VENV)/cuda/bin/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt --editable . 'numba-cuda[cu12]'
	$(VENV)/cuda/bin/python tools/cuda_kernels.py $(FLAGS)

clean:  ## remove what was set up and built
	rm -rf $(VENV) build dist .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

system-packages:  ## install missing Debian packages, as root: chromium, postgresql, nginx, npm
	@missing='$(strip $(APT_PACKAGES))'; [ -z "$$missing" ] || { \
	  echo "Installing Debian packages: $$missing" >&2; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $$missing; } || { \
	  echo "These programs are needed and could not be installed: $$missing" >&2; exit 1; }

# Debian's own Python comes without venv; root can install it.
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
	@touch $@

$(LEARNING)/.ready: $(BIN)/python $(SETUP)
	@test -x $(LEARNING)/bin/python || $(PYTHON) -m venv $(LEARNING)
	@$(LEARNING)/bin/python -m pip --quiet --disable-pip-version-check install torch==$(TORCH)
	@$(LEARNING)/bin/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt \
	  --editable . matplotlib openskill pytest sb3-contrib stable-baselines3
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@$(INSTALL) '.[docs]'
	@touch $@

$(VENV)/.typescript: Makefile | $(BIN)/python system-packages
	@npm install --silent --no-save --no-package-lock --prefix $(VENV)/typescript typescript@$(TYPESCRIPT)
	@touch $@
