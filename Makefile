# Each target is a thin line over a tool. `make` alone lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DONE   := $(VENV)/.setup
HTML   := build/book/_build/html
ONE    := build/book/_build/singlehtml
PDF    := build/long-fat-lossy.pdf

# What a notebook's outputs may depend on: a change there executes the notebooks again. What only
# the pages around them need builds the pages again.
ONLY_PAGES := cli new front sphinx tables figures cells
INPUTS    := $(filter-out $(ONLY_PAGES:%=src/longfat/book/%.py) src/longfat/cli.py, \
    $(shell find src data/papers data/results data/versions.csv data/provenance.csv -type f -not -path '*/__pycache__/*'))
PAGES     := $(shell find book src/longfat/book data -type f -not -path '*/__pycache__/*')
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
EXECUTED  := $(NOTEBOOKS:%=build/src/%)
# What a step says beyond its own line goes into a log; where it fails, the end of that is shown.
LOG        = $(CURDIR)/build/log/$(basename $(@F)).log
QUIETLY    = @mkdir -p $(dir $(LOG)); quietly() { "$$@" >$(LOG) 2>&1 || { status=$$?; tail -n 20 $(LOG) >&2; \
    echo "error: that failed; all that it said is in $(LOG)" >&2; exit $$status; }; }; quietly
