#!/usr/bin/env bash
# Runs the tests of the module with the race detector, and those of the benchmarks and of the release without, as one run: a line for each
# package when it ends, what failed in full, and last how many tests passed. Arguments are handed to go test.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Half an hour for each package, because go test's own ten minutes are too short on a slow or busy machine.
events() {
	local status=0
	go test -json -race -shuffle=on -timeout=30m "$@" ./... || status=1
	(cd benchmarks && go test -json -timeout=30m "$@" ./...) || status=1
	(cd internal/tools/release && go test -json "$@" ./...) || status=1
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
	echo "test: go test -race ${*:+$* }./..., a line for each package when it ends; compiling comes first"
	go tool -modfile=internal/tools/go.mod gotestsum --format=pkgname-and-test-fails --format-icons=text --format-hide-empty-pkg \
		--hide-summary=skipped --post-run-command="internal/tools/test.sh --count" --raw-command -- internal/tools/test.sh --events "$@"
	;;
esac
