#!/usr/bin/env bash
# Runs the tests of the module as one run: a line for each package when it ends, what failed in full, and last how many tests passed.
# Arguments are handed to go test.
#
# The race detector watches all packages but those in unraced: nothing in them or in their tests starts a goroutine, and it would make
# their tests five times as long. It sees of sizes and random inputs a part: more of them race no more. What mdatagen wrote has tests that it wrote
# too, and they are left out. With --all as the first argument, all tests run once more, in full and without the race detector, and those of the
# benchmarks and of the release.
set -euo pipefail
cd "$(dirname "$0")/../.."

unraced=(./scoring/... ./internal/dialect)

# Half an hour for each package, because go test's own ten minutes are too short on a slow or busy machine. The processor's tests take
# longest, so they begin first.
events() {
	local status=0 all='' raced
	if [ "${1:-}" = --all ]; then all=yes && shift; fi
	raced=$(go list ./... | grep -vxFf <(go list "${unraced[@]}") | grep -v /internal/metadata)
	# shellcheck disable=SC2086 # a package is a word
	go test -json -race -short -shuffle=on -timeout=30m "$@" ./processor $raced || status=1
	if [ -n "$all" ]; then
		go test -json -shuffle=on -timeout=30m "$@" ./processor ./... || status=1
		(cd benchmarks && go test -json -timeout=30m "$@" ./...) || status=1
		(cd internal/tools/release && go test -json "$@" ./...) || status=1
	else
		go test -json -short -shuffle=on -timeout=30m "$@" "${unraced[@]}" || status=1
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
