# Everything needs Python >= 3.11 and make only: the first target builds its environment outside the tree
# (scripts/environment.sh), from requirements.lock.
.POSIX:
.PHONY: help demo test whole others pythons lowest quick full check format openapi kernels reference picture docs licences sbom bench lock

processors = $$(getconf _NPROCESSORS_ONLN)
# One process more than processors: many tests wait for servers, databases and other clients.
JOBS = $$(($(processors) + 1))
PYTEST_ARGS =
side_by_side = --numprocesses $(JOBS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder
BENCH_ARGS =
LOCK = requirements.lock
# The tests start the program often: its modules are compiled once, even if PYTHONDONTWRITEBYTECODE is set.
with = python=$$(sh scripts/environment.sh $(LOCK)) && export PYTHONPATH="$$PWD/app$${PYTHONPATH:+:$$PYTHONPATH}" && \
	unset PYTHONDONTWRITEBYTECODE &&
folders = tests/rules tests/unit tests/contract tests/golden tests/counterparts tests/journey
quick_folders = tests/rules tests/unit tests/journey/test_demo.py
# Those whose results depend on Python and on the versions of packages; the other rules read files of the source tree.
of_python = tests/unit tests/rules/test_errors.py tests/rules/test_package.py tests/rules/test_start.py \
	tests/journey/test_demo.py
# What the long tests ask for; each may be set outside.
long = MUSTER_PYICEBERG_FILTERS=$${MUSTER_PYICEBERG_FILTERS:-60} MUSTER_PYPAIMON_FILTERS=$${MUSTER_PYPAIMON_FILTERS:-100} \
	MUSTER_JAVA_FILTERS=$${MUSTER_JAVA_FILTERS:-200} MUSTER_ICEBERG_ROWS=$${MUSTER_ICEBERG_ROWS:-2500} \
	MUSTER_PAIMON_ROWS=$${MUSTER_PAIMON_ROWS:-2500} MUSTER_AGGREGATES=$${MUSTER_AGGREGATES:-10000}
ORACLE_CASES = 100000
uv = "$$python" -m uv pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11

help:
	@echo "make demo     a lake of real tables, indexed and served on http://127.0.0.1:8181"
	@echo "make test     every check and test; the quick ones on every CPython >= 3.11 here, and the lowest versions"
	@echo "make quick    the tests that take less than three minutes together"
	@echo "make full     every test with its long runs; a skip fails it"
	@echo "make check    no tests: ruff, mypy, import contracts"
	@echo "make format   let ruff put the sources in order"
	@echo "make openapi  write openapi.yaml anew"
	@echo "make kernels  compile the kernels to LLVM text (numba), after a change of one"
	@echo "make reference  write docs/reference anew, from the code"
	@echo "make picture  draw docs/overview.svg anew"
	@echo "make docs     build the documentation into site/"
	@echo "make licences  write docs/operations/licences.md anew"
	@echo "make sbom     print a bill of materials of the image (CycloneDX)"
	@echo "make bench    the benchmarks (BENCH_ARGS=...)"
	@echo "make lock     pin the newest versions that pyproject.toml allows"

demo:
	@$(with) "$$python" -m lakemuster serve --demo

# mypy has one thread: the runs with other Pythons fill the other processors.
test:
	@$(MAKE) check & check=$$!; status=0; $(MAKE) others || status=$$?; wait $$check && exit $$status
	@$(MAKE) whole

whole:
	@$(with) "$$python" -m pytest $(side_by_side) $(folders) $(PYTEST_ARGS)

# Properties try a fifth of their examples (tests/examples.py).
quick:
	@$(with) "$$python" -V && MUSTER_EXAMPLES=$${MUSTER_EXAMPLES:-0.2} "$$python" -m pytest --quick $(side_by_side) \
	$(quick_folders) $(PYTEST_ARGS)

# Every other Python of this machine once, one of them with the lowest versions (scripts/pythons.py). Properties try a
# tenth of their examples here and in the next two, but at least ten.
others:
	@$(with) "$$python" scripts/pythons.py --locks | xargs -P 2 -n 1 sh -c 'output=$$(MUSTER_EXAMPLES=0.1 \
	MUSTER_PYTHON=$${1#*:} $(MAKE) quick LOCK=$${1%%:*} JOBS=$(processors) quick_folders="$(of_python)" 2>&1); status=$$?; \
	echo "$$output"; exit $$status' others

# Every other Python of this machine, with the newest versions.
pythons:
	@$(with) for other in $$("$$python" scripts/pythons.py --other); do \
	MUSTER_EXAMPLES=0.1 MUSTER_PYTHON=$$other $(MAKE) quick quick_folders="$(of_python)" || exit 1; done

# The lowest versions that pyproject.toml allows, on the oldest Python.
lowest:
	@$(with) oldest=$$("$$python" scripts/pythons.py --oldest) && \
	MUSTER_EXAMPLES=0.1 MUSTER_PYTHON=$$oldest $(MAKE) quick LOCK=requirements-lowest.lock quick_folders="$(of_python)"

full: check
	@$(with) $(long) "$$python" -m pytest --full -o timeout=7200 $(side_by_side) $(folders) $(PYTEST_ARGS) && \
	"$$python" -m tests.unit.planner.oracle.long_run --cases $(ORACLE_CASES) && \
	"$$python" -m tests.unit.planner.paimon.oracle.long_run --cases $(ORACLE_CASES)
	@$(MAKE) pythons lowest

check:
	@$(with) "$$python" -m ruff check --quiet . && "$$python" -m ruff format --check --quiet . && "$$python" -m mypy && \
	"$$(dirname "$$python")/lint-imports"

format:
	@$(with) "$$python" -m ruff check --fix . && "$$python" -m ruff format .

openapi:
	@$(with) "$$python" -m lakemuster openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml

kernels:
	@$(with) "$$python" scripts/kernels.py

reference:
	@$(with) "$$python" scripts/reference.py

picture:
	@$(with) "$$python" scripts/picture.py

licences:
	@$(with) "$$python" scripts/licences.py

sbom:
	@python=$$(sh scripts/environment.sh requirements-sbom.lock) && \
	"$$(dirname "$$python")/cyclonedx-py" requirements --output-reproducible --spec-version 1.6 requirements-server.lock

docs:
	@python=$$(sh scripts/environment.sh requirements-docs.lock) && "$$python" -m mkdocs build --quiet --strict

bench:
	@$(with) "$$python" -m benchmarks --size small $(BENCH_ARGS)

lock:
	@$(with) \
	$(uv) --upgrade --all-extras -o requirements.lock pyproject.toml && \
	$(uv) --upgrade --resolution lowest-direct --all-extras -o requirements-lowest.lock pyproject.toml && \
	$(uv) --extra server --extra postgres -c requirements.lock -o requirements-server.lock pyproject.toml && \
	$(uv) --upgrade -o requirements-pypaimon.lock requirements-pypaimon.in && \
	$(uv) --upgrade -o requirements-spark.lock requirements-spark.in && \
	$(uv) --upgrade -o requirements-spark35.lock requirements-spark35.in && \
	$(uv) --upgrade --extra spark -c requirements.lock -o requirements-spark43.lock requirements-spark43.in pyproject.toml && \
	$(uv) --upgrade -o requirements-connect.lock requirements-connect.in && \
	$(uv) --upgrade -o requirements-duckdb.lock requirements-duckdb.in && \
	$(uv) --upgrade -o requirements-chdb.lock requirements-chdb.in && \
	$(uv) --upgrade -o requirements-daft.lock requirements-daft.in && \
	$(uv) --upgrade -o requirements-polars.lock requirements-polars.in && \
	$(uv) --upgrade -o requirements-trino.lock requirements-trino.in && \
	$(uv) --upgrade -o requirements-flink.lock requirements-flink.in && \
	$(uv) --upgrade -o requirements-sbom.lock requirements-sbom.in && \
	$(uv) --upgrade -o requirements-kubernetes.lock requirements-kubernetes.in && \
	$(uv) --upgrade -o requirements-openapi.lock requirements-openapi.in && \
	$(uv) --upgrade -o requirements-docs.lock requirements-docs.in && \
	$(uv) --upgrade -o requirements-uv.lock requirements-uv.in
