#!/usr/bin/env bats
# bundle: nhm-capture --bundle packs everything needed to diagnose a node into one tarball, and
# nicdiff reads it.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	few h100-oci mlx5_0 mlx5_1
	echo "1000.00 9" >"$NODE/proc/uptime"
	meanwhile "add mlx5_0/1 counters/symbol_error 7"
}

teardown() { nothing_survives; }

# meanwhile COMMAND - replace sleep(1) by a script that applies COMMAND to the node between the two
# scans of a bundle.
meanwhile() {
	mkdir -p "$T/bin"
	cat >"$T/bin/sleep" <<-END
		#!/bin/sh
		echo "\$1" >"$T/slept"
		"$ROOT/test/sim/nicsim" "$NODE" $1
		echo "1010.00 9" >"$NODE/proc/uptime"
	END
	chmod +x "$T/bin/sleep"
}

# bundle OPTION... - make $T/b.tar.gz and unpack it to $T/b.
bundle() {
	PATH=$T/bin:$PATH run --separate-stderr nhm-capture --root "$NODE" "$@" \
		--bundle "$T/b.tar.gz"
	status_is 0
	[ "$output$stderr" = "" ]
	tar -C "$T" -xzf "$T/b.tar.gz"
}

# a_history - give the node a spool with a standing fault and one that is over.
a_history() {
	local spool=$NODE/var/lib/nic-health-monitor/spool.db
	mkdir -p "${spool%/*}"
	nic_events 1 2 "$FATAL" | emit --spool "$spool" --sink "file:$T/sent"
	nichist --spool "$spool" --history --format json >"$T/history"
	nichist --spool "$spool" --standing --format json >"$T/standing"
	[ -s "$T/history" ] && [ -s "$T/standing" ]
}

@test "a bundle has two scans, the history, the standing faults, the effective configuration and the versions" {
	load lib/kept
	a_history
	mkdir -p "$NODE/etc/nic-health-monitor"
	# The service checks the sinks, not the bundle.
	printf '%s\n' 'homogeneity: {settleSeconds: 7}' 'sinks: ["nats:nats://h:4222"]' \
		>"$NODE/etc/nic-health-monitor/config.yaml"
	echo "<3>mlx5_core 0000:0c:00.0: something" >"$NODE/dev/kmsg"
	bundle
	[ "$(cat "$T/slept")" = 10 ]
	[ "$(cd "$T/b" && find . -type f | sort | xargs)" = "./MANIFEST ./config.yaml \
./history.ndjson ./kmsg.txt ./later/node.tree ./node.tree ./standing.ndjson ./versions.txt" ]
	diff "$T/history" "$T/b/history.ndjson"
	diff "$T/standing" "$T/b/standing.ndjson"
	grep -q '^  settleSeconds: 7$' "$T/b/config.yaml"
	[ "$(grep -c config.yaml "$T/b/MANIFEST")" -eq 1 ]
	grep -q -x "$(ibscan --version)" "$T/b/versions.txt"
	grep -q '^kernel: Linux ' "$T/b/versions.txt"
	none grep -q "$(uname -n)" "$T/b/versions.txt"
	grep -q '^later: 20' "$T/b/MANIFEST"
	grep -q something "$T/b/kmsg.txt"
	# Nobody else can read it.
	[ "$(stat -c %a "$T/b.tar.gz")" = 600 ]
}

@test "nicdiff shows the changes within a bundle, between a bundle and a record, and between a node and a bundle" {
	bundle
	nhm-capture --root "$NODE" "$T/after"
	run --separate-stderr nicdiff "$T/b.tar.gz"
	status_is 1
	[ "$stderr" = "" ]
	[[ "${lines[0]}" = "b 2"*" -> b 2"*" UTC (10 s later)" ]]
	[ "$(tail -n 1 <<<"$output" | xargs)" = "counters/symbol_error 0 -> 7 (+7, 0.70/s)" ]
	diff <(nicdiff "$T/b") <(echo "$output")
	run nicdiff "$T/b.tar.gz" "$T/after"
	status_is 0
	run nicdiff --json "$NODE" "$T/b.tar.gz"
	status_is 0
}

