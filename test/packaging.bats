#!/usr/bin/env bats
# packaging: the sources of the packages; test/packaging/run builds and tests them.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	DEBIAN=$ROOT/dist/debian
}

@test "packages, manifests and pages have the version of the programs" {
	local version
	version=$(ibscan --version | sed 's/.* //')
	head -n 1 "$DEBIAN/changelog" | grep -F "nic-health-monitor ($version) "
	grep -m 1 '^## ' "$ROOT/CHANGELOG.md" | grep -x "## $version"
	grep -x " *newTag: $version" "$ROOT/dist/kubernetes/base/kustomization.yaml"
	grep "localhost/nic-health-monitor:$version$" "$ROOT/doc/container.md"
}

# joined FILE - print FILE with continued lines joined
joined() { sed -e ':more' -e '/\\$/ { N; s/\\\n//; b more' -e '}' "$1"; }

@test "packages restart each running unit, stop it on removal, and enable only the service" {
	local fabrics='nic-health-monitor-fleet@*.service' unit
	joined "$ROOT/dist/rpm/nic-health-monitor.spec" >"$T/spec"
	joined "$DEBIAN/rules" | sed -n 's/^\tdh_installsystemd //p' >"$T/rules"
	for unit in nic-health-monitor.service nic-health-monitor-trace.service \
		nic-health-monitor-lnet.timer "$fabrics"; do
		grep -F -e "$unit" "$T/spec" | grep -q 'systemctl try-restart'
		grep -F -e "$unit" "$T/spec" | grep -q 'systemctl \(disable --now\|stop\)'
	done
	[ "$(grep -o 'preset .*' "$T/spec")" = 'preset nic-health-monitor.service || :' ]
	# By default, debhelper restarts and stops units.
	diff - "$T/rules" <<-'END'
		-p nic-health-monitor nic-health-monitor.service
		-p nic-health-monitor --no-enable --name=nic-health-monitor-lnet
		-p nic-health-monitor --no-enable --name=nic-health-monitor-trace
	END
	grep -q -F "deb-systemd-invoke try-restart '$fabrics'" \
		"$DEBIAN/nic-health-monitor-fleet.postinst"
	grep -q -F "deb-systemd-invoke stop '$fabrics'" "$DEBIAN/nic-health-monitor-fleet.prerm"
}

@test "the Debian package runs systemd-sysusers for each of its files before the service starts" {
	local file
	for file in "$ROOT"/dist/*.conf; do
		grep -q -F "${file##*/}" "$DEBIAN/nic-health-monitor.postinst"
	done
}

@test "systemd-sysusers creates the unit's user" {
	local user
	user=$(sed -n 's/^User=//p' "$ROOT/dist/nic-health-monitor.service")
	install -D -m 644 -t "$T/root/usr/lib/sysusers.d" "$ROOT"/dist/nic-health-monitor*.conf
	run systemd-sysusers --dry-run --root="$T/root" nic-health-monitor.conf
	status_is 0
	[[ $output = *"Creating user '$user'"* ]]
}

@test "the installed configuration changes no default but bootGrace, and each of its commented lines is valid" {
	ctreval --check-config --config /dev/null >"$T/default"
	run --separate-stderr ctreval --check-config --config "$ROOT/dist/config.yaml"
	status_is 0
	sed -i 's/^bootGrace: 0s$/bootGrace: 120s/' "$T/default"
	diff "$T/default" <(echo "$output") >&2
	sed 's/^#\([a-z]\|  \)/\1/' "$ROOT/dist/config.yaml" >"$T/config.yaml"
	none cmp -s "$T/config.yaml" "$ROOT/dist/config.yaml"
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 0
	[ "$stderr" = "" ]
	none diff "$T/default" <(echo "$output")
}

@test "the AppArmor profile lets the service start only its stages and access its files" {
	local profile=$ROOT/dist/apparmor name
	diff <(sed -n 's/^	\[STAGE_[A-Z]*\] = {"\([a-z]*\)",.*/\1/p' \
		"$ROOT/tools/supervisor/pipeline.c" | sort) \
		<(sed -n 's|^ *.usr/bin/{\(.*\)} mrix,|\1|p' "$profile" | tr , '\n' | sort) >&2
	for name in /dev/kmsg /dev/infiniband/ /etc/libibverbs.d/ /etc/nic-health-monitor/ \
		nvsentinel.sock /var/lib/nvsentinel/gpu_metadata.json nic_health_monitor/ \
		'{,private/}nic-health-monitor/'; do
		grep -q -F -- "$name" "$profile"
	done
}

@test "the AppArmor profile confines the unit's program, but no program that a user starts" {
	local unit=$ROOT/dist/nic-health-monitor.service
	[ "$(sed -n 's/^profile \([^ ]*\) flags=.*{$/-\1/p' "$ROOT/dist/apparmor")" \
		= "$(sed -n 's/^AppArmorProfile=//p' "$unit")" ]
	# The profile would confine other programs of the unit, too: start them outside of it.
	none grep '^Exec[^=]*=[^+]' <(grep -v '^ExecStart=' "$unit")
}

