# `make` or `make help` lists the targets. `make check` needs Go, git, make, bash and a C compiler (for the race detector). The
# targets e2e-... that need other programs install them, or say what is missing.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

TOOL     := go tool -modfile=internal/tools/go.mod
# A cache of its own for each checkout: the linter's findings remember paths, and exclusions go by paths.
LINTER   := GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint go tool -modfile=$(CURDIR)/internal/tools/lint/go.mod golangci-lint
MODULES  := . benchmarks internal/e2e internal/e2e/kubernetes internal/tools internal/tools/lint internal/tools/bench internal/tools/prometheus \
	internal/tools/release internal/tools/expohisto internal/tools/xprofile
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 10
CASES    ?= 2000
ROUNDS   ?= 9

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  %-15s %s\n' "$$name" "$$text"; done

.PHONY: build
build: ## Build the collector into dist/, unless it is up to date
	@internal/tools/build.sh

.PHONY: release
release: ## Build archives, bills of materials, an OCI image, notes and checksums into dist/release (minutes; PLATFORMS=linux/amd64 for some)
	@cd internal/tools/release && go run . -platforms '$(PLATFORMS)'

.PHONY: release-twice
release-twice: ## The same, and once more from a copy in another folder: all bytes must be equal
	@cd internal/tools/release && go run . -twice -platforms '$(PLATFORMS)'

.PHONY: cross
cross: ## Compile and vet for macOS and Windows (-trimpath, so that a release finds it compiled)
	@for os in darwin windows; do echo "cross: go vet for $$os"; CGO_ENABLED=0 GOOS=$$os GOFLAGS="$$(go env GOFLAGS) -trimpath" go vet ./...; done

.PHONY: compat
compat: ## Try the last four releases of the Collector with the two newest minor versions of Go (half an hour; RELEASES=v0.163.0,v0.164.0 for some)
	@go run ./internal/compat -releases '$(RELEASES)' -go '$(GOVERSIONS)'

