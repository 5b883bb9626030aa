#!/usr/bin/env bats
# What Debian's packages are made of; test/packaging/run builds and tries them.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	DEBIAN=$ROOT/dist/debian
}

@test "the packages have the version of the programs" {
	[ "$(sed -n '1s/^nic-health-monitor (\(.*\)) .*/\1/p' "$DEBIAN/changelog")" = \
		"$(ibscan --version | sed 's/.* //')" ]
}

@test "what systemd-sysusers is to make is made before the service starts" {
	local file
	for file in "$ROOT"/dist/*.conf; do
		grep -q -F "${file##*/}" "$DEBIAN/nic-health-monitor.postinst"
	done
}

@test "the user of the unit is made when the package is installed" {
	local user
	user=$(sed -n 's/^User=//p' "$ROOT/dist/nic-health-monitor.service")
	install -D -m 644 -t "$T/root/usr/lib/sysusers.d" "$ROOT"/dist/nic-health-monitor*.conf
	run systemd-sysusers --dry-run --root="$T/root" nic-health-monitor.conf
	status_is 0
	[[ $output = *"Creating user '$user'"* ]]
}

@test "the configuration as it is installed changes nothing, and each line of it is valid" {
	ctreval --check-config --config /dev/null >"$T/default"
	run --separate-stderr ctreval --check-config --config "$ROOT/dist/config.yaml"
	status_is 0
	diff "$T/default" <(echo "$output") >&2
	sed 's/^#\([a-z]\|  \)/\1/' "$ROOT/dist/config.yaml" >"$T/config.yaml"
	none cmp -s "$T/config.yaml" "$ROOT/dist/config.yaml"
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 0
	[ "$stderr" = "" ]
	none diff "$T/default" <(echo "$output")
}

@test "the options as they are installed are none, and those that stand there exist" {
	# shellcheck disable=SC1091
	(unset OPTIONS && . "$ROOT/dist/default" && [ -z "${OPTIONS+set}" ])
	local option
	while read -r option; do
		nic-health-monitor --help | grep -q -e "$option "
	done < <(grep -o -e '--[a-z-]*' "$ROOT/dist/default")
}
