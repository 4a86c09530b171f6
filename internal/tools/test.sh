#!/usr/bin/env bash
# Runs the tests of the module as one run: a line for each package when it ends, what failed in full, and last how many tests passed.
# Arguments are handed to go test.
#
# The race detector watches all packages but those in unraced: nothing in them or in their tests starts a goroutine, and it would make
# their tests five times as long. What mdatagen wrote has tests that it wrote too, and they are left out. With --all as the first argument,
# nothing is left out and the race detector watches all of the module. The modules of the benchmarks and of the release are added, without
# it. Both compile the whole module once more.
set -euo pipefail
cd "$(dirname "$0")/../.."

unraced=(./scoring/... ./internal/dialect/...)

# Half an hour for each package, because go test's own ten minutes are too short on a slow or busy machine. The processor's tests take
# longest, so they begin first.
events() {
	local status=0 others
	others=$(go list ./... | grep -vxFf <(go list "${unraced[@]}") | grep -v /internal/metadata)
	if [ "${1:-}" = --all ]; then
		shift
		go test -json -race -shuffle=on -timeout=30m "$@" ./processor ./... || status=1
		(cd benchmarks && go test -json -timeout=30m "$@" ./...) || status=1
		(cd internal/tools/release && go test -json "$@" ./...) || status=1
	else
		# shellcheck disable=SC2086 # a package is a word
		go test -json -race -shuffle=on -timeout=30m "$@" ./processor $others || status=1
		go test -json -shuffle=on -timeout=30m "$@" "${unraced[@]}" || status=1
	fi
	return "$status"
}

# gotestsum starts this script again, for the events of the tests, and when they have ended.
case ${1:-} in
--events)
	shift
	events "$@"
	;;
--count)
	echo "tests: $((TESTS_TOTAL - TESTS_FAILED - TESTS_SKIPPED)) passed, $TESTS_FAILED failed, $TESTS_SKIPPED skipped"
	;;
*)
	flags=${*#--all}
	echo "test: go test ${flags:+$flags }./..., a line for each package when it ends; compiling comes first"
	go tool -modfile=internal/tools/go.mod gotestsum --format=pkgname-and-test-fails --format-icons=text --format-hide-empty-pkg \
		--hide-summary=skipped --post-run-command="internal/tools/test.sh --count" --raw-command -- internal/tools/test.sh --events "$@"
	;;
esac
