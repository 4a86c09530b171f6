#!/usr/bin/env bash
# Builds the artifacts of a release into dist/release: archives of the collector and the command, their bills of materials, an OCI image,
# notes and checksums. It needs GNU tar and curl beside Go and git, and nothing from a network except the module proxy. The texts in the
# archives are those of the last commit. CONTRIBUTING.md says what is left to a person with keys.
#   PLATFORMS=linux/amd64,windows/arm64   only these
#   TWICE=yes                             builds the last commit once more in another folder, and compares all bytes
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "release: $*" >&2; exit 1; }
git() { command git -c safe.directory="$PWD" -c tar.umask=022 "$@"; }
setting() { sed -n "s/^  $1: *//p" builder-config.yaml | head -1; }

name=$(setting name) version=$(setting version)
epoch=$(git log -1 --format=%ct) # the time of every file
all="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"
platforms=${PLATFORMS:-$all} platforms=${platforms//,/ }
for platform in $platforms; do
	case " $all " in *" $platform "*) ;; *) fail "PLATFORMS: $platform is none of $all" ;; esac
done
out=$PWD/dist/release
layout=$out/${name}_${version}_oci
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C
# A variable that changes the bytes of a binary has one value.
export CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOWORK=off GOFLAGS='-buildvcs=false -mod=readonly'

rm -rf "$out" && mkdir -p "$out"
go tool -modfile=internal/tools/go.mod builder --skip-compilation --config=builder-config.yaml
(cd internal/tools/release && go build -o "$work/release" .)

# compile makes the program $1 of package $3 in folder $2 for the platform, and its archive with the texts that follow.
compile() {
	local program=$1 folder=$2 package=$3 os=${platform%/*} arch=${platform#*/} exe='' format=tar.gz
	shift 3
	[ "$os" != windows ] || exe=.exe format=zip
	local binary=$work/bin/$os-$arch/$program$exe
	echo "release: $program for $platform"
	(cd "$folder" && GOOS=$os GOARCH=$arch go build -trimpath -ldflags="-s -w -buildid= -X main.released=$version" -o "$binary" "$package")
	git archive -9 --format=$format --output="$out/${program}_${version}_${os}_$arch.$format" --add-file="$binary" HEAD LICENSE README.md CHANGELOG.md "$@"
}
for platform in $platforms; do
	compile "$name" dist . config.schema.yaml 'examples/*.yaml'
	compile toolcorrectness . ./cmd/toolcorrectness
done

"$work/release" "$work/bin" "$out" "$name" "$version" "$(setting description)" "$epoch"
tar --format=ustar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$layout" -cf "$layout.tar" .

# The notes are the changelog's section about the version or, until there is one, about what is unreleased.
section() { awk -v want="$1" '/^## / { on = $2 == want; next } on' CHANGELOG.md | sed '/./,$!d'; }
notes=$(section "$version")
[ "$notes" ] || notes=$(section Unreleased)
[ "$notes" ] || fail "CHANGELOG.md must have a section $version or Unreleased with text in it"
echo "$notes" >"$out/release-notes.md"
(cd "$out" && find -- * -type f | sort | xargs sha256sum >"$work/sums" && mv "$work/sums" checksums.txt)

# The image must start and be healthy: below its own files as its own user, if this is root.
start() {
	local root=$work/root port=$((20000 + RANDOM % 20000)) user program config pid
	mkdir -m 755 "$root"
	read -r user program config < <("$work/release" "$layout" "$(go env GOHOSTARCH)" "$root")
	local enter=("$root$program" "${config/=/=$root}")
	[ "$(id -u)" != 0 ] || enter=(chroot --userspec="$user" "$root" "$program" "$config")
	timeout 90 "${enter[@]}" --config="yaml:extensions::health_check::endpoint: 127.0.0.1:$port" --config="yaml:service::telemetry::metrics::level: none" \
		--config="yaml:receivers::otlp::protocols: { grpc: { endpoint: 127.0.0.1:0 }, http: { endpoint: 127.0.0.1:0 } }" >"$work/log" 2>&1 &
	pid=$!
	if curl -sf -o /dev/null --retry 30 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$port" && kill $pid && wait $pid; then
		echo "release: the image starts, is healthy as user $user and ends"
		return
	fi
	cat "$work/log" >&2
	fail "the image does not start, is not healthy or does not end well"
}
case " $platforms " in *" $(go env GOHOSTOS)/$(go env GOHOSTARCH) "*) [ "$(go env GOHOSTOS)" != linux ] || start ;; esac

if [ "${TWICE:-}" ]; then
	git clone -q . "$work/copy"
	TWICE='' "$work/copy/internal/tools/release.sh" >/dev/null
	diff "$out/checksums.txt" "$work/copy/dist/release/checksums.txt"
	echo "release: two builds in two folders, $(wc -l <"$out/checksums.txt") files, the same bytes"
fi
echo "release: $name $version is in $out"
