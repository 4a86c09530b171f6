#!/usr/bin/env bash
# Makes sure that Chromium and xmllint are there, which look at what the command reports. Debian's packages are installed where they
# are missing. Elsewhere the user installs them. CHROMIUM names another browser.
set -euo pipefail

missing=()
have() { command -v "$1" >/dev/null; }
[ -n "${CHROMIUM:-}" ] || have chromium || have chromium-browser || have google-chrome || missing+=(chromium)
have xmllint || missing+=(libxml2-utils)
if [ ${#missing[@]} = 0 ]; then exit 0; fi

if ! have apt-get || [ "$(id -u)" != 0 ]; then
	echo "report-tools: ${missing[*]} (names of Debian's packages) must be installed" >&2
	exit 1
fi
apt-get update -q
apt-get install -y -q --no-install-recommends "${missing[@]}"
