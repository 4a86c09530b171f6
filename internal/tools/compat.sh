#!/usr/bin/env bash
# Tries this module with releases of the Collector and with versions of Go, and prints a table of the results: `make compat`.
# RELEASES=v0.163.0,v0.164.0 names the releases (the last four), GOVERSIONS=1.26.8 the versions of Go (the newest of the two newest
# minor versions). An attempt works in a copy of the checkout, which stays as it is. It sets all modules of the Collector to one
# release, then compiles, vets and tests. Modules and versions of Go come through the module proxy, and from nowhere else.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOWORK=off GOPROXY
GOPROXY=$(go env GOPROXY | sed 's/[,|]direct$//')

core=go.opentelemetry.io/collector contrib=github.com/open-telemetry/opentelemetry-collector-contrib
# v0.158.0 and v1.64.0 are one release: its modules that promise compatibility have v1.
stable_behind=94

# releases prints the minor versions of the releases, such as 164.
releases() {
	if [ -n "${RELEASES:-}" ]; then
		tr , '\n' <<<"$RELEASES" | sed -n 's/^v0\.\([0-9]*\)\.0$/\1/p'
		return
	fi
	local newest
	newest=$(go list -m -versions $core/component | tr ' ' '\n' | sed -n 's/^v1\.\([0-9]*\)\.0$/\1/p' | sort -n | tail -1)
	seq $((newest + stable_behind - 3)) $((newest + stable_behind))
}

# versions prints the versions of Go. Where the newest patch cannot be had, the installed Go of that minor version serves.
versions() {
	if [ -n "${GOVERSIONS:-}" ]; then
		tr , '\n' <<<"$GOVERSIONS"
		return
	fi
	local platform version installed
	platform=$(go env GOOS)-$(go env GOARCH)
	installed=$(GOTOOLCHAIN=local go env GOVERSION)
	go list -m -versions golang.org/toolchain | tr ' ' '\n' | sed -n "s/^v0\.0\.1-go\(1\.[0-9]*\.[0-9]*\)\.$platform\$/\1/p" |
		sort -Vr | awk -F. '!seen[$2]++' | head -2 | while read -r version; do
		if GOTOOLCHAIN=go$version go version >/dev/null 2>&1; then
			echo "$version"
		elif [ "${installed%.*}" = "go${version%.*}" ]; then
			echo "${installed#go}"
		else
			echo "$version"
		fi
	done
}

# version prints the version that the module $1 has in the release $2; $3 is the version that go.mod has. OTTL counts by itself from
# v1.0.0 on: it is the newest one that requires the release's modules.
version() {
	local v0=v0.$2.0 v1=v1.$(($2 - stable_behind)).0 candidate
	local likely="$v0 $v1"
	case $3 in v1.*) likely="$v1 $v0" ;; esac
	for candidate in $likely; do
		if go mod download "$1@$candidate" 2>/dev/null; then
			echo "$candidate"
			return
		fi
	done
	for candidate in $(go list -m -versions "$1" 2>/dev/null | tr ' ' '\n' | grep '^v1\.' | tail -8 | tac); do
		if grep -qE "$core/(component|pdata) ${v1//./\\.}\$" "$(go mod download -json "$1@$candidate" 2>/dev/null | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')" 2>/dev/null; then
			echo "$candidate"
			return
		fi
	done
	echo "the module proxy has no $1 of v0.$2.0" >&2
	return 1
}

# required prints the modules of the Collector that go.mod names, with their versions: "direct" or "indirect" comes first.
required() {
	go list -m -f '{{if not .Main}}{{if .Indirect}}indirect{{else}}direct{{end}} {{.Path}} {{.Version}}{{end}}' all | grep -E " ($core|$contrib)/"
}

# resolve sets the Collector's modules to the release $1. It fails if another module requires a newer release of one of them.
resolve() {
	local kind path have want raised edit=()
	local -A wanted=()
	while read -r kind path have; do
		if [ "$kind" = indirect ]; then
			edit+=("-droprequire=$path")
		else
			want=$(version "$path" "$1" "$have") || return 1
			wanted[$path]=$want
			edit+=("-require=$path@$want")
		fi
	done < <(required)
	[ ${#wanted[@]} -gt 0 ] && go mod edit "${edit[@]}" && go mod tidy || return 1
	for path in "${!wanted[@]}"; do
		raised=$(go list -m -f '{{.Version}}' "$path")
		if [ "${raised%.*}" != "${wanted[$path]%.*}" ]; then # a patch is of the same release
			echo "$path is raised from ${wanted[$path]} to $raised" >&2
			return 1
		fi
	done
}

steps=(resolve compile vet tests)
compile() { go build ./...; }
vet() { go vet ./...; }
tests() { go test -short -timeout=30m . ./internal/acceptance ./processor; }

# attempt prints a row of the table for the release $1 and the Go $2. Its status is 1 if all could be had and a later step failed.
attempt() {
	local copy row="| v0.$1.0 | $2 |" step rest=yes status=0
	copy=$(mktemp -d)
	git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$copy"
	for step in "${steps[@]}"; do
		if [ "$rest" != yes ]; then
			row+=" – |"
		elif (cd "$copy" && export GOTOOLCHAIN="go$2" && "$step" "$1" >&2); then
			row+=" yes |"
		else
			row+=" no |" rest=no
			[ "$step" = resolve ] || status=1
		fi
	done
	rm -rf "$copy"
	echo "$row"
	return $status
}

broken=0 rows=
for release in $(releases); do
	for version in $(versions); do
		echo "compat: Collector v0.$release.0, Go $version" >&2
		rows+=$(attempt "$release" "$version")$'\n' || broken=1
	done
done
printf '| Collector | Go | resolves | compiles | vet | tests |\n|---|---|---|---|---|---|\n%s' "$rows"
exit $broken
