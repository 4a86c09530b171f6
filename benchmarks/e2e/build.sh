#!/usr/bin/env bash
# Builds the collector of the load test with the OpenTelemetry Collector Builder into .cache/otelcol-bench, and prints
# the path of the binary. Nothing is done while what goes into it is unchanged, as in internal/tools/build.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

manifest=benchmarks/e2e/builder-config.yaml
binary=.cache/otelcol-bench/otelcol-bench
stamp=.cache/otelcol-bench/.inputs

# One line for each file of this module that the processor is compiled from, relative to the module.
sources() {
	go list -deps -f '{{if .Module}}{{if .Module.Main}}{{$d := .ImportPath}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}' . | sed "s|^$(go list -m)/||" | sort
}

inputs() {
	go version
	{
		printf '%s\n' "$manifest" go.mod go.sum internal/tools/go.mod internal/tools/go.sum benchmarks/e2e/build.sh
		sources
	} | while read -r file; do
		if [ -n "$file" ]; then printf '%s %s\n' "$(git hash-object --no-filters "$file")" "$file"; fi
	done
}

want=$(inputs)
if [ ! -x "$binary" ] || [ "$want" != "$(cat "$stamp" 2>/dev/null)" ]; then
	mkdir -p "$(dirname "$stamp")"
	rm -f "$stamp"
	# -buildvcs=false: a checkout that git does not trust builds as well.
	GOFLAGS="$(go env GOFLAGS) -buildvcs=false" go tool -modfile=internal/tools/go.mod builder --config="$manifest" >&2
	printf '%s\n' "$want" >"$stamp"
fi
printf '%s\n' "$PWD/$binary"
