# `make run` and `make test` do all the set-up themselves: they need a Python of at least 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test test-all bench lint format clean

run: $(READY)
	@if [ -f runs/leduc/run.toml ]; then \
		$(BIN)/solvent solve --resume runs/leduc --iterations 20000; \
	else \
		$(BIN)/solvent solve leduc --iterations 20000 --out runs/leduc; \
	fi
	@$(BIN)/solvent show runs/leduc --limit 6

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 10

test-all: $(READY) lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow or not slow' --durations 20

bench: $(READY)
	$(BIN)/solvent bench openspiel

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) build *.egg-info
