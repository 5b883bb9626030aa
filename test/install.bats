#!/usr/bin/env bats
# make: builds, installs and removes files, and prints its help.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# make_in_root TARGET VAR=VALUE... - run make without the outer make's flags and with its built
# programs
make_in_root() { env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" BIN="$NHM_BIN" \
	BUILD="$BATS_TEST_TMPDIR/build" "$@"; }

installed() { (cd "$1" && find . -type f | sort); }

setup() {
	# Install the programs as they are: make must not rebuild them.
	local built=("$NHM_BIN"/*)
	AS_BUILT=("${built[@]/#/-o}")
	make_install() { make_in_root "${AS_BUILT[@]}" "$@"; }
}

@test "install puts all files below DESTDIR and PREFIX, and uninstall leaves nothing behind" {
	local dest=$BATS_TEST_TMPDIR/dest
	make_install install DESTDIR="$dest" PREFIX=/opt/nhm
	for p in ibscan ibevent rdmatrace topoclass topoparse lnetread ctreval logmatch \
		correlate blastradius fleetread fleetview fleetpage fleetsetup emit nicdiff \
		nichist nicsilence nicview nicwhy niccheck pcitopo nic-health-monitor \
		nhm-capture nhm; do
		[ -x "$dest/opt/nhm/bin/$p" ]
		[ -f "$dest/opt/nhm/share/man/man1/$p.1" ]
		[ -s "$dest/opt/nhm/share/bash-completion/completions/$p" ]
		[ -s "$dest/opt/nhm/share/zsh/site-functions/_$p" ]
		[ -s "$dest/opt/nhm/share/fish/vendor_completions.d/$p.fish" ]
		"$dest/opt/nhm/bin/$p" --version
	done
	[ -f "$dest/opt/nhm/share/man/man7/nic-health-monitor.7" ]
	[ -f "$dest/opt/nhm/share/man/man5/nic-health-monitor-records.5" ]
	grep -q -x 'ExecStart=/opt/nhm/bin/nic-health-monitor .*' \
		"$dest/opt/nhm/lib/systemd/system/nic-health-monitor.service"
	[ -f "$dest/opt/nhm/lib/systemd/system/nic-health-monitor-lnet.service" ]
	[ -f "$dest/opt/nhm/lib/systemd/system/nic-health-monitor-lnet.timer" ]
	grep -q '^ExecStart=.* /opt/nhm/bin/rdmatrace ' \
		"$dest/opt/nhm/lib/systemd/system/nic-health-monitor-trace.service"
	grep -q -x 'Environment=PATH=/opt/nhm/bin:/bin' \
		"$dest/opt/nhm/lib/systemd/system/nic-health-monitor-fleet@.service"
	[ -f "$dest/opt/nhm/lib/sysusers.d/nic-health-monitor.conf" ]
	[ -f "$dest/opt/nhm/lib/sysusers.d/nic-health-monitor-trace.conf" ]
	[ -x "$dest/opt/nhm/share/nic-health-monitor/slurm/node-check" ]
	[ -f "$dest/opt/nhm/share/nic-health-monitor/nhc/nic_health_monitor.nhc" ]
	[ "$(jq -r '.rules[].path' \
		"$dest"/opt/nhm/share/nic-health-monitor/node-problem-detector/*.json)" = \
		/opt/nhm/bin/niccheck ]
	for dashboard in node fleet; do
		cmp "$ROOT/dist/grafana/$dashboard.json" \
			"$dest/opt/nhm/share/nic-health-monitor/grafana/$dashboard.json"
	done
	[ "$(find "$dest" -path '*/grafana/*' | wc -l)" -eq 2 ]
	diff -r "$ROOT/dist/kubernetes" "$dest/opt/nhm/share/nic-health-monitor/kubernetes"
	[ -x "$dest/opt/nhm/share/nic-health-monitor/kubernetes/values2config" ]
	make_install uninstall DESTDIR="$dest" PREFIX=/opt/nhm
	[ ! -e "$dest" ] || [ -z "$(find "$dest" -mindepth 1)" ]
}

@test "after make, install writes nothing into the sources' tree, which root may not be able to do" {
	make_install all
	find "$BATS_TEST_TMPDIR/build" -printf '%p %T@\n' | sort >"$BATS_TEST_TMPDIR/before"
	[ -s "$BATS_TEST_TMPDIR/before" ]
	make_install install DESTDIR="$BATS_TEST_TMPDIR/dest"
	find "$BATS_TEST_TMPDIR/build" -printf '%p %T@\n' | sort |
		diff "$BATS_TEST_TMPDIR/before" - >&2
}

# debian_files DEST - print the files of the Debian packages of what is installed in DEST. A file in
# both is printed twice.
debian_files() {
	local tree=$BATS_TEST_TMPDIR/deb package
	mkdir "$tree"
	cp -r "$ROOT/dist/debian" "$tree"
	cp -r "$1" "$tree/debian/tmp"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" -f debian/rules \
		UNITDIR=/usr/lib/systemd/system override_dh_install >"$BATS_TEST_TMPDIR/dh_install"
	for package in nic-health-monitor nic-health-monitor-fleet; do
		installed "$tree/debian/$package"
	done | sort
}

# rpm_files DEST - print those of the RPM packages, but for documents and the license
rpm_files() {
	local dest=$1 tree=$BATS_TEST_TMPDIR/rpm file
	for file in doc/nic-health-monitor-0/{README,CHANGELOG}.md \
		licenses/nic-health-monitor-0/LICENSE; do
		install -D -m 644 "$ROOT/${file##*/}" "$dest/usr/share/$file"
	done
	# It only packs what is there.
	rpmbuild -bb --short-circuit --noclean --nodeps --quiet --buildroot "$dest" \
		--define "_topdir $tree" --define "_tmppath $BATS_TEST_TMPDIR" \
		--define '_unitdir /usr/lib/systemd/system' \
		--define '_sysusersdir /usr/lib/sysusers.d' \
		"$ROOT/dist/rpm/nic-health-monitor.spec"
	rpm -qp --qf '[%{FILEMODES:perms} .%{FILENAMES}\n]' "$tree"/RPMS/*/*.rpm |
		sed -n 's/^-[^ ]* //p' | grep -v -E '^\./usr/share/(doc|licenses)/' | sort
}

# Thorough: tools
@test "each installed file is in exactly one Debian package, and in exactly one RPM package" {
	local tool dest=$BATS_TEST_TMPDIR/dest
	for tool in dh_install rpmbuild; do
		command -v "$tool" >/dev/null ||
			skip "left out: no $tool (dist/install-deps --thorough installs it)"
	done
	make_install install DESTDIR="$dest" PREFIX=/usr \
		ZSHDIR="$dest/usr/share/zsh/vendor-completions"
	# Empty files are faster to pack.
	find "$dest" -type f -exec truncate --size 0 '{}' +
	install -D -m 644 "$ROOT/dist/config.yaml" "$dest/etc/nic-health-monitor/config.yaml"
	install -D -m 644 "$ROOT/dist/default" "$dest/etc/default/nic-health-monitor"
	[ -f "$dest/usr/share/nic-health-monitor/grafana/fleet.json" ]
	installed "$dest" >"$BATS_TEST_TMPDIR/all"
	debian_files "$dest" >"$BATS_TEST_TMPDIR/packaged"
	diff "$BATS_TEST_TMPDIR"/{all,packaged} >&2
	mv "$dest/usr/share/zsh/vendor-completions" "$dest/usr/share/zsh/site-functions"
	installed "$dest" >"$BATS_TEST_TMPDIR/all"
	rpm_files "$dest" >"$BATS_TEST_TMPDIR/packaged"
	diff "$BATS_TEST_TMPDIR"/{all,packaged} >&2
}

# Thorough: service
@test "the installed nicview and ibscan find each other" {
	local dest=$BATS_TEST_TMPDIR/dest
	make_install install DESTDIR="$dest" PREFIX=/usr
	node l40s-onprem
	for how in nicview 'ibscan --format table'; do
		# shellcheck disable=SC2086 # a command with its options
		run --separate-stderr env PATH=/usr/bin:/bin "$dest/usr/bin"/$how \
			--sysfs-root "$NODE/sys"
		status_is 0
		grep -q '5 NICs, 5 ports' <<<"$output"
	done
}

# Thorough: service
@test "uninstall leaves other people's files alone" {
	local dest=$BATS_TEST_TMPDIR/dest
	make_install install DESTDIR="$dest" PREFIX=/usr
	touch "$dest/usr/bin/other" "$dest/usr/share/man/man1/other.1"
	make_install uninstall DESTDIR="$dest" PREFIX=/usr
	[ "$(installed "$dest" | xargs)" = "./usr/bin/other ./usr/share/man/man1/other.1" ]
}

# Thorough: service
@test "uninstall without DESTDIR removes the directory of its own, and none that has another file" {
	local prefix=$BATS_TEST_TMPDIR/nhm
	make_install install PREFIX="$prefix"
	touch "$prefix/share/nic-health-monitor/runbooks/other.md"
	make_install uninstall PREFIX="$prefix"
	[ "$(find "$prefix/share/nic-health-monitor" -mindepth 1 -printf '%P\n' | xargs)" = \
		"runbooks runbooks/other.md" ]
	rm "$prefix/share/nic-health-monitor/runbooks/other.md"
	make_install uninstall PREFIX="$prefix"
	[ -d "$prefix/share" ]
	[ ! -e "$prefix/share/nic-health-monitor" ]
}

# Thorough: service
@test "the installed service finds its stages beside itself" {
	local dest=$BATS_TEST_TMPDIR/dest
	make_install install DESTDIR="$dest" PREFIX=/usr
	node l40s-onprem
	run --separate-stderr "$dest/usr/bin/nic-health-monitor" --once --settle 0s \
		--sysfs-root "$NODE/sys" --node-name gpu-1 \
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
	status_is 0
	grep -q '5 NICs, 4 ports watched' <<<"$output"
	[ -z "$stderr" ]
}

# Thorough: service
@test "Slurm's and NHC's installed scripts find the programs below any PREFIX" {
	local prefix=$BATS_TEST_TMPDIR/nhm here=$BATS_TEST_TMPDIR
	make_install install PREFIX="$prefix"
	printf '#!/bin/sh\necho "nic-health-monitor: the installed one"\nexit 3\n' >"$prefix/bin/nhm"
	run --separate-stderr env -i SLURMD_NODENAME=n1 \
		"$prefix/share/nic-health-monitor/slurm/node-check"
	status_is 0 '^nic-health-monitor: n1: health is unknown: nhm check exited with 3: the installed one$'
	[ -z "$output" ]
	printf '%s\n' 'log() { echo "$*" >&2; }' \
		". '$prefix/share/nic-health-monitor/nhc/nic_health_monitor.nhc'" \
		check_nic_health >"$here/nhc"
	run --separate-stderr env -i PATH=/usr/bin:/bin bash "$here/nhc"
	status_is 0 '^check_nic_health: NIC health is unknown: nhm check exited with 3: nic-health-monitor: the installed one$'
	[ -z "$output" ]
	# Only the search path differs from the file in the sources.
	run diff "$ROOT/dist/slurm/node-check" "$prefix/share/nic-health-monitor/slurm/node-check"
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[3]}" = "> PATH=\${PATH:+\$PATH:}$prefix/bin:/usr/local/bin:/usr/bin:/bin" ]
}

@test "README.md's commands install a configuration that the service can read, with any umask, once" {
	local etc=$BATS_TEST_TMPDIR/etc
	sed -n '/^    .*\/etc\/nic-health-monitor/p' "$ROOT/README.md" |
		sed "s|/etc/nic-health-monitor|$etc|g; s|sudo ||g" >"$BATS_TEST_TMPDIR/typed"
	grep -q dist/config.yaml "$BATS_TEST_TMPDIR/typed"
	install_it() { (cd "$ROOT" && umask 077 && bash -e "$BATS_TEST_TMPDIR/typed"); }
	install_it
	cmp "$ROOT/dist/config.yaml" "$etc/config.yaml"
	[ "$(stat -c %a "$etc" "$etc/config.yaml" | xargs)" = '755 644' ]
	echo 'interval: 2s' >"$etc/config.yaml"
	install_it
	[ "$(cat "$etc/config.yaml")" = 'interval: 2s' ]
}

@test "make help lists the targets for building, testing, installing and cleaning" {
	run make_in_root help
	for target in all deps check demo check-asan fuzz lint fmt install uninstall clean; do
		grep -q -E "make $target " <<<"$output"
	done
}

# Thorough: service
@test "install-deps prints nothing when everything is installed" {
	run --separate-stderr "$ROOT/dist/install-deps"
	status_is 0
	[ -z "$output$stderr" ]
}
