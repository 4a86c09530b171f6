#!/usr/bin/env bash
# Runs the tests of the module with the race detector as one run: a line for each package when it ends, what failed in full, and last
# how many tests passed. Arguments are handed to go test. --all as the first one adds the modules of the benchmarks and of the release,
# without the race detector. Both compile the whole module once more.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Half an hour for each package, because go test's own ten minutes are too short on a slow or busy machine. The processor's tests take
# longest, so they begin first.
events() {
	local status=0 all=
	if [ "${1:-}" = --all ]; then
		all=yes
		shift
	fi
	go test -json -race -shuffle=on -timeout=30m "$@" ./processor ./... || status=1
	if [ "$all" ]; then
		(cd benchmarks && go test -json -timeout=30m "$@" ./...) || status=1
		(cd internal/tools/release && go test -json "$@" ./...) || status=1
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
	echo "test: go test -race ${flags:+$flags }./..., a line for each package when it ends; compiling comes first"
	go tool -modfile=internal/tools/go.mod gotestsum --format=pkgname-and-test-fails --format-icons=text --format-hide-empty-pkg \
		--hide-summary=skipped --post-run-command="internal/tools/test.sh --count" --raw-command -- internal/tools/test.sh --events "$@"
	;;
esac
