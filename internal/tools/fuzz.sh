#!/usr/bin/env bash
# Runs every fuzz target of the module, each for the time (10s) or the number of inputs (1000x) given. Finding none is a failure.
# A package's targets run from one binary, because linking one for each takes longer than a thousand inputs.
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:-10s}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=$(go env GOCACHE)/fuzz

# Before Go 1.27 a target whose time is up may fail with a bare "context deadline exceeded" (https://go.dev/issue/75804).
# A real finding writes its input down.
fuzz() {
	"$work/fuzz.test" -test.run '^$' -test.fuzz "^$1\$" -test.fuzztime "$time" -test.fuzzcachedir "$corpus/$2" 2>&1 </dev/null |
		tee "$work/log" && return
	grep -q '^ *context deadline exceeded$' "$work/log" && ! grep -q 'Failing input written' "$work/log" || return 1
	echo "fuzz: nothing was found; the time was up in the middle of an input"
}

ran=0
while read -r folder package; do
	targets=$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$folder"/*_test.go)
	if [ -z "$targets" ]; then continue; fi
	go test -c -fuzz '^Fuzz' -o "$work/fuzz.test" "$package"
	for target in $targets; do
		echo "fuzz: $package $target for $time"
		(cd "$folder" && fuzz "$target" "$package")
		ran=$((ran + 1))
	done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}} {{.ImportPath}}{{end}}' ./...)

if [ "$ran" = 0 ]; then
	echo "fuzz: no fuzz target found" >&2
	exit 1
fi
echo "fuzz: $ran targets held their laws"
