#!/usr/bin/env bash
# Runs mdatagen over the metadata.yaml of each component, and makes config.schema.yaml. With --check nothing is written: it fails
# when a generated file is not what would be written. mdatagen names the package after the folder it runs in, so it runs on copies
# in folders of the right names. The schema is made by a test of the package, which sees its words and defaults.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The files that mdatagen wrote or once wrote, relative to the folder $1.
generated() {
	(cd "$1" && find . \( -path ./.git -o -path ./connector -o -path ./exporter \) -prune -o -type f \
		\( -path ./documentation.md -o -path './generated_*_test.go' -o -path './internal/metadata*/generated_*' \) -print | sort)
}

# mdatagen makes the files of the component in folder $1, in folder $2.
mdatagen() {
	mkdir -p "$2"
	cp "$1/metadata.yaml" "$1/doc.go" "$2"
	(cd "$2" && go tool -modfile="$root/internal/tools/go.mod" mdatagen metadata.yaml)
}

# component writes or compares the files of the component in folder $1 with those in folder $2.
component() {
	local here=$1 copy=$2 file stale=0
	if [ "$check" = 0 ]; then
		generated "$here" | while read -r file; do rm "$here/$file"; done
		generated "$copy" | while read -r file; do
			mkdir -p "$(dirname "$here/$file")"
			cp "$copy/$file" "$here/$file"
		done
		return 0
	fi
	while read -r file; do
		diff -uN "$here/$file" "$copy/$file" || stale=1
	done < <({ generated "$here"; generated "$copy"; } | sort -u)
	return "$stale"
}

check=0
[ "${1:-}" != --check ] || check=1

processor=$work/toolcorrectnessprocessor
mkdir "$processor"
cp go.mod go.sum "$processor"
mdatagen . "$processor"
# A part is the component in folder $1, whose package is $2. Its copy has another folder, so its import path differs.
part() {
	mdatagen "$1" "$processor/$2"
	find "$processor/$2" -name '*.go' -exec sed -i "s|toolcorrectnessprocessor/$2|toolcorrectnessprocessor/$1|g" {} +
	mv "$processor/$2" "$work/$1"
}
part connector toolcorrectnessconnector
part exporter toolcorrectnessscoresexporter

stale=0
component . "$processor" || stale=1
component connector "$work/connector" || stale=1
component exporter "$work/exporter" || stale=1
go test . -count=1 -run '^TestSchemaIsThatOfTheTypes$' $([ "$check" = 1 ] || echo -update) || stale=1
if [ "$stale" = 1 ]; then
	echo "generate: generated files are not up to date; run 'make generate'" >&2
	exit 1
fi
[ "$check" = 0 ] || echo "generate: up to date"
