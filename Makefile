# Everything needs Python >= 3.11 and make only: the first target builds its environment outside the tree
# (scripts/environment.sh), from requirements.lock.
.POSIX:
.PHONY: help demo test check format openapi bench lock

JOBS = logical
PYTEST_ARGS =
side_by_side = --numprocesses $(JOBS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder
BENCH_ARGS =
with = python=$$(sh scripts/environment.sh requirements.lock) && export PYTHONPATH="$$PWD/app$${PYTHONPATH:+:$$PYTHONPATH}" &&
uv = "$$python" -m uv pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11

help:
	@echo "make demo     a lake of real tables, indexed and served on http://127.0.0.1:8181"
	@echo "make test     every check and test"
	@echo "make check    the quick part: ruff, mypy, import contracts"
	@echo "make format   let ruff put the sources in order"
	@echo "make openapi  write openapi.yaml anew"
	@echo "make bench    the benchmarks (BENCH_ARGS=...)"
	@echo "make lock     pin the newest versions that pyproject.toml allows"

demo:
	@$(with) "$$python" -m lakemuster serve --demo

test: check
	@$(with) "$$python" -m pytest $(side_by_side) \
	tests/rules tests/unit tests/contract tests/golden tests/journey $(PYTEST_ARGS)

check:
	@$(with) "$$python" -m ruff check --quiet . && "$$python" -m ruff format --check --quiet . && "$$python" -m mypy && \
	"$$(dirname "$$python")/lint-imports"

format:
	@$(with) "$$python" -m ruff check --fix . && "$$python" -m ruff format .

openapi:
	@$(with) "$$python" -m lakemuster openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml

bench:
	@$(with) "$$python" -m benchmarks --size small $(BENCH_ARGS)

lock:
	@$(with) \
	$(uv) --upgrade --all-extras -o requirements.lock pyproject.toml && \
	$(uv) --extra server --extra postgres -c requirements.lock -o requirements-server.lock pyproject.toml && \
	$(uv) --upgrade -o requirements-pypaimon.lock requirements-pypaimon.in && \
	$(uv) --upgrade -o requirements-spark.lock requirements-spark.in && \
	$(uv) --upgrade -o requirements-spark35.lock requirements-spark35.in && \
	$(uv) --upgrade --extra spark -c requirements.lock -o requirements-spark43.lock requirements-spark43.in pyproject.toml && \
	$(uv) --upgrade -o requirements-connect.lock requirements-connect.in && \
	$(uv) --upgrade -o requirements-duckdb.lock requirements-duckdb.in
