# `make run` and `make test` do all the set-up themselves: they need a Python of at least 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools

.PHONY: run test pytest quick pytest-quick test-all bench lint format docs clean

# What `make run` trains and measures. From a fresh clone it takes less than 12 minutes on two cores: half a minute of
# set-up, two minutes of cards and compiling, TIME, and about 3 minutes of measuring.
AGENT := runs/holdem
CARDS := tiny
BETTING := preset=fcpa; preflop=100%,200%,a
TIME := 330s
CHECKPOINT := 30s
MEASURE := --parts styles,lbr,inside,behaviour --hands 60000 --lbr-hands 6000 \
	--inside-boards 4000 --inside-most 16000 --inside-valued 3000

# What measuring needs is compiled on one core while cards are made, which does not keep both cores busy.
run: $(READY)
	@echo "compiling the kernels that measure, beside the rest"; \
	$(BIN)/solvent warm --only match --only evaluate --json > /dev/null & \
	if [ -f $(AGENT)/run.toml ]; then \
		$(BIN)/solvent train --resume $(AGENT) --time $(TIME) --checkpoint-every $(CHECKPOINT); \
	else \
		$(BIN)/solvent train --preset $(CARDS) --betting '$(BETTING)' \
			--time $(TIME) --checkpoint-every $(CHECKPOINT) --out $(AGENT); \
	fi && wait
	@$(BIN)/solvent evaluate $(AGENT) $(MEASURE)
	@echo
	@echo "The report: $(AGENT)/report.html"
	@echo "Play against it: $(BIN)/solvent play $(AGENT)"

# The checks of `lint` take one core and half a minute, so they run beside the tests.
test: $(TOOLS)
	@$(MAKE) --no-print-directory -j 2 lint pytest

pytest: $(TOOLS)
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 10

# While editing: the checks, and the tests that need no compiled kernel.
quick: $(TOOLS)
	@$(MAKE) --no-print-directory -j 2 lint pytest-quick

pytest-quick: $(TOOLS)
	$(BIN)/python -m pytest -q --no-kernels

test-all: $(TOOLS) lint
	HYPOTHESIS_PROFILE=default $(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow or not slow' --durations 20

bench: $(READY)
	$(BIN)/solvent bench openspiel

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, in build/site; open build/site/index.html.
docs: $(TOOLS)
	$(BIN)/mkdocs build --strict

# What solvent needs, with plots, hand histories and OpenSpiel; and what its tests, checks and site need besides.
define install
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '$(1)' --editable papers
	@touch $(READY)
endef

$(READY): pyproject.toml papers/pyproject.toml constraints.txt
	$(call install,.[all])

$(TOOLS): pyproject.toml papers/pyproject.toml constraints.txt
	$(call install,.[dev])
	@touch $(TOOLS)

clean:
	rm -rf $(VENV) build *.egg-info
