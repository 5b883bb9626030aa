#!/usr/bin/env bats
# nicsilence: starts, ends and lists silences; an invalid call changes nothing.
# shellcheck disable=SC2154 # bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	F=$T/silences.ndjson
	mkdir -p "$T/sys/class/infiniband/mlx5_3/ports/1"
	umask 022
}

teardown() { end_background; }

# silence ARGUMENT... - run nicsilence on the test's file
silence() {
	run --separate-stderr timeout 20 nicsilence --file "$F" --sysfs-root "$T/sys" "$@"
}

@test "a silence is a record with device, end, reason and author, and its id goes to stdout" {
	silence mlx5_3/1 --for 2h --code link_downed --why 'cable swap, OPS-1' --by alice
	status_is 0
	[ "$stderr" = "" ]
	jq -e --arg id "$output" '(.until | sub("\\.[0-9]+Z"; "Z") | fromdate) as $until
		| (.ts | sub("\\.[0-9]+Z"; "Z") | fromdate) as $ts
		| ($until - $ts == 7200) and del(.until, .ts) == { kind: "silence", v: 1, id: $id,
			device: "mlx5_3", port: 1, code: "link_downed", why: "cable swap, OPS-1",
			by: "alice" }' "$F"
	[[ $output =~ ^[0-9a-f]{16}$ ]]
	[ "$(stat -c %a "$F")" = 644 ]
}

@test "without operands nicsilence lists the silences, or notes that there are none" {
	silence
	status_is 0 '^nicsilence: note: no silences are in effect$'
	[ "$output" = "" ]
	silence mlx5_3 --for 48h --why 'new firmware' --by alice
	local first=$output
	silence mlx5_3/2 --for 30m --code link_downed --why $'caf\xc3\xa9' --by bob
	silence
	status_is 0
	[ "$stderr" = "" ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} =~ ^ID\ +DEVICE\ +CODE\ +UNTIL\ \(UTC\)\ +LEFT\ +BY:\ WHY$ ]]
	local until='20..-..-..\ ..:..:..' left='1\ d\ 23\ h'
	[[ ${lines[1]} =~ ^$first\ \ mlx5_3\ +all\ codes\ +$until\ \ $left\ +alice:\ new ]]
	[[ ${lines[2]} =~ \ \ mlx5_3/2\ +link_downed\ .*\ 29\ min\ +bob:\ café$ ]]
}

@test "--clear writes a request that is valid for a day, and starts no silence" {
	silence mlx5_3/1 --clear --code link_downed --why 'cable swapped' --by alice
	status_is 0
	[ "$output" = "" ]
	jq -e '(.until | sub("\\.[0-9]+Z"; "Z") | fromdate) as $until
		| (.ts | sub("\\.[0-9]+Z"; "Z") | fromdate) as $ts
		| ($until - $ts == 86400) and (del(.until, .ts, .id) == { kind: "clear", v: 1,
			device: "mlx5_3", port: 1, code: "link_downed", why: "cable swapped",
			by: "alice" })' "$F"
	silence
	status_is 0 '^nicsilence: note: no silences are in effect$'
}

@test "--end ends one silence and leaves the others" {
	silence mlx5_3 --for 1h --why a
	local first=$output
	silence mlx5_3 --for 1h --why b
	silence --end "$first"
	status_is 0
	[ "$output" = "" ]
	[ "$(jq -r .why "$F")" = b ]
	silence --end "$first"
	status_is 66 "^nicsilence: error: --end $first: there is no such silence$"
}

@test "an expired silence is not listed, and the next change removes it from the file" {
	printf '%s\n' '{"kind":"silence","v":1,"id":"00000000000000aa","device":"a","until":"2026-01-01T00:00:00Z","why":"w","by":"b"}' >"$F"
	silence
	status_is 0 '^nicsilence: note: no silences are in effect$'
	silence mlx5_3 --for 1h --why w
	none grep 00000000000000aa "$F"
}

@test "a silence is by the user in SUDO_USER, else by the calling user" {
	[ "$(id -u)" -eq 0 ] || skip "as root, whom sudo makes one"
	SUDO_USER=carol silence mlx5_3 --for 1h --why w
	SUDO_USER='' silence mlx5_3 --for 1h --why w
	[ "$(jq -r .by "$F" | xargs)" = "carol root" ]
}

