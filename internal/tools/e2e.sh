#!/usr/bin/env bash
# Runs the end-to-end tests that need more than Go: `make e2e WITH=name`. Programs that are installed lie below .cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD cases=${CASES:-2000}

tests() { (cd internal/e2e && go test -count=1 -timeout=30m "$@"); }
contrib() { internal/tools/build.sh internal/e2e/contrib/builder-config.yaml; }

# pip FOLDER PACKAGE... installs packages into a virtual environment of their own.
pip() {
	test -x "$1/bin/python" || python3 -m venv "$1"
	"$1/bin/pip" install -q --disable-pip-version-check --upgrade "${@:2}"
}

# checkout FOLDER REPOSITORY COMMIT PATH puts a folder of a pinned commit of GitHub into $DATA/FOLDER, unless it is there.
checkout() {
	local into=$DATA/$1
	if [ "$(git -C "$into" rev-parse -q --verify HEAD 2>/dev/null)" = "$3" ] && [ -d "$into/$4" ]; then return; fi
	rm -rf "$into" && git init -q "$into"
	git -C "$into" sparse-checkout set "$4"
	git -C "$into" fetch -q --depth 1 --filter=blob:none "https://github.com/$2" "$3" && git -C "$into" checkout -q FETCH_HEAD && return
	echo "e2e: cannot fetch https://github.com/$2. Elsewhere, put the folder $4 of commit $3 into FOLDER/$1, and say DATA=FOLDER" >&2
	exit 1
}

# promptfoo fetches the newest one.
promptfoo() {
	mkdir -p .cache/others/promptfoo
	(cd .cache/others/promptfoo && npm pack --silent promptfoo >/dev/null && tar xzf promptfoo-*.tgz)
	export PROMPTFOO=$root/.cache/others/promptfoo/package
}

# browser makes sure that Chromium and xmllint are there. Debian's packages are installed where they are missing. Elsewhere the user
# installs them. CHROMIUM names another browser.
browser() {
	local missing=()
	have() { command -v "$1" >/dev/null; }
	[ -n "${CHROMIUM:-}" ] || have chromium || have chromium-browser || have google-chrome || missing+=(chromium)
	have xmllint || missing+=(libxml2-utils)
	if [ ${#missing[@]} = 0 ]; then return; fi
	if ! have apt-get || [ "$(id -u)" != 0 ]; then
		echo "e2e: ${missing[*]} (names of Debian's packages) must be installed" >&2
		exit 1
	fi
	apt-get update -q
	apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# prometheus builds Prometheus and promtool without service discovery, which is most of them, and installs Grafana's library for the
# dashboard, whose version has an epoch.
prometheus() {
	mkdir -p .cache/alerts
	go build -modfile=internal/tools/prometheus/go.mod -tags remove_all_sd -o .cache/alerts/ github.com/prometheus/prometheus/cmd/prometheus github.com/prometheus/prometheus/cmd/promtool
	pip .cache/alerts/venv 'grafana-foundation-sdk==1769699998!10.1.0'
}

case ${1:-} in
kubernetes) # decodes the manifests strictly into Kubernetes' own types
	(cd internal/e2e/kubernetes && go test -count=1 ./...)
	;;
pipelines) # runs the examples of whole pipelines with components of the contrib repository; it builds a second collector
	contrib
	tests -race -tags contrib -run '^TestPipeline' .
	;;
fleet) # kills, adds and drains scorers behind a balancer, under load; FLEET=-short takes less time
	contrib
	tests -tags chaos -v . -run '^TestChaosFleet' -collector "$root/dist/contrib/otelcol-contrib-tool-correctness" ${FLEET:-}
	;;
report) # opens the report in Chromium, and checks its JUnit file by the schema
	browser
	tests -tags browser ./page ./formats
	;;
backends) # sends runs to the newest Phoenix and MLflow, and finds the scores by API and on their pages
	internal/tools/build.sh
	browser
	for name in arize-phoenix mlflow; do pip .cache/backends/$name $name; done
	tests -tags backends -run '^TestScoresIn' -v .
	;;
alerts) # has a real Prometheus fire and end each alert of examples/alerting on the built collector
	internal/tools/build.sh
	prometheus
	tests -tags alerts -run '^Test(Alert|Dashboard)' -v .
	;;
dashboard) # writes examples/alerting/dashboard.json
	prometheus
	.cache/alerts/venv/bin/python internal/e2e/testdata/alerts/dashboard.py >examples/alerting/dashboard.json
	;;
benchmarks) # compares verdicts with those that BFCL, tau2-bench, RestBench and tau-bench published; DATA=folder has checkouts of BFCL already
	if [ -z "${DATA:-}" ]; then
		DATA=$root/.cache/benchmarks/data
		mkdir -p "$DATA"
		checkout gorilla ShishirPatil/gorilla de8307b415d5e609be141e38f954a2850be4a4d5 berkeley-function-call-leaderboard
		checkout BFCL-Result HuanzhiMao/BFCL-Result b4adfc9be5e0c65e8dbb1340c689688eb92a9379 2024-08-11
	fi
	DATA=$(realpath "$DATA") tests -tags benchmarks -v ./yardsticks
	;;
deepeval) # compares the dry run with the newest DeepEval, which writes a folder where it runs, on CASES random runs
	pip .cache/deepeval deepeval
	(cd .cache && PYTHONHASHSEED=0 deepeval/bin/python ../internal/e2e/references/compare_deepeval.py --cases "$cases")
	;;
imports) # compares imported test cases with the newest Google ADK, DeepEval and promptfoo on 1000 random runs each
	mkdir -p .cache/imports && rm -f .cache/imports/*.tar.gz
	for name in google-adk deepeval; do
		pip .cache/others/$name $name pandas tabulate rouge-score
		(cd .cache/imports && PYTHONHASHSEED=0 ../others/$name/bin/python ../../internal/e2e/references/record_imports.py ${name#google-} \
			--cases 1000 --seed $RANDOM -o ${name#google-}.tar.gz)
	done
	promptfoo
	python3 internal/e2e/references/record_imports.py promptfoo --cases 1000 --seed $RANDOM -o .cache/imports/promptfoo.tar.gz
	IMPORTS=$root/.cache/imports go test ./cmd/toolcorrectness -run '^TestImportedCasesScoreAsTheirLibrary$' -count=1
	;;
others) # compares options of the native method with the newest releases of other libraries on 1000 random runs each
	mkdir -p .cache/others/fresh && rm -f .cache/others/fresh/*
	for name in agentevals pydantic-evals azure-ai-evaluation ragas google-adk mlflow-skinny; do
		pip .cache/others/$name $name pandas tabulate rouge-score
		.cache/others/$name/bin/python internal/e2e/references/record_others.py $name --seed $RANDOM -o .cache/others/fresh/$name.jsonl.gz
	done
	promptfoo
	python3 internal/e2e/references/record_others.py promptfoo -o .cache/others/fresh/promptfoo.jsonl.gz
	python3 internal/e2e/references/record_others.py vertex-documentation --seed $RANDOM -o .cache/others/fresh/vertex-documentation.jsonl.gz
	OTHERS=$root/.cache/others/fresh go test . -run '^TestNumbersOfOtherLibraries$' -count=1
	;;
*)
	echo "e2e: WITH must be kubernetes, pipelines, fleet, report, backends, alerts, dashboard, benchmarks, deepeval, imports or others, is '${1:-}'" >&2
	exit 2
	;;
esac
