# Everything runs in .venv, made on first use. It needs Python 3.11+ with venv, and make.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
BOOK_INSTALLED := .venv/.book-installed
CONSTRAINTS ?= constraints.txt
CPUS ?= 2

.PHONY: help test full slow seeds coverage quick lint book prove formal bench mutants experiment constraints clean

help:
	@echo "make test        every test, proof and law, and the strict build of the book"
	@echo "make full        make test and make slow"
	@echo "make slow        what takes longest: formal proofs, a wheel, a book without solutions, other kernels and seeds"
	@echo "make seeds       the property tests with fresh seeds and more examples (SEEDS=..., EXAMPLES=300)"
	@echo "make coverage    traces the whole package under all fast tests"
	@echo "make quick       the inner loop: lint and the fast tests, under a minute"
	@echo "make lint        style, types and the layers of the package"
	@echo "make book        builds the book into book/_build/html (SOLUTIONS=no leaves the solutions out)"
	@echo "make prove       runs the proofs, step by step"
	@echo "make formal      compiles the formal proofs (needs Coq and Coquelicot)"
	@echo "make bench       measures; writes book/results/bench.json"
	@echo "make mutants     the kill matrix of wrong subjects and laws, and the answers of the known slips"
	@echo "make experiment  section 6 on every data set that can be found (DATA=folder)"
	@echo "make constraints refreshes constraints.txt: the newest versions that pyproject.toml allows"
	@echo "make clean       removes .venv, the built book and all caches"

# A .venv whose creation was interrupted has no pip, and one whose Python was removed does not start: both are made again.
BROKEN := $(shell $(BIN)/python -c 'import pip' >/dev/null 2>&1 || { rm -f $(INSTALLED) $(BOOK_INSTALLED); echo yes; })
# pip shows its progress on a terminal and prints only problems elsewhere.
define install
	@$(PYTHON) -c 'import sys; sys.exit("lmlir needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(if $(BROKEN),$(PYTHON) -m venv --clear .venv)
	$(BIN)/python -m pip install $(if $(MAKE_TERMOUT),,--quiet) --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[$(1)]'
	@touch $@
endef

$(INSTALLED): pyproject.toml $(CONSTRAINTS)
	$(call install,dev)

# Reading the book takes less than half of what testing takes; where all of it is installed, nothing is added.
$(BOOK_INSTALLED): pyproject.toml $(CONSTRAINTS)
	$(call install,book)

PYTEST := $(BIN)/python -m pytest -n $(CPUS) --dist worksteal
PAPER_TESTS := $(wildcard tests/paper/test_*.py)
comma := ,
space := $(subst ,, )
PAPER_MODULES := $(subst $(space),$(comma),$(PAPER_TESTS:tests/paper/test_%=reference/lmlir/%))

# Every branch of the modules of the paper is covered by their own tests. The others run untraced, which is faster.
# The last lines name every skipped test and the reason.
test: $(INSTALLED) lint
	$(PYTEST) -m "not slow" --cov --cov-report= -rs tests/paper
	$(BIN)/python -m coverage report --fail-under=100 --include=$(PAPER_MODULES)
	$(PYTEST) -m "not slow" --ignore=tests/paper --durations=25 -rs tests

# The whole package, with branches; what only subprocesses run is not seen.
coverage: $(INSTALLED)
	$(PYTEST) -m "not slow" --cov --cov-report=term --cov-fail-under=95 tests

full: test slow

slow: $(INSTALLED)
	$(PYTEST) -m slow --durations=25 -rs tests
	$(BIN)/python -m tests.other_kernels $(PYTEST) -m "not slow" $(NUMERIC_TESTS)
	@$(MAKE) --no-print-directory seeds SEEDS="1 2" EXAMPLES=1

# What a processor with other kernels could make fail: sums, descents, verdicts, and the pages, which all assert something.
NUMERIC_TESTS := $(addprefix tests/,paper vectorized learning ledger experiments studies book/test_book.py \
	oracle/allowed oracle/inputs oracle/judging/test_judge.py oracle/laws/test_laws.py oracle/test_python_examples.py)

# At least EXAMPLES examples of every property, for every seed of SEEDS; three fresh ones unless they are given.
EXAMPLES ?= 300
SEEDS ?= $(shell $(PYTHON) -c 'import random; print(*random.sample(range(10**9), 3))')

seeds: $(INSTALLED)
	@for seed in $(SEEDS); do \
	  echo "seed $$seed, at least $(EXAMPLES) examples:"; \
	  $(PYTEST) -m "hypothesis and not slow" --hypothesis-seed=$$seed --examples=$(EXAMPLES) tests || \
	    { echo "to repeat it: make seeds SEEDS=$$seed EXAMPLES=$(EXAMPLES)"; exit 1; }; \
	done

# About 50 seconds of processor time for the tests: what takes longest is left out, whole subjects before the oracle, the proofs,
# the learner, section 6 and the book.
QUICK_TESTS := tests/paper tests/ledger tests/vectorized tests/oracle/allowed tests/oracle/subjects/test_sources.py tests/test_*.py

quick: lint
	$(PYTEST) -m "not slow" $(QUICK_TESTS)

# The modules of the paper, which the book prints, are narrower than other code.
PRINTED_MODULES := reference/lmlir/*.py

lint: $(INSTALLED)
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m ruff check --select E501 --line-length 88 $(PRINTED_MODULES)
	$(BIN)/python -m ruff format --check --line-length 88 $(PRINTED_MODULES)
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo --cache-dir .mypy_cache/imports

book: $(if $(wildcard $(INSTALLED)),$(INSTALLED),$(BOOK_INSTALLED))
	$(BIN)/python -m book.build $(if $(filter no,$(SOLUTIONS)),--no-solutions)

prove: $(INSTALLED)
	$(BIN)/python -m proofs

formal:
	$(if $(wildcard $(shell coqc -where 2>/dev/null)/user-contrib/Coquelicot),,\
	$(error make formal needs Coq and Coquelicot: apt-get install coq libcoq-coquelicot))
	@$(MAKE) --no-print-directory -C proofs/formal -j$(CPUS)

bench: $(INSTALLED)
	$(BIN)/python -m book.studies bench

mutants: $(INSTALLED)
	$(BIN)/python -m tests.oracle.mutants.matrix
	$(BIN)/python -m tests.oracle.slips.answers

experiment: $(INSTALLED)
	$(BIN)/lmlir experiment $(if $(DATA),--data $(DATA)) --jobs $(CPUS) --out book/results/experiment.jsonl

# From a fresh environment, so that what was installed before plays no part. Run `make test` with the new versions before you keep them.
constraints:
	new=$$(mktemp -d) && $(PYTHON) -m venv $$new && \
	$$new/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,jax,numba]' && \
	{ echo "# What the suite was run with, on $$($(PYTHON) --version); 'make constraints' resolves the bounds of pyproject.toml afresh."; \
	  echo "# A version may not exist for another Python: 'make test CONSTRAINTS=' in a fresh clone installs without this file."; \
	  $$new/bin/python -m pip freeze --all --exclude pip --exclude lmlir; } > constraints.txt && rm -r $$new

clean:
	@$(MAKE) --no-print-directory -C proofs/formal clean
	rm -rf .venv book/_build .hypothesis .pytest_cache .mypy_cache .ruff_cache .coverage
