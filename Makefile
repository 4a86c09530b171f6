# `make` or `make help` lists the targets. `make check` needs Go, git, make, bash and a C compiler (for the race detector). The
# tests `make e2e WITH=...` that need other programs install them, or say what is missing.
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
ROUNDS   ?= 6
CROSS    ?= darwin windows

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  %-15s %s\n' "$$name" "$$text"; done

.PHONY: build
build: ## Build the collector into dist/, unless it is up to date
	@internal/tools/build.sh

.PHONY: release
release: ## Build archives, bills of materials, an OCI image, notes and checksums into dist/release (minutes; PLATFORMS=linux/amd64 for some; TWICE=yes compares a second build)
	@PLATFORMS='$(PLATFORMS)' TWICE='$(TWICE)' internal/tools/release.sh

.PHONY: cross
cross: ## Compile and vet for macOS and Windows, or the systems in CROSS (-trimpath, so that a release finds it compiled)
	@for os in $(CROSS); do echo "cross: go vet for $$os"; CGO_ENABLED=0 GOOS=$$os GOFLAGS="$$(go env GOFLAGS) -trimpath" go vet ./...; done

.PHONY: compat
compat: ## Try the last four releases of the Collector with the two newest minor versions of Go (half an hour; RELEASES=v0.163.0,v0.164.0 for some)
	@RELEASES=$(RELEASES) GOVERSIONS=$(GOVERSIONS) internal/tools/compat.sh

.PHONY: demo
demo: ## Score the recorded traces in testdata/traces and print the verdicts
	@go build -o dist/toolcorrectness ./cmd/toolcorrectness
	@dist/toolcorrectness -config examples/demo.yaml -pass-rate 0 testdata/traces/*.jsonl
	@dist/toolcorrectness -config examples/demo.yaml -format html -pass-rate 0 -o dist/demo.html testdata/traces/*.jsonl
	@echo "the same as a page to look at: dist/demo.html"

# `make lint` and `make cross` vet, so the tests do not. GOGC=400 collects garbage a quarter as often, and GOMEMLIMIT collects it
# again as often where tests hold much. GORACE spares each program that the race detector watches a second of sleep at its end.
.PHONY: test
test: ## Run the module's tests in two minutes: of sizes and random inputs a part, and what has no goroutines without the race detector
	@GOGC=400 GOMEMLIMIT=512MiB GORACE=atexit_sleep_ms=10 internal/tools/test.sh -vet=off

# It holds gigabytes on purpose, so garbage is collected half as often, not a quarter, and memory has no limit.
.PHONY: test-full
test-full: ## The same, then all sizes without the race detector (a million calls, texts of 100 MB, 3 GiB of memory), and the tests of benchmarks and release
	@GOGC=200 GORACE=atexit_sleep_ms=10 internal/tools/test.sh --all -vet=off

.PHONY: e2e
e2e: ## Send OTLP to the built collector with real exporters and look at what comes out (WITH=pipelines and others: see internal/tools/e2e.sh)
ifdef WITH
	@CASES=$(CASES) FLEET=$(FLEET) DATA=$(DATA) internal/tools/e2e.sh $(WITH)
else
	@internal/tools/build.sh
	@internal/tools/e2e.sh kubernetes
	cd internal/e2e && go test -race -count=1 -timeout=30m ./...
endif

.PHONY: e2e-benchmarks
e2e-benchmarks: ## Compare verdicts with those that BFCL, tau2-bench, RestBench and tau-bench published (DATA=folder, or it is fetched)
	@$(MAKE) --no-print-directory e2e WITH=benchmarks

.PHONY: chaos
chaos: build ## Kill, stop, fill and refuse the built collector under load and count what is lost (CHAOS=-short takes a minute)
	cd internal/e2e && go test -tags chaos -count=1 -timeout=10m -v . -run '^TestChaos' -skip Fleet $(CHAOS)

.PHONY: hostile
hostile: ## Attack verdicts, and the processor beside an honest victim (HOSTILE=-short takes about a minute)
	cd internal/e2e && go test -tags hostile -count=1 -timeout=15m -v ./hostile $(HOSTILE)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (10s; 5000x is a number of inputs)
	@internal/tools/fuzz.sh $(FUZZTIME)

# Rounds are separate runs, so that what changes on the machine meanwhile meets all processors.
.PHONY: bench
bench: ## Compare the processor with its neighbours in ROUNDS (6) rounds
	@mkdir -p .cache && rm -f .cache/neighbours.txt
	@for round in $$(seq $(ROUNDS)); do \
		(cd benchmarks && go test -run '^$$' -bench '$(BENCH)' -benchtime 1x -timeout 1h .) | tee -a .cache/neighbours.txt; \
	done
	@go tool -modfile=internal/tools/bench/go.mod benchstat -row .name,/traffic -col /with .cache/neighbours.txt

.PHONY: microbench
microbench: ## Run the Go benchmarks BENCH (all) COUNT (10) times and compare with the last run
	@mkdir -p .cache
	@if [ -f .cache/bench.txt ]; then mv .cache/bench.txt .cache/bench-before.txt; fi
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./... | tee .cache/bench.txt
	@go tool -modfile=internal/tools/bench/go.mod benchstat $$(ls .cache/bench-before.txt 2>/dev/null) .cache/bench.txt

.PHONY: lint
lint: ## Run the linters
	$(LINTER) run --allow-parallel-runners ./...
	cd internal/e2e && $(LINTER) run --allow-parallel-runners --build-tags alerts,backends,benchmarks,browser,chaos,contrib,hostile --config ../../.golangci.yml ./...
	cd internal/e2e/kubernetes && $(LINTER) run --allow-parallel-runners --config ../../../.golangci.yml ./...
	cd benchmarks && $(LINTER) run --allow-parallel-runners --config ../.golangci.yml ./...
	cd internal/tools/release && $(LINTER) run --allow-parallel-runners --config ../../../.golangci.yml ./...

.PHONY: fmt
fmt: ## Format all Go code
	$(LINTER) fmt

.PHONY: generate
generate: ## Generate code and documentation from metadata.yaml, and config.schema.yaml from the types
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
	@$(MAKE) --no-print-directory cross CROSS=windows
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