@test "a bundle has serial numbers only with --serials" {
	# Vital product data: a name, part and serial number, and a writable part.
	local function=$NODE/sys/bus/pci/devices/0000:0c:00.0
	printf '\x82\x03\x00NIC\x90\x12\x00PN\x03ABCSN\x06MT1234V0\x01:\x91\x04\x00SN\x01X\x78' \
		>"$function/vpd"
	bundle
	none grep -q -r MT1234 "$T/b"
	grep -q '^always omitted: serial numbers, VPD' "$T/b/MANIFEST"
	rm -r "$T/b" "$T/b.tar.gz"
	bundle --serials --apart 3
	[ "$(cat "$T/slept")" = 3 ]
	[ "$(cat "$T/b/serials.txt")" = "0000:0c:00.0 PN=ABC SN=MT1234" ]
	none grep -q 'serial numbers, VPD' "$T/b/MANIFEST"
	grep -q '^  serials.txt$' "$T/b/MANIFEST"
}

@test "damaged vital product data gives no serial numbers and does not stop the bundle" {
	local function=$NODE/sys/bus/pci/devices/0000:0c:00.0 bad
	for bad in '' '\x90' '\x90\xff\xff' '\x90\xff\xffSN' '\x90\xff\xffSN\xffX' \
		'\x82\x00\x00\x00' '\x90\x05\x00SN\x02\x07\x08\x78' '\x00\x00\x00\x00'; do
		# shellcheck disable=SC2059 # these are bytes
		printf "$bad" >"$function/vpd"
		rm -rf "$T/b" "$T/b.tar.gz"
		bundle --serials
		none grep -q '[^ -~]' "$T/b/serials.txt"
	done
}

@test "--mask replaces a value by the same one in both scans and in the history" {
	load lib/kept
	a_history
	bundle --mask
	none grep -q -r 'nodeName":"n1"' "$T/b"
	none grep -q -r "$(cat "$NODE/sys/class/infiniband/mlx5_0/node_guid")" "$T/b"
	[ "$(nicdiff --json "$T/b" | jq -r .what)" = counters/symbol_error ]
	[ "$(jq -s length "$T/b/history.ndjson")" -eq "$(jq -s length "$T/history")" ]
}

@test "--mask replaces the name under which the service reports the node" {
	local spool=$NODE/var/lib/nic-health-monitor/spool.db
	mkdir -p "${spool%/*}"
	load lib/kept
	nic_events 1 2 "$FATAL | .nodeName = \"kube-node-7\"" |
		emit --spool "$spool" --sink "file:$T/sent"
	echo "<3>mlx5_core 0000:0c:00.0: kube-node-7" >"$NODE/dev/kmsg"
	bundle --mask
	none grep -q -r kube-node-7 "$T/b"
	grep -q '"nodeName":"host"' "$T/b/history.ndjson"
	grep -q ': host$' "$T/b/kmsg.txt"
}

@test "--mask replaces the hosts of sinks and of runbookUrl, whose names no event has" {
	load lib/kept
	mkdir -p "$NODE/etc/nic-health-monitor" "$NODE/var/lib/nic-health-monitor"
	nic_events 1 2 "$FATAL"' | .message = "of \"http://hidden.invalid\""' |
		emit --spool "$NODE/var/lib/nic-health-monitor/spool.db" --flush-timeout 1ms \
			--sink alertmanager:http://10.1.2.3:1 \
			--sink alertmanager:http://hidden.invalid:1 \
			--sink tcp:hidden.invalid:1 2>"$T/stderr" || [ $? -eq 69 ]
	printf '%s\n' 'runbookUrl: "https://hidden.invalid/{page}"' 'sinks:' \
		'  - {sink: "nats:tls://hidden.invalid:4222/a", serverName: hidden}' \
		'  - "postgresql://nic@hidden/nics"' '  - "unix:/run/socket"' \
		'  - "grpc:unix:///run/socket"' '  - "tcp:hidden.invalid:514"' \
		'  - "tcp:10.1.2.3:514"' >"$NODE/etc/nic-health-monitor/config.yaml"
	bundle --mask
	none grep -q -r -e hidden -e 10.1.2.3 "$T/b"
	[ "$(jq -r .message "$T/b/history.ndjson" | sort -u)" = 'of "http://host"' ]
	diff <(jq -r 'select(.kind == "sink").name' "$T/b/standing.ndjson" | sort |
		sed 's/\.[0-9]*:/.N:/') - <<-'END'
		alertmanager:http://198.18.0.N:1
		alertmanager:http://host:1
		tcp:host:1
	END
	diff <(grep -E -o '(sink|serverName|runbookUrl): .*' "$T/b/config.yaml" |
		sed 's/\(198\.18\.0\.\)[0-9]*/\1N/') - <<-'END'
		sink: "nats:tls://host:4222/a"
		serverName: "host"
		sink: "postgresql://host/nics"
		sink: "unix:/run/socket"
		sink: "grpc:unix:///run/socket"
		sink: "tcp:host:514"
		sink: "tcp:198.18.0.N:514"
		runbookUrl: "https://host/{page}"
	END
}

