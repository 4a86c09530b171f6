#!/usr/bin/env bash
# Runs every fuzz target of the module, each for the time given (default 10s). Finding none is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:-10s}

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
			go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
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
