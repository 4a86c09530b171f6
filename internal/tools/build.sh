#!/usr/bin/env bash
# Builds the distribution into dist/ with the OpenTelemetry Collector Builder.
# Nothing is done while what goes into the binary is unchanged: the manifest, the module's dependencies,
# the files that the processor is compiled from, the builder itself, and the version of Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

binary=dist/otelcol-tool-correctness
stamp=dist/.inputs

# One line for each file of this module that the processor is compiled from, relative to the module.
sources() {
	go list -deps -f '{{if .Module}}{{if .Module.Main}}{{$d := .ImportPath}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}' . ./connector | sed "s|^$(go list -m)/||" | sort
}

inputs() {
	go version
	{
		printf '%s\n' builder-config.yaml go.mod go.sum internal/tools/go.mod internal/tools/go.sum internal/tools/build.sh
		sources
	} | while read -r file; do
		if [ -n "$file" ]; then printf '%s %s\n' "$(git hash-object --no-filters "$file")" "$file"; fi
	done
}

want=$(inputs)
if [ -x "$binary" ] && [ "$want" = "$(cat "$stamp" 2>/dev/null)" ]; then
	echo "build: $binary is up to date"
	exit 0
fi

rm -f "$stamp"
# -buildvcs=false: the binary is stamped with the manifest's version; a checkout that git does not trust builds as well.
GOFLAGS="$(go env GOFLAGS) -buildvcs=false" go tool -modfile=internal/tools/go.mod builder --config=builder-config.yaml
printf '%s\n' "$want" >"$stamp"
