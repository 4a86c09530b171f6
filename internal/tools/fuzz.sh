#!/usr/bin/env bash
# Runs every fuzz target of the module, each for the time (10s) or the number of inputs (1000x) given. Finding none is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:-10s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Before Go 1.27 a target whose time is up may fail with a bare "context deadline exceeded" (https://go.dev/issue/75804).
# A real finding writes its input down.
fuzz() {
	go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "$1" 2>&1 </dev/null | tee "$log" && return
	grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log" || return 1
	echo "fuzz: nothing was found; the time was up in the middle of an input"
}

# "go test -list" prints a package's targets, then a line "ok <package> <seconds>".
targets=()
ran=0
listing=$(go test -list '^Fuzz' ./...)
while read -r word package _; do
	case $word in
	Fuzz*) targets+=("$word") ;;
	ok)
		for target in ${targets[@]+"${targets[@]}"}; do
			echo "fuzz: $package $target for $time"
			fuzz "$package" "$target"
			ran=$((ran + 1))
		done
		targets=()
		;;
	esac
done <<<"$listing"

if [ "$ran" = 0 ]; then
	echo "fuzz: no fuzz target found" >&2
	exit 1
fi
echo "fuzz: $ran targets held their laws"
