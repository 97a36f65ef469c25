# Everything runs in .venv, made on first use. Python 3.11+, make and pip are all that must be there.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
SKIPS := .venv/skipped.txt
CONSTRAINTS ?= constraints.txt
CPUS ?= 2
export OMP_NUM_THREADS ?= 1

.PHONY: help test quick lint book prove formal bench mutants links experiment constraints clean

help:
	@echo "make test        every test, proof and law, and the strict build of the book"
	@echo "make quick       the inner loop: lint and the fast tests, under a minute"
	@echo "make lint        style and types"
	@echo "make book        builds the book into book/_build/html (SOLUTIONS=no leaves the solutions out)"
	@echo "make prove       runs the proofs, step by step"
	@echo "make formal      compiles the formal proofs (needs Coq and Coquelicot)"
	@echo "make bench       measures; writes book/results/bench.json"
	@echo "make mutants     the kill matrix: every wrong subject against every law"
	@echo "make experiment  section 6 on every data set that can be found (DATA=folder)"
	@echo "make links       refreshes the links between items, laws, proofs and pages"
	@echo "make constraints refreshes constraints.txt: the newest versions that pyproject.toml allows"
	@echo "make clean       removes .venv, the built book and all caches"

$(INSTALLED): pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -c 'import sys; sys.exit("lmlir needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[dev]'
	@touch $@

PYTEST := $(BIN)/python -m pytest -n $(CPUS) --dist worksteal
PAPER_TESTS := $(wildcard tests/paper/test_*.py)
PAPER_MODULES := $(PAPER_TESTS:tests/paper/test_%=reference/lmlir/%)
comma := ,
space := $(subst ,, )

# The modules of the paper come first: their own tests, and nothing else, cover every branch of them. Then all that stands on them.
test: $(INSTALLED) lint
	@rm -f $(SKIPS)
	$(PYTEST) --skips $(SKIPS) --cov --cov-report= --cov-fail-under=0 tests/paper
	$(BIN)/coverage report --fail-under=100 --include=$(subst $(space),$(comma),$(PAPER_MODULES))
	$(PYTEST) --skips $(SKIPS) --cov --cov-append --cov-report=term -rs --ignore=tests/paper tests
	@$(BIN)/python tests/skipped.py $(SKIPS)

# About 50 seconds of processor time for the tests: what takes longest is left out, whole subjects before the oracle, the proofs,
# the learner, section 6 and the book.
QUICK_TESTS := tests/paper tests/ledger tests/vectorized tests/oracle/test_brackets.py tests/oracle/test_subjects.py tests/test_*.py

quick: lint
	$(PYTEST) $(QUICK_TESTS)

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

book: $(INSTALLED)
	$(BIN)/python -m book.build $(if $(filter no,$(SOLUTIONS)),--no-solutions)

prove: $(INSTALLED)
	$(BIN)/python -m proofs

formal:
	$(if $(wildcard $(shell coqc -where 2>/dev/null)/user-contrib/Coquelicot),,\
	$(error make formal needs Coq and Coquelicot: apt-get install coq libcoq-coquelicot))
	@$(MAKE) --no-print-directory -C proofs/formal -j$(CPUS)

bench: $(INSTALLED)
	$(BIN)/python -m lmlir.experiments.bench

mutants: $(INSTALLED)
	$(BIN)/python -m lmlir.oracle.kill_matrix

links: $(INSTALLED)
	$(BIN)/python -m lmlir.ledger.links

experiment: $(INSTALLED)
	$(BIN)/lmlir experiment $(if $(DATA),--data $(DATA)) --jobs $(CPUS) --out book/results/experiment.jsonl

# From a fresh environment, so that what was installed before plays no part. Run `make test` with the new versions before you keep them.
constraints:
	new=$$(mktemp -d) && $(PYTHON) -m venv $$new && \
	$$new/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,jax,numba]' && \
	{ echo "# What the suite was run with, on $$($(PYTHON) --version); 'make constraints' resolves the bounds of pyproject.toml afresh."; \
	  echo "# A version may not exist for another Python: 'make test CONSTRAINTS=' in a fresh clone installs without this file."; \
	  $$new/bin/python -m pip freeze --exclude lmlir; } > constraints.txt && rm -r $$new

clean:
	@$(MAKE) --no-print-directory -C proofs/formal clean
	rm -rf .venv book/_build .hypothesis .pytest_cache .mypy_cache .ruff_cache .coverage
