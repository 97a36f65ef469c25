# Everything runs in .venv, made on first use. Python 3.11+, make and pip are all that must be there.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
CPUS ?= 2
export OMP_NUM_THREADS ?= 1

.PHONY: help test lint reference-tests book prove formal bench mutants links experiment clean

help:
	@echo "make test       every test, proof and law, and the strict build of the book"
	@echo "make book       builds the book into book/_build/html"
	@echo "make prove      runs the proofs, step by step"
	@echo "make formal     compiles the formal proofs (needs Coq and Coquelicot)"
	@echo "make bench      measures; writes book/results/bench.json"
	@echo "make mutants    the kill matrix: every wrong subject against every law"
	@echo "make experiment section 6 on every data set that can be found (DATA=folder)"
	@echo "make links      refreshes the links between items, laws, proofs and pages"

$(INSTALLED): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("lmlir needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# The reference's own tests come first, with their branch coverage measured; then everything that stands on it.
REFERENCE_TESTS := tests/paper tests/ledger tests/test_commands.py

test: $(INSTALLED) lint
	$(BIN)/python -m pytest -n $(CPUS) --dist worksteal --cov --cov-report=term $(REFERENCE_TESTS)
	$(BIN)/python -m pytest -n $(CPUS) --dist worksteal $(addprefix --ignore=,$(REFERENCE_TESTS)) -rs

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

book: $(INSTALLED)
	$(BIN)/python -m book.build

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
	$(BIN)/python -m lmlir.paper --write-links

experiment: $(INSTALLED)
	$(BIN)/lmlir experiment $(if $(DATA),--data $(DATA)) --jobs $(CPUS) --out book/results/experiment.jsonl

clean:
	@$(MAKE) --no-print-directory -C proofs/formal clean
	rm -rf .venv book/_build .hypothesis .pytest_cache .mypy_cache .ruff_cache
