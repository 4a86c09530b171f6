#!/usr/bin/env bash
# Runs mdatagen over metadata.yaml. With --check nothing is written: it fails when a generated file is not what mdatagen would write.
# mdatagen names the package after the folder it runs in, so it runs on a copy in a folder of the right name.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/toolcorrectnessprocessor
mkdir "$copy"
cp metadata.yaml doc.go go.mod go.sum "$copy"

tools=$PWD/internal/tools/go.mod
(cd "$copy" && go tool -modfile="$tools" mdatagen metadata.yaml)

# The files that mdatagen wrote or once wrote, relative to the folder $1.
generated() {
	(cd "$1" && find . -path ./.git -prune -o -type f \( -path ./documentation.md -o -path './generated_*_test.go' -o -path './internal/metadata*/generated_*' \) -print | sort)
}

if [ "${1:-}" != --check ]; then
	generated . | while read -r file; do rm "$file"; done
	generated "$copy" | while read -r file; do
		mkdir -p "$(dirname "$file")"
		cp "$copy/$file" "$file"
	done
	exit 0
fi

stale=0
while read -r file; do
	diff -uN "$file" "$copy/$file" || stale=1
done < <({ generated .; generated "$copy"; } | sort -u)
if [ "$stale" = 1 ]; then
	echo "generate: generated files are not up to date; run 'make generate'" >&2
	exit 1
fi
echo "generate: up to date"