@test "root writes as the directory's owner, who can then read and change the file" {
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	for_anybody nicsilence
	mkdir -m 750 "$T/lib"
	chown 4711:4712 "$T/lib"
	F=$T/lib/silences
	silence mlx5_3 --for 1h --why w
	status_is 0
	[ "$(stat -c %u:%g "$F")" = 4711:4712 ]
}

# Make the state directory of a service as systemd does for one with a user of its own: only root
# can reach it.
private_state() {
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	for_anybody nicsilence
	mkdir -p "$T/lib/private/monitor"
	chown 4711:4712 "$T/lib/private/monitor"
	chmod 700 "$T/lib/private"
	ln -s private/monitor "$T/lib/monitor"
	F=$T/lib/monitor/silences
}

@test "root writes even where only root can reach the directory, as systemd sets it up for a service" {
	private_state
	silence mlx5_3 --for 1h --why w
	status_is 0
	[ "$(stat -L -c %u:%g "$F")" = 4711:4712 ]
	silence --end "$output"
	status_is 0
}

@test "root lists the silences of a service that runs as another user" {
	private_state
	silence
	status_is 0 '^nicsilence: note: no silences are in effect$'
	silence mlx5_3 --for 1h --why w
	local id=$output
	silence
	status_is 0
	[ "$stderr" = "" ]
	[[ ${lines[1]} =~ ^$id\ \ mlx5_3\  ]]
	F=$T/lib/none/silences
	silence
	status_is 0 '^nicsilence: note: no silences are in effect$'
}

@test "a device or port that does not exist is silenced with a warning" {
	silence mlx5_33 --for 1h --why w
	status_is 0 '^nicsilence: warning: mlx5_33: there is no such device at present$'
	[ "$(jq -r .device "$F")" = mlx5_33 ]
	silence mlx5_3/9 --for 1h --why w
	status_is 0 '^nicsilence: warning: mlx5_3/9: there is no such port at present$'
	silence mlx5_3/1 --for 1h --why w
	status_is 0
	[ "$stderr" = "" ]
}

@test "a counter that no NIC has by default is cleared with a warning" {
	silence mlx5_3/1 --clear --code link_down --why w
	status_is 0 '^nicsilence: warning: link_down: there is no such counter, unless the configuration adds it$'
	[ "$(jq -r .code "$F")" = link_down ]
	for code in link_downed symbol_error_fatal req_rnr_retries_exceeded; do
		silence mlx5_3/1 --clear --code "$code" --why w
		status_is 0
		[ "$stderr" = "" ]
	done
	# Events about a custom counter or a pattern may have any code.
	silence mlx5_3/1 --for 1h --code fatal_sensor --why w
	status_is 0
	[ "$stderr" = "" ]
}

@test "a code that no event has by default, or two codes at once, are silenced with a warning" {
	for code in link_flp link_flap,link_downed; do
		silence mlx5_3/1 --for 1h --code "$code" --why w
		status_is 0 "^nicsilence: warning: $code: no event has this code, unless the configuration adds it\$"
		[ "$(jq -r .code "$F" | tail -n 1)" = "$code" ]
	done
	for code in link_flap port_state card_ports cmd_exec_timeout req_rnr_retries_exceeded; do
		silence mlx5_3/1 --for 1h --code "$code" --why w
		status_is 0
		[ "$stderr" = "" ]
	done
}

@test "a full file of silences rejects one more with 75" {
	local i
	for i in {1..255}; do
		printf '{"kind":"silence","v":1,"id":"%016x","device":"a","until":"%s","why":"w","by":"b"}\n' \
			"$i" "$(date -u -d tomorrow +%FT%TZ)"
	done >"$F"
	silence mlx5_3 --for 1h --why w
	status_is 0
	local last=$output
	cp "$F" "$T/full"
	silence mlx5_3 --clear --why w
	status_is 75 "^nicsilence: error: $F: not changed: it is full: end a silence first$"
	cmp "$F" "$T/full"
	silence --end "$last"
	status_is 0
	silence mlx5_3 --clear --why w
	status_is 0
}

