# make demo   install what is pinned, without torch; grade a generated class, say where the report lies
# make test   install every extra, run every test, linter and type check; not again what passed and nothing has changed for
# make install      install what is pinned and every extra into .venv, as make test does
# make docs   build the site of all pages into build/site, with pictures of what the commands write
# make bench        measure grading speed, from save to answer, and cold commands, as ratios in one run; write docs/speed.md
# make bench-packing  trainings that share devices, against one after another
# make bench-peers  the same beside otter-grader and nbgrader, in an environment of their own
# make gpu    prove and measure trainings on a GPU, with the torch of PYTHON: make gpu PYTHON=python3 DEVICE=cuda ONLY="agreement"
# make gpu-wheels  fill wheels/ with all else that this takes, for a machine without a package index: GPU_PYTHON=3.12
# make test-environments  the references in every environment that people have, and a table of what came of it
# make test-otter   otter assign and otter run on our bundles, in an environment of their own
# make mutants  change every line of every reference, and see which cases notice
# make lint   only the linter and the type check
# make clean  remove the environment and everything generated

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

DEVICE ?= cuda
GPU_PYTHON ?= 3.12
GPU_PACKAGES := typer rich jinja2 pyseccomp nbformat nvidia-ml-py

.PHONY: demo test install docs bench bench-packing bench-peers gpu gpu-wheels test-otter test-environments mutants lint clean

demo: $(VENV)/.installed
	$(BIN)/autograder demo

# tests/conftest.py says how many workers run, and what runs where.
test: lint
	$(BIN)/python -m pytest --numprocesses auto --dist loadgroup --no-loadscope-reorder

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

install: $(VENV)/.installed-dev

docs: $(VENV)/.installed-dev .venv-docs/.installed
	$(BIN)/python docs/site/take_pictures.py
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python docs/site/make_site.py

mutants: $(VENV)/.installed-dev
	$(BIN)/autograder mutants

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/speed_tables.py

bench-packing: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/packing.py

bench-peers: $(VENV)/.installed-dev .venv-peers/.installed
	$(BIN)/python benchmarks/speed_tables.py peers.py

# With the torch that PYTHON finds, and no package index: what is missing comes from wheels/.
gpu:
	@$(PYTHON) -c 'import torch' || { echo "make: $(PYTHON) has no torch; name one that has: make gpu PYTHON=..."; exit 1; }
	@if [ -d wheels ]; then $(PYTHON) -m pip --disable-pip-version-check install --quiet --no-index --find-links wheels --upgrade --target build/gpu $(GPU_PACKAGES); fi
	PYTHONPATH=$(CURDIR)/build/gpu:$(CURDIR) $(PYTHON) benchmarks/gpu.py --device $(DEVICE) $(if $(ONLY),--only $(ONLY))

gpu-wheels: $(VENV)/bin/python
	$(BIN)/python -m pip --disable-pip-version-check download --quiet --constraint constraints.txt --dest wheels --only-binary :all: --python-version $(GPU_PYTHON) --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 $(GPU_PACKAGES)
	@echo "Copy the course, wheels/ included, to the machine with the GPU, and run make gpu there."

.venv-peers/.installed: benchmarks/peers-constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m venv --clear .venv-peers
	@.venv-peers/bin/python -m pip --disable-pip-version-check install --quiet --constraint $< 'otter-grader[grading]' nbgrader torch || { echo "make: the packages could not be installed; is a Python package index within reach?"; exit 1; }
	@touch $@

.venv-docs/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m venv --clear .venv-docs
	@.venv-docs/bin/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt '.[docs]' || { echo "make: the packages could not be installed; is a Python package index within reach?"; exit 1; }
	@touch $@

test-otter: .venv-otter/.installed
	.venv-otter/bin/python -m pytest tests/roundtrip_otter.py

test-environments: $(VENV)/.installed-dev
	$(BIN)/python tests/environments.py

.venv-otter/.installed: pyproject.toml benchmarks/peers-constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m venv --clear .venv-otter
	@.venv-otter/bin/python -m pip --disable-pip-version-check install --quiet --constraint benchmarks/peers-constraints.txt --editable '.[otter,torch]' pytest pytest-xdist hypothesis nbclient || { echo "make: the packages could not be installed; is a Python package index within reach?"; exit 1; }
	@touch $@

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing; install Python 3.11 or newer, or run make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or newer is needed; $$($(PYTHON) --version) was found (make PYTHON=... names another)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable . || { echo "make: the packages could not be installed; is a Python package index within reach?"; exit 1; }
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@$(PIP) --editable '.[dev]' || { echo "make: the packages could not be installed; is a Python package index within reach?"; exit 1; }
	@touch $@

clean:
	rm -rf $(VENV) .venv-docs .venv-peers .venv-otter demo-class .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