@test "without the project's programs a bundle's manifest lists what is missing" {
	mkdir "$T/alone"
	cp "$NHM_BIN/nhm-capture" "$T/alone"
	mkdir -p "$NODE/var/lib/nic-health-monitor"
	: >"$NODE/var/lib/nic-health-monitor/spool.db"
	PATH=$T/bin:/usr/bin:/bin "$T/alone/nhm-capture" --root "$NODE" --bundle "$T/b.tar.gz"
	tar -C "$T" -xzf "$T/b.tar.gz"
	grep -q '^  history.ndjson: nichist: not found$' "$T/b/MANIFEST"
	grep -q '^  config.yaml: ctreval: not found$' "$T/b/MANIFEST"
	[ "$(nicdiff --json "$T/b.tar.gz" | jq -r .what)" = counters/symbol_error ]
}

@test "nhm-capture and nicdiff reject an invalid bundle and leave nothing behind" {
	mkdir "$T/tmp"
	refuses() {
		TMPDIR=$T/tmp run --separate-stderr nhm-capture "${@:3}"
		status_is "$1" "^nhm-capture: error: $2"
		[ "$(ls -A "$T/tmp")" = "" ]
	}
	: >"$T/there"
	refuses 64 "$T/there: exists$" --root "$NODE" --bundle "$T/there"
	refuses 74 "$T/no/: No such directory$" --root "$NODE" --bundle "$T/no/b"
	refuses 64 "unexpected operand 'dir'" --bundle "$T/b" dir
	refuses 64 "cannot be combined with --bundle: '--unpack'" --bundle "$T/b" --unpack x
	refuses 64 "needs --bundle: '--serials'" --serials "$T/dir"
	refuses 64 "needs --bundle: '--apart'" --apart 1 "$T/dir"
	refuses 64 "--apart 'x': not a number of seconds from 0 to 999" --bundle "$T/b" --apart x
	refuses 66 "/nonexistent: No such directory" --root /nonexistent --bundle "$T/b"
	# nicdiff gets tarballs that are no bundles.
	tar -C "$T" -czf "$T/other.tar.gz" there
	printf '\x1f\x8bnonsense' >"$T/bad.tar.gz"
	local file
	for file in other bad; do
		TMPDIR=$T/tmp run --separate-stderr nicdiff "$T/$file.tar.gz"
		status_is 65 "^nicdiff: error: $T/$file.tar.gz: it contains no scan$"
		stderr_has "^nhm-capture: error: $T/$file.tar.gz: not a bundle of nhm-capture$"
	done
	[ "$(ls -A "$T/tmp")" = "" ]
}

@test "a bundle for which the disk has no room exits 74 and leaves no part of it behind" {
	unshare --mount --map-root-user true || skip "left out: no mount namespaces"
	mkdir "$T/small"
	# shellcheck disable=SC2016 # for the inner shell
	PATH=$T/bin:$PATH run --separate-stderr unshare --mount --map-root-user bash -c '
		mount -t tmpfs -o size=4k none "$0" && "$@"
		status=$? && ls -A "$0" && exit "$status"' \
		"$T/small" nhm-capture --root "$NODE" --bundle "$T/small/b.tar.gz"
	status_is 74 "^nhm-capture: error: $T/small/b.tar.gz: No space left on device$"
	[ "$output" = "" ]
}