@test "no program that the AppArmor profile lets the service start leaves the profile, in the manual, too" {
	local file
	for file in "$ROOT/dist/apparmor" "$ROOT/tools/supervisor/nic-health-monitor.1"; do
		grep -q -E '^ *[^#. ]*/[^ ]* m?rix,$' "$file"
		none grep -E '/[^ ]* [a-z]*[UuPpCc]i?x\>' "$file"
	done
}

@test "the installed defaults file sets no options, and the options in its comments exist" {
	# shellcheck disable=SC1091
	(unset OPTIONS && . "$ROOT/dist/default" && [ -z "${OPTIONS+set}" ])
	local option
	while read -r option; do
		nic-health-monitor --help | grep -q -e "$option "
	done < <(grep -o -e '--[a-z-]*' "$ROOT/dist/default")
}

# packaged NAME VERSION LICENCE... - make a .deb of it in $T and its copyright file with these
# licences in $T/root; the single licence `prose` makes a file that is not machine-readable
packaged() {
	local name=$1 version=$2 copyright=$T/root/usr/share/doc/$1/copyright licence
	shift 2
	mkdir -p "$T/$name/DEBIAN" "${copyright%/*}"
	printf '%s\n' "Package: $name" "Version: $version" 'Source: both (3.0-1)' \
		'Architecture: amd64' 'Maintainer: Some Team <team@lists.example.org>' \
		'Description: a test' >"$T/$name/DEBIAN/control"
	dpkg-deb --root-owner-group --build "$T/$name" "$T/$name.deb" >/dev/null
	if [ "$1" = prose ]; then
		echo 'License: MIT' >"$copyright"
		return
	fi
	echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
		>"$copyright"
	for licence in "$@"; do
		printf '\nFiles: some/*\nCopyright: them\nLicense: %s\n A text.\n' "$licence"
	done >>"$copyright"
	printf '\nFiles: debian/*\nCopyright: they\nLicense: GPL-2\n' >>"$copyright"
}

@test "an image's SBOM has each package with its checksum, and a licence only if there is a single known one" {
	packaged nics 1.0 Apache-2.0
	packaged libone++2 1:2.0+b1 Expat Expat
	packaged libtwo 2 Expat Zlib
	packaged libthree 3 prose
	sbom() { "$ROOT/dist/container/sbom" nics 1.0 debian-12 1764201600 "$T/root" "$T"/*.deb; }
	sbom >"$T/bill"
	jq -r '.packages[1:][] | [.name, .versionInfo, .licenseConcluded, .supplier, .sourceInfo,
		.externalRefs[0].referenceLocator] | join(" | ")' "$T/bill" >"$T/packages"
	diff - "$T/packages" <<-'END'
		libone++2 | 1:2.0+b1 | MIT | Organization: Some Team (team@lists.example.org) | built from both 3.0-1 | pkg:deb/debian/libone%2B%2B2@1%3A2.0%2Bb1?arch=amd64&distro=debian-12&upstream=both
		libthree | 3 | NOASSERTION | Organization: Some Team (team@lists.example.org) | built from both 3.0-1 | pkg:deb/debian/libthree@3?arch=amd64&distro=debian-12&upstream=both
		libtwo | 2 | NOASSERTION | Organization: Some Team (team@lists.example.org) | built from both 3.0-1 | pkg:deb/debian/libtwo@2?arch=amd64&distro=debian-12&upstream=both
		nics | 1.0 | Apache-2.0 | Organization: Some Team (team@lists.example.org) | built from both 3.0-1 | pkg:deb/nics/nics@1.0?arch=amd64&distro=debian-12&upstream=both
	END
	jq -r '.packages[1:][] | .checksums[0].checksumValue + "  " + .name + ".deb"' "$T/bill" |
		(cd "$T" && sha256sum --check --status)
	jq -e '[.relationships[1:][].relatedSpdxElement] == [.packages[1:][].SPDXID]' "$T/bill"
	[ "$(jq -r .creationInfo.created "$T/bill")" = 2025-11-27T00:00:00Z ]
	# The SBOM is reproducible.
	diff "$T/bill" <(sbom)
}

# dist_of TREE - run make dist there, and print the files of the tarball.
dist_of() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$1" BUILD="$T/build" dist &&
		tar -tzf "$T"/build/nic-health-monitor-*.tar.gz | sort
}

@test "make dist packs the last commit, and in an unpacked tarball the same files" {
	dist_of "$ROOT" >"$T/committed"
	mkdir "$T/tree"
	tar -xzf "$T"/build/*.tar.gz -C "$T/tree" --strip-components=1
	cp "$ROOT/Makefile" "$T/tree"
	mkdir "$T/tree/build"
	touch "$T/tree/bin/emit" "$T/tree/build/emit.o"
	dist_of "$T/tree" | cmp - "$T/committed"
}

@test "make dist fails, and leaves no tarball, when git fails" {
	mkdir -p "$T/tree/.git"
	cp -r "$ROOT"/{Makefile,lib,tools} "$T/tree"
	run dist_of "$T/tree"
	[ "$status" -ne 0 ]
	[ -z "$(find "$T/build" -name '*.gz')" ]
}
