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

# in_packages DIRECTORY - what the packages have of it, each as often as they have it.
in_packages() { sed -n "s|^usr/$1/||p" "$DEBIAN"/*.install | sort; }

@test "each program and each of its manuals is in one of the packages" {
	diff <(in_packages bin) <(find "$NHM_BIN" -type f -executable -printf '%f\n' | sort) >&2
	diff <(in_packages share/man/man1) <(basename -a "$ROOT"/tools/*/*.1 | sort) >&2
}

@test "each unit and each file for systemd-sysusers is in one of the packages" {
	diff <(sed -n 's|^\*/systemd/system/||p' "$DEBIAN"/*.install | sort) \
		<(basename -a "$ROOT"/dist/*.service "$ROOT"/dist/*.timer | sort) >&2
	grep -q -x usr/lib/sysusers.d "$DEBIAN/nic-health-monitor.install"
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