# What `make setup` compiles.
COMPILED  := $(wildcard src/longfat/engines/ns3/* src/longfat/engines/*.h src/longfat/cc/*)
# So many notebooks, and steps of the set-up, at once.
JOBS      := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# C++, formatted by .clang-format.
SOURCES   := $(shell find src examples tests tools -name '*.h' -o -name '*.cc')
# The tests of a file, of a notebook, or of one page of the book, are one process's (tests/conftest.py).
PYTEST    := $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadscope --no-loadscope-reorder \
             --durations 25 --durations-min 10
# Python keeps what it has compiled: an import takes a second then, and not ten.
unexport PYTHONDONTWRITEBYTECODE
# Notebooks and tests run side by side: a linear solve that takes all cores waits for them.
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: FORCE help setup emulation ns2 book pdf site notebooks check style-types-engine types engine format test test-slow test-all test-long test-times reproduce claims audit bench wasm crate serve lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## make .venv from requirements.lock, and prepare ns-3
	@$(MAKE) --jobs $(JOBS) $(DONE)/ready

emulation:  ## build the engine `linux`, a real kernel (see build.sh; nothing else needs it)
	src/longfat/engines/linux/build.sh

ns2:  ## prepare the engine `ns2`, the papers' own simulator (Debian's package; nothing else needs it)
	src/longfat/engines/ns2/build.sh

book:  ## execute the notebooks and build the book as static HTML
	@$(MAKE) --jobs $(JOBS) $(HTML)/index.html
	@echo "The book is ready. Open $(CURDIR)/$(HTML)/index.html"

pdf: $(PDF)  ## print the main line of the book as a PDF (needs Chromium and a Japanese font)
	@echo "The book is ready. Open $(CURDIR)/$<"

notebooks:  ## execute the notebooks and keep their outputs in notebooks/
	@$(MAKE) --jobs $(JOBS) $(DONE)/ready $(EXECUTED)
	cp $(EXECUTED) notebooks/
	@touch $(EXECUTED)  # what was just executed need not be executed again

site: pdf  ## make build/site, the book as a static site for SITE_URL, with the PDF
	rm -rf build/site && cp -R $(HTML) build/site
	cp $(PDF) build/site/
	touch build/site/.nojekyll
	@echo "The site is ready: serve $(CURDIR)/build/site under $$(cat build/site-url)"

# Where the book will be online, as some pages have to know; they are built again when it changes.
SITE_URL := $(or $(SITE_URL),$(shell sed -n 's/^ *baseurl: *//p' book/_config.yml))
export LONGFAT_SITE_URL := $(SITE_URL)
build/site-url: FORCE
	@mkdir -p build; test "$$(cat $@ 2>/dev/null)" = "$(SITE_URL)" || echo "$(SITE_URL)" >$@

# Types are looked at on one core, while on another the engine is compiled that tests will need.
style-types-engine: $(DONE)/package
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	@$(MAKE) --no-print-directory --jobs $(JOBS) types engine

types:
	$(BIN)/mypy

engine:
	$(BIN)/python -m longfat.engines.segment native

check: style-types-engine  ## run the tests of a minute: style, types, units (no book, no ns-3, no browser)
	$(PYTEST)

format:  ## put Python and C++ into the repository's style, as `make check` wants it
	$(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format .
	$(BIN)/clang-format -i $(SOURCES)

test: book style-types-engine  ## run the tests of minutes: those, ns-3, the archive, notebooks, the book in a browser
	$(PYTEST) -m "not (slow or long)" tests notebooks

test-slow: book  ## run the tests that take longer (book/tests.md lists them)
	$(PYTEST) -m "slow and not long" tests

test-all: test  ## run both
	@$(MAKE) test-slow

test-long: book  ## run what need not run at each change, and keep when and how that ended
	$(BIN)/python tools/tested.py "make test-long" \
	    '$(PYTEST) -m "long or hypothesis" --hypothesis-profile long tests'
	$(BIN)/python tools/newest_sphinx.py
	$(BIN)/python tools/mutants.py --again --fresh

test-times: book  ## measure what tests and notebooks take, for the page of tests
	$(BIN)/python tools/notebook_times.py
	$(BIN)/python tools/tested.py $(foreach one,check test test-slow,"make $(one)" "make $(one)")

reproduce: setup  ## compute every archived result again and report what changed
	for name in $(filter-out %-long,$(basename $(notdir $(NOTEBOOKS)))) ns2; do $(BIN)/longfat reproduce $$name || exit; done
	$(BIN)/python -m longfat.book.ns3_cell

claims: setup  ## check twelve claims of each paper: run again, judged again, compared (minutes)
	$(BIN)/longfat claims --output build/claims.csv

audit: setup  ## run five archived results again and compare to the last digit
	$(BIN)/longfat audit --sample 5

bench: setup  ## measure the engine's speed beside stock ns-3's
	$(BIN)/python tools/bench.py

wasm:  ## build the segment engine for pages and for machines without a compiler (needs ziglang)
	$(BIN)/python -m longfat.engines.segment

crate: setup  ## copy notebooks, data and results into build/crate, as an RO-Crate
	rm -rf build/crate
	$(BIN)/python tools/crate.py build/crate

serve: $(HTML)/index.html  ## show the book at http://127.0.0.1:8000
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) 8000

lock:  ## resolve pyproject.toml into requirements.lock again (needs uv)
	uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --all-extras \
	    --generate-hashes --no-emit-index-url --no-emit-find-links \
	    --custom-compile-command "make lock" pyproject.toml --output-file requirements.lock

clean:  ## remove what was built (the environment and the cache of results stay)
	rm -rf build

# The book: executed copies of the notebooks beside the pages, then HTML. The notebooks of the
# repository stay as they are.

# Where every result is in the archive, a notebook needs no engine, and is executed while ns-3 is
# still being compiled; where one fails then, it waits for ns-3 and is executed again.
EXECUTE = LONGFAT_PAGE_FOLDER=$(CURDIR)/build/src/_longfat $(BIN)/papermill --cwd notebooks --no-request-save-on-cell-execute --no-progress-bar
build/src/notebooks/%.ipynb: notebooks/%.ipynb requirements.lock $(INPUTS) | $(DONE)/package
	@mkdir -p $(@D)
	$(QUIETLY) sh -c 'ready=$$(test -e $(DONE)/ready && echo yes); $(EXECUTE) $< $(@D)/part-$(@F) \
	    || { test -z "$$ready" && until test -e $(DONE)/ready; do sleep 2; kill -0 $$PPID; done \
        && $(EXECUTE) $< $(@D)/part-$(@F); }'
	@$(BIN)/nbstripout --keep-output --keep-count --extra-keys \
	    "metadata.papermill cell.metadata.papermill metadata.language_info.version" \
	    $(@D)/part-$(@F)
	@mv $(@D)/part-$(@F) $@
	@echo "[notebook] $* (of $(words $(NOTEBOOKS)), $$(cd $(@D) && ls $(NOTEBOOKS:notebooks/%=%) 2>/dev/null | wc -l) are there)"

# ns-3 first: a notebook may wait for it.
$(HTML)/index.html: $(DONE)/ready $(EXECUTED) $(PAGES) $(INPUTS) requirements.lock build/site-url
	@rm -rf build/src/book && cp -R book build/src/book
	$(QUIETLY) sh -c 'exec 3>&1 && $(BIN)/jupyter-book build build/src --config book/_config.yml \
	    --toc $(CURDIR)/book/_toc.yml --path-output build/book --all -W -n --keep-going'
	@touch $@

# The page that has all chapters finds its style and images only from the folder's own top.
$(PDF): $(HTML)/index.html
	$(BIN)/jupyter-book build build/src --config book/_config.yml --builder singlehtml \
	    --toc $(CURDIR)/book/_toc.yml --path-output build/book -W -n --keep-going
	@cp $(ONE)/book/intro.html $(ONE)/whole.html
	$(BIN)/python tools/pdf.py $(ONE)/whole.html $@

# The environment. Every step that is done leaves a file, so that an interrupted set-up goes on.
# ns-3's Python bindings (cppyy) come as source. They are compiled against the locked packages, not
# against the older ones that they would fetch for themselves, which also takes a third of the time.

PIP      := $(BIN)/python -m pip --disable-pip-version-check install --no-compile --no-deps --require-hashes
BINDINGS := cppyy|cppyy-backend|cpycppyy|ns3

# "ns3" where it can be had: its platforms, a C++ compiler, and this Python's header files.
ENGINE := $(or $(shell $(firstword $(wildcard $(BIN)/python) $(PYTHON)) -c 'if True: \
    import os, platform, shutil, sys, sysconfig; \
    here = platform.system() == "Linux" and platform.machine() == "x86_64" \
        and sys.version_info < (3, 14) and shutil.which(os.environ.get("CXX", "c++")) \
        and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")); \
    print("ns3" if here else "no-ns3")' 2>/dev/null),no-ns3)

$(DONE)/venv:
	@command -v $(PYTHON) >/dev/null || { echo "error: '$(PYTHON)' was not found; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $$($(PYTHON) --version 2>&1) is too old, 3.11 or newer is needed; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "error: $$($(PYTHON) --version) cannot make virtual environments; install its venv module (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "[setup] a virtual environment with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(@D) && touch $@

$(DONE)/packages: requirements.lock | $(DONE)/venv
	@echo "[setup] the $$(grep -c '^[a-z]' requirements.lock) packages of requirements.lock"
	@awk '/^[a-z]/ {skip = /^($(BINDINGS))==/} !skip' requirements.lock >$@.txt
	$(QUIETLY) $(PIP) --only-binary :all: -r $@.txt
	@touch $@

$(DONE)/ns3: $(DONE)/packages
	@echo "[setup] ns-3 and its Python bindings (compiled, about a minute)"
	@awk '/^[a-z]/ {skip = !/^($(BINDINGS))==/} !skip' requirements.lock >$@.txt
	$(QUIETLY) env CLING_STANDARD_PCH=none $(PIP) --no-build-isolation -r $@.txt
	@touch $@

$(DONE)/no-ns3: $(DONE)/packages
	@echo "[setup] notice: new simulations need x86-64 Linux, CPython 3.11 to 3.13, a C++ compiler and Python's header files (Debian, Ubuntu: apt install g++ python3-dev); without them the book is built from its archive"
	@touch $@

$(DONE)/package: pyproject.toml $(DONE)/packages
	@echo "[setup] the package itself"
	$(QUIETLY) $(BIN)/python -m pip --disable-pip-version-check install --no-deps --no-build-isolation --editable .
	@touch $@

$(DONE)/ready: $(COMPILED) $(DONE)/package $(DONE)/$(ENGINE)
	@test $(ENGINE) = no-ns3 || $(BIN)/python -m longfat.engines.ns3 --warm
	@touch $@
