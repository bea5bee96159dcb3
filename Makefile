# Everything a developer types. Each target does its own set-up on a fresh Debian machine, says what
# it installs, and is quick the second time.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input
WORKERS ?= 3
SECONDS ?= 60

.PHONY: help demo test soak chaos fuzz confusion budget bench bench-floor pictures lint lock mosquitto postgresql poppler chromium clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    simulated tables, a broker, the floor's screens; Ctrl-C ends it; ARGS=--tour"
	@echo "make test    every test, with ptys, a mosquitto, a PostgreSQL and a Chromium for real"
	@echo "make soak    the same with the full counts, and its figures"
	@echo "make chaos   every fault for two minutes, and what became of each alert; SECONDS=600"
	@echo "make fuzz    broken bytes for every decoder, for a minute; SECONDS=600 for ten;"
	@echo "             by atheris where it has a wheel, else by the own engine; ARGS='--engine own'"
	@echo "make confusion  what is injected into real hands against what is found"
	@echo "make budget  false alerts and finds in 20,000 hands at a table of noisy readers"
	@echo "make bench   latency and throughput, each beside a floor measured in the same run"
	@echo "make bench-floor  two hundred tables and fifty screens on one core, and its memory"
	@echo "make pictures  docs/demo.svg and docs/screens anew, from a demo that runs for some minutes"
	@echo "make lint    ruff, the format and mypy"
	@echo "make lock    write requirements/*.txt anew from pyproject.toml"

demo: $(STAMPS)/run
	@$(BIN)/floorcall demo $(ARGS)

test: $(STAMPS)/dev mosquitto postgresql poppler chromium
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

soak: $(STAMPS)/dev mosquitto postgresql poppler chromium
	FLOORCALL_SOAK=1 $(BIN)/pytest -n $(WORKERS) -rP $(ARGS)

chaos: SECONDS = 120
chaos: $(STAMPS)/dev mosquitto
	@$(BIN)/python -m tests.chaos --seconds $(SECONDS) $(ARGS)

fuzz: $(STAMPS)/dev $(STAMPS)/fuzz
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(ARGS)

confusion: $(STAMPS)/dev
	@$(BIN)/python -m tests.confusion

budget: $(STAMPS)/dev
	@$(BIN)/python -m tests.budget $(ARGS)

bench: $(STAMPS)/dev mosquitto
	@$(BIN)/python -m tests.bench $(ARGS)

bench-floor: $(STAMPS)/dev mosquitto chromium
	@$(BIN)/python -m tests.bench.screens $(ARGS)

pictures: $(STAMPS)/dev chromium
	@$(BIN)/python -m tests.demo.picture docs/demo.svg
	@$(BIN)/python -m tests.demo.pictures docs/screens

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# --universal: one lock for every Python from 3.11 on. No index address gets into the files.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-header
OURS := pyproject.toml requirements/build.in
lock: $(STAMPS)/dev
	$(LOCK) $(OURS) --extra demo --output-file requirements/run.txt
	$(LOCK) $(OURS) --constraints requirements/run.txt --output-file requirements/table.txt
	$(LOCK) $(OURS) --extra floor --constraints requirements/run.txt \
	        --output-file requirements/floor.txt
	$(LOCK) $(OURS) --extra demo --group dev --constraints requirements/run.txt \
	        --output-file requirements/dev.txt
	$(LOCK) requirements/fuzz.in --output-file requirements/fuzz.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

# --- set-up -----------------------------------------------------------------------------------

$(BIN)/python:
	@PYTHON="$(PYTHON)" .ci/python $(VENV)

$(STAMPS)/run: requirements/run.txt pyproject.toml | $(BIN)/python
	@echo "floorcall: installing what requirements/run.txt locks into $(VENV)"
	@mkdir -p $(STAMPS)
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/dev: requirements/dev.txt pyproject.toml | $(BIN)/python
	@echo "floorcall: installing what requirements/dev.txt locks into $(VENV)"
	@mkdir -p $(STAMPS)
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(STAMPS)/run

# Without a wheel of atheris for this Python and machine there is no stamp, and the own engine runs.
$(STAMPS)/fuzz: requirements/fuzz.txt | $(STAMPS)/dev
	@echo "floorcall: installing what requirements/fuzz.txt locks into $(VENV)"
	@if $(PIP) install --only-binary :all: --require-hashes -r requirements/fuzz.txt; \
	 then touch $@; else echo "floorcall: no atheris here: the own engine fuzzes"; fi

# The tests start brokers of their own on loopback; the service that Debian's package brings is
# neither needed nor used. Their certificates are made by openssl, as docs/operation.md shows.
HAS_MOSQUITTO := { test -x /usr/sbin/mosquitto || command -v mosquitto; } >/dev/null && \
                 command -v openssl >/dev/null
mosquitto:
	@$(HAS_MOSQUITTO) || .ci/debian mosquitto openssl
	@$(HAS_MOSQUITTO) || { echo "floorcall: no mosquitto and openssl to test with" >&2; exit 1; }

# The screens are tested in Debian's Chromium.
HAS_CHROMIUM := command -v chromium >/dev/null
chromium:
	@$(HAS_CHROMIUM) || .ci/debian chromium
	@$(HAS_CHROMIUM) || { echo "floorcall: no chromium to test the screens with" >&2; exit 1; }

# The floor's history is tested on a PostgreSQL of the tests' own, too, and its pages are looked at.
HAS_POSTGRESQL := { ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; } >/dev/null 2>&1
postgresql:
	@$(HAS_POSTGRESQL) || .ci/debian postgresql
	@$(HAS_POSTGRESQL) || { echo "floorcall: no PostgreSQL to test with" >&2; exit 1; }

HAS_POPPLER := command -v pdftoppm >/dev/null
poppler:
	@$(HAS_POPPLER) || .ci/debian poppler-utils
	@$(HAS_POPPLER) || { echo "floorcall: no pdftoppm to look at pages with" >&2; exit 1; }