@test "a wrong command line exits 64 and changes nothing" {
	while IFS='|' read -r arguments reason; do
		eval "silence $arguments"
		status_is 64 "^nicsilence: error: $reason \(try 'nicsilence --help'\)$"
		[ ! -e "$F" ]
	done <<-'END'
		--for 1h|--for, --clear, --why, --code and --by need a DEVICE
		--by me|--for, --clear, --why, --code and --by need a DEVICE
		mlx5_3 --why w|--for is missing: say for how long
		mlx5_3 --for 1h|--why is missing: give others the reason
		mlx5_3 --for 1h --why ''|silence record with an empty "why"
		mlx5_3 --for 1h --why $'\e[2J'|a control character in a text
		mlx5_3 --for 1h --why w --code ''|silence record with an empty "code"
		'' --for 1h --why w|silence record with an empty "device"
		--clear|--for, --clear, --why, --code and --by need a DEVICE
		mlx5_3 --clear|--why is missing: give others the reason
		mlx5_3 --clear --for 1h --why w|--clear takes effect once: it cannot be combined with --for
		mlx5_3 --clear --code port_state --why w|--code names no counter: only counters can be cleared
		mlx5_3 --end 00|--end needs an ID, and no DEVICE
		mlx5_3 --for 0s --why w|--for '0s': not a duration such as 2h or 7d, of at least a second and at most a year
		mlx5_3 --for 367d --why w|--for '367d': not a duration such as 2h or 7d, of at least a second and at most a year
		mlx5_3 --for x --why w|--for 'x': not a duration such as 2h or 7d, of at least a second and at most a year
	END
	for port in 0 256 x '' 1/2; do
		silence "mlx5_3/$port" --for 1h --why w
		status_is 64 '^nicsilence: error: mlx5_3/...: not a port from 1 to 255$'
	done
	silence mlx5_3 --for 1h --why $'\xff'
	status_is 64 '^nicsilence: error: a text is not UTF-8$'
	silence mlx5_3 mlx5_4 --for 1h --why w
	status_is 64 "^nicsilence: error: unexpected operand 'mlx5_4' "
	[ ! -e "$F" ]
}

@test "a file with an invalid line exits 65 and stays unchanged" {
	echo nonsense >"$F"
	silence mlx5_3 --for 1h --why w
	status_is 65 "^nicsilence: error: silences $F: line 1: "
	silence
	status_is 65 "^nicsilence: error: silences $F: line 1: "
	[ "$(cat "$F")" = nonsense ]
}

@test "a file that others may write exits 77, and one in a missing directory 74" {
	echo >"$F"
	chmod 666 "$F"
	silence
	status_is 77 "^nicsilence: error: $F: others may write to it \(mode 0666\)$"
	F=$T/none/silences
	silence mlx5_3 --for 1h --why w
	status_is 74 "^nicsilence: error: $T/none: No such file or directory$"
}

@test "while another process changes the file, nicsilence exits 75 at once and names the process" {
	silence mlx5_3 --for 1h --why w
	started holder flock "$F.lock" sleep 60
	wait_until 10 bash -c '! flock -n "$1" true' _ "$F.lock"
	silence mlx5_3 --for 1h --why w
	status_is 75 "^nicsilence: error: $F: .* is changing it$"
	has_lines 1 "$F"
}

@test "a full disk exits 74 and leaves the file unchanged" {
	silence mlx5_3 --for 1h --why w
	# shellcheck disable=SC2016 # for that shell
	run bash -c 'set -o pipefail; (ulimit -f 0; nicsilence --file "$1" --sysfs-root "$2" \
		mlx5_3 --for 1h --why w) 2>&1 | cat' _ "$F" "$T/sys"
	[ "$status" -eq 74 ]
	[ "$output" = "nicsilence: error: $F: not changed: File too large" ]
	has_lines 1 "$F"
	run --separate-stderr bash -c 'nicsilence --file "$1" >/dev/full' _ "$F"
	status_is 74 '^nicsilence: error: stdout: No space left on device$'
}
