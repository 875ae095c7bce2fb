# `make run` and `make test` do all the set-up themselves: they need a Python of at least 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test pytest test-all bench lint format docs clean

# What `make run` trains and measures. From a fresh clone it takes less than 12 minutes on two cores: 40 seconds of
# set-up, 2 minutes of compiling, a minute of cards, TIME, and about 3 minutes of measuring.
AGENT := runs/holdem
CARDS := tiny
BETTING := preset=fcpa; postflop=50%,100%,a | a
TIME := 4m
CHECKPOINT := 30s
MEASURE := --parts styles,lbr,inside,behaviour --hands 60000 --lbr-hands 10000 \
	--inside-boards 4000 --inside-most 16000 --inside-valued 3000

run: $(READY)
	@if [ -f $(AGENT)/run.toml ]; then \
		$(BIN)/solvent train --resume $(AGENT) --time $(TIME) --checkpoint-every $(CHECKPOINT); \
	else \
		$(BIN)/solvent train --preset $(CARDS) --betting '$(BETTING)' \
			--time $(TIME) --checkpoint-every $(CHECKPOINT) --out $(AGENT); \
	fi
	@$(BIN)/solvent evaluate $(AGENT) $(MEASURE)
	@echo
	@echo "The report: $(AGENT)/report.html"
	@echo "Play against it: $(BIN)/solvent play $(AGENT)"

# The checks of `lint` take one core and half a minute, so they run beside the tests.
test: $(READY)
	@$(MAKE) --no-print-directory -j 2 lint pytest

pytest: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 10

test-all: $(READY) lint
	HYPOTHESIS_PROFILE=default $(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow or not slow' --durations 20

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

# The site, in build/site; open build/site/index.html.
docs: $(READY)
	$(BIN)/mkdocs build --strict

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) build *.egg-info