.PHONY: demo
demo: ## Score the recorded traces in testdata/traces and print the verdicts
	@go build -o dist/toolcorrectness ./cmd/toolcorrectness
	@dist/toolcorrectness -config examples/demo.yaml -pass-rate 0 testdata/traces/*.jsonl
	@dist/toolcorrectness -config examples/demo.yaml -format html -pass-rate 0 -o dist/demo.html testdata/traces/*.jsonl
	@echo "the same as a page to look at: dist/demo.html"

# `make lint` and `make cross` vet, so `make test` does not. GOGC=200 collects garbage half as often, and GOMEMLIMIT collects it
# again as often where tests hold much.
.PHONY: test
test: ## Run the module's tests with the race detector, those of sizes and random inputs with a part of them, in two to three minutes
	@GOGC=200 GOMEMLIMIT=512MiB internal/tools/test.sh -short -vet=off

.PHONY: test-full
test-full: ## The same with all sizes and inputs: a million calls, texts of 100 MB (up to 3 GiB of memory), and the tests of benchmarks and release
	@internal/tools/test.sh --all

.PHONY: e2e
e2e: build e2e-kubernetes ## Send OTLP to the built collector with real exporters and look at what comes out
	cd internal/e2e && go test -race -count=1 -timeout=30m ./...

.PHONY: e2e-kubernetes
e2e-kubernetes: ## Decode the Kubernetes manifests strictly into Kubernetes' own types
	cd internal/e2e/kubernetes && go test -count=1 ./...

.PHONY: e2e-pipelines
e2e-pipelines: ## Run the examples of whole pipelines with components of the contrib repository (builds a second collector, minutes)
	@internal/tools/build.sh internal/e2e/contrib/builder-config.yaml
	cd internal/e2e && go test -race -tags contrib -run '^TestPipeline' -count=1 -timeout=10m .

.PHONY: e2e-report
e2e-report: ## Open the report in Chromium, and check its JUnit file by the schema (installs both programs with apt-get where it can)
	@internal/tools/report-tools.sh
	cd internal/e2e && go test -tags browser -count=1 -timeout=10m ./page ./formats

# The newest Phoenix and MLflow are installed below .cache. The pictures of their pages lie in .cache/backends/pictures.
.PHONY: e2e-backends
e2e-backends: build ## Install Phoenix and MLflow, send them runs, and find the scores by API and on their pages (needs Python 3, minutes)
	@internal/tools/report-tools.sh
	@for name in arize-phoenix mlflow; do \
		test -x .cache/backends/$$name/bin/python || python3 -m venv .cache/backends/$$name; \
		.cache/backends/$$name/bin/pip install -q --disable-pip-version-check --upgrade $$name; \
	done
	cd internal/e2e && go test -tags backends -run '^TestScoresIn' -count=1 -timeout=30m -v .

# Prometheus and promtool are built from their modules without service discovery, which is most of them. Grafana's library is
# for the dashboard. Its version has an epoch.
GRAFANA_SDK := grafana-foundation-sdk==1769699998!10.1.0

.PHONY: alerts-tools
alerts-tools:
	@mkdir -p .cache/alerts
	@go build -modfile=internal/tools/prometheus/go.mod -tags remove_all_sd -o .cache/alerts/ github.com/prometheus/prometheus/cmd/prometheus github.com/prometheus/prometheus/cmd/promtool
	@test -x .cache/alerts/venv/bin/python || python3 -m venv .cache/alerts/venv
	@.cache/alerts/venv/bin/pip install -q --disable-pip-version-check '$(GRAFANA_SDK)'

.PHONY: e2e-alerts
e2e-alerts: build alerts-tools ## Have a real Prometheus fire and end each alert of examples/alerting on the built collector (needs Python 3, minutes)
	cd internal/e2e && go test -tags alerts -run '^Test(Alert|Dashboard)' -count=1 -timeout=20m -v .

.PHONY: dashboard
dashboard: alerts-tools ## Write examples/alerting/dashboard.json
	@.cache/alerts/venv/bin/python internal/e2e/testdata/alerts/dashboard.py >examples/alerting/dashboard.json

# The newest DeepEval is installed below .cache. It writes a folder of its own where it runs.
.PHONY: e2e-deepeval
e2e-deepeval: ## Compare the dry run with the newest DeepEval from PyPI on CASES (2000) random runs (needs Python 3)
	@test -x .cache/deepeval/bin/python || python3 -m venv .cache/deepeval
	@.cache/deepeval/bin/pip install -q --disable-pip-version-check --upgrade deepeval
	@cd .cache && PYTHONHASHSEED=0 deepeval/bin/python ../internal/e2e/references/compare_deepeval.py --cases $(CASES)

.PHONY: e2e-imports
e2e-imports: ## Compare imported test cases with the newest Google ADK, DeepEval and promptfoo on 1000 random runs each (needs Python 3 and npm)
	@mkdir -p .cache/imports .cache/others/promptfoo && rm -f .cache/imports/*.tar.gz
	@for name in google-adk deepeval; do \
		test -x .cache/others/$$name/bin/python || python3 -m venv .cache/others/$$name; \
		.cache/others/$$name/bin/pip install -q --disable-pip-version-check --upgrade $$name pandas tabulate rouge-score || exit 1; \
		(cd .cache/imports && PYTHONHASHSEED=0 ../others/$$name/bin/python ../../internal/e2e/references/record_imports.py $${name#google-} \
			--cases 1000 --seed $$RANDOM -o $${name#google-}.tar.gz) || exit 1; \
	done
	@cd .cache/others/promptfoo && npm pack --silent promptfoo >/dev/null && tar xzf promptfoo-*.tgz
	@PROMPTFOO=$$PWD/.cache/others/promptfoo/package python3 internal/e2e/references/record_imports.py promptfoo --cases 1000 --seed $$RANDOM \
		-o .cache/imports/promptfoo.tar.gz
	IMPORTS=$$PWD/.cache/imports go test ./cmd/toolcorrectness -run '^TestImportedCasesScoreAsTheirLibrary$$' -count=1

.PHONY: bench-cases
bench-cases: ## On an idle machine: read a million cases (bounds: 10 s, 1 kB a case)
	IDLE=1 go test . -run '^TestMillionCases$$' -count=1 -v

.PHONY: e2e-others
e2e-others: ## Compare options of the native method with the newest releases of other libraries on 1000 random runs each (needs Python 3 and npm)
	@mkdir -p .cache/others/fresh && rm -f .cache/others/fresh/*
	@for name in agentevals pydantic-evals azure-ai-evaluation ragas google-adk mlflow-skinny; do \
		test -x .cache/others/$$name/bin/python || python3 -m venv .cache/others/$$name; \
		.cache/others/$$name/bin/pip install -q --disable-pip-version-check --upgrade $$name pandas tabulate rouge-score || exit 1; \
		.cache/others/$$name/bin/python internal/e2e/references/record_others.py $$name --seed $$RANDOM -o .cache/others/fresh/$$name.jsonl.gz || exit 1; \
	done
	@mkdir -p .cache/others/promptfoo && cd .cache/others/promptfoo && npm pack --silent promptfoo >/dev/null && tar xzf promptfoo-*.tgz
	@PROMPTFOO=$$PWD/.cache/others/promptfoo/package python3 internal/e2e/references/record_others.py promptfoo -o .cache/others/fresh/promptfoo.jsonl.gz
	@python3 internal/e2e/references/record_others.py vertex-documentation --seed $$RANDOM -o .cache/others/fresh/vertex-documentation.jsonl.gz
	OTHERS=$$PWD/.cache/others/fresh go test . -run '^TestNumbersOfOtherLibraries$$' -count=1

.PHONY: e2e-fleet
e2e-fleet: ## Kill, add and drain scorers behind a balancer, under load, and count runs (builds a second collector, minutes; FLEET=-short)
	@internal/tools/build.sh internal/e2e/contrib/builder-config.yaml
	cd internal/e2e && go run ./chaos -fleet -collector ../../dist/contrib/otelcol-contrib-tool-correctness $(FLEET)

# Apache Kafka comes as jars from Maven Central, by the ordinary client, and lies in .cache/kafka.
.PHONY: e2e-kafka
e2e-kafka: ## The same behind Apache Kafka (needs Java 17 and Maven, minutes; FLEET=-short)
	@internal/tools/build.sh internal/e2e/contrib/builder-config.yaml
	@test -d .cache/kafka || mvn -B -q -f internal/e2e/chaos/kafka.xml dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/.cache/kafka"
	cd internal/e2e && go run ./chaos -fleet -kafka "$(CURDIR)/.cache/kafka" -collector ../../dist/contrib/otelcol-contrib-tool-correctness $(FLEET)

.PHONY: chaos
chaos: build ## Kill, stop, fill and refuse the built collector under load and count what is lost (CHAOS=-short takes a minute)
	cd internal/e2e && go run ./chaos $(CHAOS)

.PHONY: hostile
hostile: build ## Attack the processor and the built collector beside an honest victim (HOSTILE=-short takes about a minute)
	cd internal/e2e && go run ./hostile $(HOSTILE)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (10s; 5000x is a number of inputs)
	@internal/tools/fuzz.sh $(FUZZTIME)

.PHONY: bench
bench: ## Compare the processor with its neighbours in ROUNDS (9) rounds and write benchmarks/RESULTS.md
	cd benchmarks && go run . -rounds $(ROUNDS) -out RESULTS.md

.PHONY: bench-e2e
bench-e2e: ## Load a real collector until it is saturated, with the processor and with its neighbours
	cd benchmarks && go run ./e2e -collector "$$(e2e/build.sh)" -rounds 5

.PHONY: bench-options
bench-options: ## Measure what options cost, above all a storage
	cd benchmarks && go run ./options

.PHONY: bench-growth
bench-growth: ## Measure how costs grow with open runs, calls, expectations and cores, and draw benchmarks/growth.svg
	cd benchmarks && go run ./growth -plot growth.svg

.PHONY: microbench
microbench: ## Run the Go benchmarks BENCH (all) COUNT (10) times and compare with the last run
	@mkdir -p .cache
	@if [ -f .cache/bench.txt ]; then mv .cache/bench.txt .cache/bench-before.txt; fi
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./... | tee .cache/bench.txt
	@go tool -modfile=internal/tools/bench/go.mod benchstat $$(ls .cache/bench-before.txt 2>/dev/null) .cache/bench.txt

.PHONY: lint
lint: ## Run the linters
	$(LINTER) run --allow-parallel-runners ./...
	cd internal/e2e && $(LINTER) run --allow-parallel-runners --build-tags alerts,backends,browser,contrib --config ../../.golangci.yml ./...
	cd internal/e2e/kubernetes && $(LINTER) run --allow-parallel-runners --config ../../../.golangci.yml ./...
	cd benchmarks && $(LINTER) run --allow-parallel-runners --config ../.golangci.yml ./...
	cd internal/tools/release && $(LINTER) run --allow-parallel-runners --config ../../../.golangci.yml ./...

.PHONY: fmt
fmt: ## Format all Go code
	$(LINTER) fmt

.PHONY: generate
generate: ## Generate code and documentation from metadata.yaml
	@internal/tools/generate.sh

.PHONY: generate-check
generate-check: ## Fail if generated files are not up to date
	@internal/tools/generate.sh --check

.PHONY: tidy
tidy: ## Tidy every go.mod
	@for m in $(MODULES); do (cd "$$m" && go mod tidy); done

.PHONY: tidy-check
tidy-check: ## Fail if go.mod or go.sum is not tidy
	go mod tidy -diff
	cd internal/e2e && go mod tidy -diff
	cd benchmarks && go mod tidy -diff
	cd internal/tools/release && go mod tidy -diff
	cd internal/e2e/kubernetes && go mod tidy -diff

.PHONY: check
check: ## Everything that must hold before a merge
	@$(MAKE) --no-print-directory tidy-check
	@$(MAKE) --no-print-directory generate-check
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory cross
	@$(MAKE) --no-print-directory test-full
	@$(MAKE) --no-print-directory demo
	@$(MAKE) --no-print-directory e2e
	@$(MAKE) --no-print-directory chaos CHAOS=-short
	@$(MAKE) --no-print-directory hostile HOSTILE=-short
	@$(MAKE) --no-print-directory fuzz FUZZTIME=$(CHECK_FUZZTIME)

# A number of inputs, not a time: the check does the same work on every machine. `make fuzz` looks longer.
CHECK_FUZZTIME ?= 500x

.PHONY: clean
clean: ## Remove what was built
	rm -rf dist .cache
