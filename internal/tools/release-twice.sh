#!/usr/bin/env bash
# Builds the release once more, from a copy of the checkout in another folder, and compares the checksums of all files.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -c safe.directory="$PWD" ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$copy"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$PWD" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
(cd "$copy/internal/tools/release" && go run . -start=false "$@")
diff dist/release/checksums.txt "$copy/dist/release/checksums.txt"
echo "release: two builds in two folders, $(wc -l <dist/release/checksums.txt) files, the same bytes"
