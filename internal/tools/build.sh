#!/usr/bin/env bash
# Builds a distribution with the OpenTelemetry Collector Builder: that of the manifest $1, or of builder-config.yaml.
# Nothing is done while what goes into the binary is unchanged: the manifest, the module's dependencies,
# the files that the processor is compiled from, the builder itself, and the version of Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

manifest=${1:-builder-config.yaml}
# setting prints the value of a key in the manifest's part dist.
setting() { sed -n "s/^  $1: *//p" "$manifest" | head -1; }

folder=$(setting output_path)
binary=$folder/$(setting name)
stamp=$folder/.inputs

# One line for each file of this module that the processor is compiled from, relative to the module.
sources() {
	go list -deps -f '{{if .Module}}{{if .Module.Main}}{{$d := .ImportPath}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}' . ./connector ./exporter | sed "s|^$(go list -m)/||" | sort
}

inputs() {
	go version
	{
		printf '%s\n' "$manifest" go.mod go.sum internal/tools/go.mod internal/tools/go.sum internal/tools/build.sh
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

mkdir -p "$folder" # the builder makes one folder, not those above it
rm -f "$stamp"
# -buildvcs=false: the binary is stamped with the manifest's version; a checkout that git does not trust builds as well.
GOFLAGS="$(go env GOFLAGS) -buildvcs=false" go tool -modfile=internal/tools/go.mod builder --config="$manifest"
printf '%s\n' "$want" >"$stamp"