@test "a bundle may have any name, also that of an intermediate file" {
	local name
	for name in host later bundle tree; do
		PATH=$T/bin:$PATH nhm-capture --root "$NODE" --mask --bundle "$T/$name.tar.gz"
		# Nothing but the record, in which everything is masked.
		tar -C "$T" -xzf "$T/$name.tar.gz"
		[ "$(cd "$T/$name" && find . -type f | sort | xargs)" \
			= "./MANIFEST ./config.yaml ./later/node.tree ./node.tree ./versions.txt" ]
		none grep -q -r "$(cat "$NODE/sys/class/infiniband/mlx5_0/node_guid")" "$T/$name"
		rm -r "${T:?}/$name"
	done
	PATH=$T/bin:$PATH nhm-capture --root "$NODE" --bundle "$T/.gz"
	[ "$(tar -tzf "$T/.gz" | grep -c '^nhm-capture/node.tree$')" -eq 1 ]
}

@test "unpacking a bundle beside itself keeps the bundle, whatever the ending of its name" {
	local name directory
	while read -r name directory; do
		PATH=$T/bin:$PATH nhm-capture --root "$NODE" --bundle "$T/$name"
		tar -C "$T" -xzf "$T/$name"
		[ -f "$T/$name" ]
		[ -s "$T/$directory/node.tree" ]
		rm -r "${T:?}/$name" "${T:?}/$directory"
	done <<-END
		b.tgz b
		b.tar b
		b nhm-capture
		b.tar.xz nhm-capture
	END
	PATH=$T/bin:$PATH nhm-capture --root "$NODE" --bundle "$T/b.tgz"
	run --separate-stderr nicdiff "$T/b.tgz"
	[[ "${lines[0]}" = "b 2"*" -> b 2"* ]]
}

@test "--unpack of a bundle, or of a record's directory, says what to name instead" {
	nhm-capture --root "$NODE" --bundle "$T/b.tar.gz" --apart 0
	tar -C "$T" -xzf "$T/b.tar.gz"
	run --separate-stderr nhm-capture --unpack "$T/b.tar.gz" "$T/new"
	status_is 65 "^nhm-capture: error: $T/b.tar.gz is a tarball: unpack it with tar, and name the node.tree in it$"
	run --separate-stderr nhm-capture --unpack "$T/b" "$T/new"
	status_is 74 "^nhm-capture: error: $T/b is a directory: name $T/b/node.tree$"
	[ ! -e "$T/new" ]
	# The beginning of a pipe is not lost.
	nhm-capture --unpack <(cat "$T/b/node.tree") "$T/new"
	nhm-capture --unpack "$T/b/node.tree" "$T/same"
	diff -r --no-dereference "$T/new" "$T/same"
}

@test "nicdiff reads a bundle with a colon in its name, and one whose name begins with a dash" {
	local name
	cd "$T"
	for name in node1:ib -x; do
		PATH=$T/bin:$PATH nhm-capture --root "$NODE" --bundle "./$name.tar.gz"
		run --separate-stderr nicdiff -- "$name.tar.gz"
		[ "$stderr" = "" ]
		[[ "${lines[0]}" = "$name 2"*" -> $name 2"* ]]
	done
}

@test "a tarball with paths outside its directory writes nothing" {
	mkdir -p "$T/evil/b/later"
	ln -s "$T/target" "$T/evil/b/MANIFEST"
	printf 'F\tsys/x\t1\nF\t../../../escaped\t1\nL\tsys/link\t/\n' >"$T/evil/b/node.tree"
	tar -C "$T/evil" -czf "$T/evil.tar.gz" b
	run --separate-stderr nicdiff "$T/evil.tar.gz"
	status_is 65
	stderr_has "bad path: ../../../escaped"
	[ ! -e "$T/target" ] && [ ! -e "$T/escaped" ]
}
