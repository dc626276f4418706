# What a person does with Parable. Each target sets up what it needs; `make` alone lists them.

# The newest Python of the range that can make virtual environments; PYTHON=/path/to/python3.13 names another.
ifndef PYTHON
PYTHON := $(shell for each in python3.14 python3.13 python3.12 python3.11; do \
	$$each -c 'import ensurepip, venv' 2>/dev/null && echo $$each && exit; done; echo python3)
endif
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
INSTALL := $(PYTHON) scripts/install.py
SOURCES = $(wildcard config dashboard evaluation release generation review annotation corpus events jobs projects web accounts core parable tests scripts clients/python/parable_client manage.py)
TEMPLATES = $(shell find templates -name '*.html')
TESTS ?= tests
WORKERS := -n 4 --dist worksteal
# A drill takes long, and what its file prepares does, too: a file stays with one worker. Drills wait more than
# tests do, for servers and for browsers: there are more of them at once.
BY_FILE := -n 6 --dist loadscope --no-loadscope-reorder
BENCH ?=
BACKUPS ?=
ADVISORIES ?=
MUTATE ?=

# Whatever the shell says: a site is six processes, and each would compile all packages anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-llm run serve upgrade bundle test drill pythons mutate harnesses docs check format messages bench lock outdated advisories clean

help: ## list the targets
	@sed -n -E 's/^([a-z-]+):[^#]*## (.*)/\1@\2/p' $(MAKEFILE_LIST) | while IFS=@ read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

setup: ## put everything into .venv
	@$(INSTALL) development

demo: ## run the site with the sample project, on port 8000
	@$(INSTALL) running
	@$(MANAGE) demo

demo-llm: ## the same with a small language model on this machine, which needs no account
	@$(INSTALL) running
	@$(INSTALL) demo-llm
	@$(MANAGE) demo-llm

run: ## run the site on the local data folder, on port 8000
	@$(INSTALL) running
	@$(MANAGE) run

serve: ## run the site as in production, with the servers named in .env
	@$(INSTALL) serving
	@$(MANAGE) serve

upgrade: ## back up, migrate and check a stopped site, or leave it as it was; BACKUPS=DIR
	@$(INSTALL) serving
	@$(MANAGE) upgrade $(BACKUPS)

bundle: setup ## make one archive, in build/, from which a server without network is installed
	@$(BIN)/python scripts/bundle.py

test: setup ## run the tests
	@$(BIN)/python -m pytest $(WORKERS) $(TESTS)

drill: setup ## run the slow tests: faults, concurrency at size, planted defects
	@$(INSTALL) demo-llm --optional
	@$(INSTALL) harnesses --optional
	@$(BIN)/python -m pytest $(BY_FILE) -m drill $(TESTS)

pythons: setup ## try parable/ and a walk of the site on every other Python found; PYTHONS=newest on one
	@$(BIN)/python scripts/pythons.py $(PYTHONS)

mutate: setup ## change rules one by one and see whether their tests notice
	@$(BIN)/python -m tests.mutation $(MUTATE)

harnesses: setup ## install the libraries and harnesses that a drill loads a release with
	@$(INSTALL) harnesses

docs: setup ## build the documentation as a site, in build/docs/site
	@$(BIN)/python scripts/docs_site.py

check: setup ## judge sources, types, imports, templates, migrations and messages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports --no-logo
	$(if $(TEMPLATES),@echo djade --check --target-version 5.2 templates)
	$(if $(TEMPLATES),@$(BIN)/djade --check --target-version 5.2 $(TEMPLATES))
	$(MANAGE) check
	$(MANAGE) makemigrations --check --dry-run
	$(BIN)/python -m config.messages check

format: setup ## put sources and templates into the form that check wants
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	$(if $(TEMPLATES),@$(BIN)/djade --target-version 5.2 $(TEMPLATES))

messages: setup ## collect what is to be translated into locale/
	@$(BIN)/python -m config.messages extract

bench: setup ## measure; BENCH=name runs one
	@$(BIN)/python -m benchmarks $(BENCH)

lock: setup ## write the locks anew from pyproject.toml, and list where their packages have wheels
	@$(BIN)/python scripts/lock.py
	@$(BIN)/python scripts/wheels.py

outdated: setup ## list what the locks hold that is behind its newest release
	@$(BIN)/python scripts/outdated.py

advisories: setup ## write which locked packages have a known vulnerability; ADVISORIES=FOLDER reads a clone
	@$(BIN)/python scripts/advisories.py $(if $(ADVISORIES),--from $(ADVISORIES))

clean: ## remove what can be made again (not var/, which holds data)
	@rm -rf .venv .venv-llm .venv-harnesses .venv-pythons .venv-girth .venv-py_irt .venv-datasketch .venv-label_studio .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis test-results build
