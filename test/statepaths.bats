#!/usr/bin/env bats
# statepaths: state file paths that cannot be used do not stop ctreval and logmatch. preflight.bats
# tests the service.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	SCANS=$T/scans
	# The last of five scans has a breach.
	for n in 1 2 3 4 5; do
		jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson n "$n" 'include "records";
			scan($n; $n; [ib("mlx5_0"; {link_downed: (if $n < 5 then 0 else 1 end)})])'
	done >"$SCANS"
	mkdir "$T/sys"
	echo '[   12.345678] mlx5_core 0000:18:00.0: synd 0x8: unrecoverable hardware error' \
		>"$T/log"
	# Modes and read-only directories do not stop root, so run as another user.
	AS=()
	if [ "$(id -u)" -eq 0 ]; then
		AS=(setpriv --reuid 65534 --regid 65534 --clear-groups)
		for_anybody ctreval logmatch
	fi
}

teardown() { end_background; }

# ctreval_works_at PATH REASON [N] - check that ctreval warns once with REASON and PATH (its first N
# bytes) and evaluates the scans
ctreval_works_at() {
	run --separate-stderr timeout 60 "${RUN[@]}" ctreval --state "$1" <"$SCANS"
	status_is 0
	[ "$(jq -r 'select(.isFatal).message' <<<"$output" | wc -l)" -eq 1 ]
	warns_once ctreval "$@"
}

# logmatch_works_at PATH REASON [N] - check the same of logmatch
logmatch_works_at() {
	run --separate-stderr timeout 60 "${RUN[@]}" logmatch --sysfs-root "$T/sys" --state "$1" \
		"$T/log"
	status_is 0
	[ "$(jq -s length <<<"$output")" -eq 1 ]
	warns_once logmatch "$@"
}

warns_once() {
	local tool=$1 path=${2:0:${4:-1000}} reason=$3
	if [ "$(grep -c ': \(warning\|error\): ' <<<"$stderr" || true)" -ne 1 ] ||
		[[ $stderr != *"$tool: warning: $path"*": $reason: "* ]]; then
		printf '%s, state file %s: not one warning "%s":\n%s\n' "$tool" "$path" "$reason" \
			"$stderr" >&2
		return 1
	fi
}

# works_at PATH REASON [N] - check both twice, to see that a first run leaves no obstacle
works_at() {
	ctreval_works_at "$@"
	logmatch_works_at "$@"
	ctreval_works_at "$@"
	logmatch_works_at "$@"
}

# leaves TYPE PATH - check that the file still has this type and no companions
leaves() {
	[ "$(find "$2" -maxdepth 0 -printf %y)" = "$1" ]
	[ ! -e "$2.corrupt" ] && [ ! -e "$2.tmp" ]
}

# Thorough: tools
@test "a state path below a plain file stops neither ctreval nor logmatch" {
	echo content >"$T/plain"
	works_at "$T/plain/state.json" 'Not a directory'
	works_at "$T/plain/deeper/state.json" 'Not a directory'
	[ "$(cat "$T/plain")" = content ]
}

# Thorough: tools
@test "a missing directory of the state file stops neither ctreval nor logmatch" {
	works_at "$T/missing/state.json" 'No such file or directory'
	[ ! -e "$T/missing" ]
}

# Thorough: tools
@test "a directory in place of the state file stops neither, and stays" {
	mkdir "$T/state.json"
	works_at "$T/state.json" 'Is a directory'
	leaves d "$T/state.json"
	works_at "$T/state.json/" 'Is a directory'
	# This is the lock of the path with the slash.
	rm -f "$T/state.json/.lock"
	rmdir "$T/state.json"
}

# Thorough: tools
@test "an overlong name stops neither ctreval nor logmatch" {
	local long
	long=$(printf '%0255d' 0)
	works_at "$T/$long" 'File name too long'
	works_at "$T/${long}0" 'File name too long'
	works_at "$T/$(printf '%05000d' 0)" 'File name too long' 100
	works_at "$T/$(printf 'd/%.0s' $(seq 3000))state" 'File name too long' 100
}

# Thorough: tools
@test "a FIFO, device or socket in place of the state file stops neither, and stays without a lock" {
	mkfifo "$T/fifo"
	works_at "$T/fifo" 'not a regular file'
	leaves p "$T/fifo"
	works_at /dev/null 'not a regular file'
	works_at /dev/full 'not a regular file'
	[ -c /dev/null ]
	[ -c /dev/full ]
	/usr/bin/python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \
		"$T/socket"
	works_at "$T/socket" 'not a regular file'
	leaves s "$T/socket"
	[ -z "$(find "$T" /dev -maxdepth 1 -name '*.lock')" ]
}

# Thorough: tools
@test "a symbolic link in place of the state file stops neither, and stays, whatever its target" {
	local target
	echo '{"version":1}' >"$T/elsewhere.json"
	for target in elsewhere itself elsewhere.json; do
		ln -s "$target" "$T/itself"
		works_at "$T/itself" 'a symbolic link'
		leaves l "$T/itself"
		rm "$T/itself"
	done
	[ "$(cat "$T/elsewhere.json")" = '{"version":1}' ]
}

@test "a disk that cannot be read stops neither ctreval nor logmatch" {
	touch "$T/state.json"
	# Reading the first byte of a process's memory fails.
	# shellcheck disable=SC2016 # for the inner shell
	started disk unshare --mount --map-root-user bash \
		-c 'mount --bind "/proc/$$/mem" "$0" && echo mounted && exec sleep 900' \
		"$T/state.json"
	wait_until 20 has_lines 1 "$T/disk.out" mounted
	# A confined tool may not even open another process's memory.
	RUN=(nsenter --target "$PID" --mount --user --preserve-credentials --
		env NHM_CONFINE=off)
	works_at "$T/state.json" 'Input/output error'
}

# Thorough: tools
@test "an unreadable state file or directory stops neither, and stays" {
	mkdir -m 1777 "$T/run"
	echo '{"version":1}' >"$T/run/secret.json"
	chmod 0 "$T/run/secret.json"
	mkdir -m 0 "$T/closed"
	RUN=("${AS[@]}")
	works_at "$T/run/secret.json" 'Permission denied'
	leaves f "$T/run/secret.json"
	works_at "$T/closed/state.json" 'Permission denied'
}

@test "a read-only directory stops neither, and the state in the file is used" {
	mkdir "$T/run"
	RUN=()
	run ctreval --state "$T/run/state.json" <"$SCANS"
	run logmatch --sysfs-root "$T/sys" --state "$T/run/logmatch.json" "$T/log"
	rm "$T/run"/*.lock
	chmod -R a+rX,a-w "$T/run"
	RUN=("${AS[@]}")
	# The breach stands, so there is no event.
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" \
		'include "records"; scan(6; 6; [ib("mlx5_0"; {link_downed: 1})])' >"$T/next"
	run --separate-stderr "${RUN[@]}" ctreval --state "$T/run/state.json" <"$T/next"
	status_is 0
	[ -z "$output" ]
	warns_once ctreval "$T/run/state.json" 'Permission denied'
	run --separate-stderr "${RUN[@]}" logmatch --sysfs-root "$T/sys" \
		--state "$T/run/logmatch.json" /dev/null
	status_is 0
	warns_once logmatch "$T/run/logmatch.json" 'Permission denied'
	works_at "$T/run/other.json" 'Permission denied'
}

@test "a full disk stops neither ctreval nor logmatch" {
	mkdir "$T/disk"
	# This file system has room only for names.
	# shellcheck disable=SC2016 # for the inner shell
	started disk unshare --mount --map-root-user bash \
		-c 'mount -t tmpfs -o size=4k none "$0" && head -c 1M /dev/zero >"$0/ballast" 2>"$0.full"; exec sleep 900' "$T/disk"
	wait_until 20 grep -q 'No space left' "$T/disk.full"
	RUN=(nsenter --target "$PID" --mount --user --preserve-credentials --)
	works_at "$T/disk/state.json" 'No space left on device'
}

# Thorough: tools
@test "a read-only file system stops neither ctreval nor logmatch" {
	mkdir "$T/disk"
	# shellcheck disable=SC2016 # for the inner shell
	started disk unshare --mount --map-root-user bash \
		-c 'mount -t tmpfs -o ro none "$0" && echo mounted && exec sleep 900' "$T/disk"
	wait_until 20 has_lines 1 "$T/disk.out" mounted
	RUN=(nsenter --target "$PID" --mount --user --preserve-credentials --)
	works_at "$T/disk/state.json" 'Read-only file system'
}

# Thorough: tools
@test "another file in place of the lock or of the temporary file stops neither" {
	mkdir "$T/a.json.lock" "$T/b.json.tmp"
	works_at "$T/a.json" 'Is a directory'
	works_at "$T/b.json" 'Is a directory'
	ln -s elsewhere "$T/c.json.lock"
	works_at "$T/c.json" 'Too many levels of symbolic links'
	[ ! -e "$T/elsewhere" ]
}

# --- files of other users ---

# refuses TOOL PATH REASON - check that TOOL exits 77 with one error about the state file, without
# its content, and changes no file
refuses() {
	local tool=$1 path=$2 reason=$3 before
	local -A command=([ctreval]="ctreval --state $path" \
		[logmatch]="logmatch --sysfs-root $T/sys --state $path $T/log")
	before=$(look_around "$path")
	# shellcheck disable=SC2086 # no path here has a space
	run --separate-stderr timeout 60 "${RUN[@]}" ${command[$tool]} <"$SCANS"
	status_is 77
	[ -z "$output" ]
	[ "$stderr" = "$tool: error: $path: $reason: refusing to use it as the state file" ]
	[ "$(look_around "$path")" = "$before" ]
}

# look_around PATH - print names, types, modes, owners and contents of its directory
look_around() { find "${1%/*}" -printf '%p %y %m %U %l\n' -type f -exec md5sum {} + | sort; }

both_refuse() {
	refuses ctreval "$@"
	refuses logmatch "$@"
}

# Thorough: tools
@test "a state file or lock that others may write exits 77 and stays unchanged" {
	mkdir "$T/run"
	# This file would clear what stands, or have it reported.
	echo '{"version":1}' >"$T/run/state.json"
	chmod 646 "$T/run/state.json"
	both_refuse "$T/run/state.json" 'others may write to it (mode 0646)'
	chmod 640 "$T/run/state.json"
	touch "$T/run/state.json.lock"
	chmod 602 "$T/run/state.json.lock"
	both_refuse "$T/run/state.json" 'others may write to its file .lock (mode 0602)'
}

@test "a state file in a directory that others may write exits 77, unless the sticky bit protects its files" {
	mkdir -m 777 "$T/run"
	both_refuse "$T/run/state.json" 'others may write to its directory (mode 0777)'
	chmod 1777 "$T/run"
	run --separate-stderr ctreval --state "$T/run/state.json" <"$SCANS"
	status_is 0
	complains_not
	[ -f "$T/run/state.json" ]
}

# Thorough: tools
@test "a state file, link, lock or directory of another user exits 77 and stays unchanged" {
	[ "$(id -u)" -eq 0 ] || return 0 # only root can give a file away
	# Anybody who may write to such a directory can make these.
	mkdir -m 1777 "$T/run"
	echo '{"version":1,"ports":{"mlx5_0:1":{}}}' >"$T/run/state.json"
	chown 65534 "$T/run/state.json"
	both_refuse "$T/run/state.json" 'it belongs to user 65534, not to root'
	ln -s state.json "$T/run/link.json"
	chown -h 65534 "$T/run/link.json"
	both_refuse "$T/run/link.json" 'it belongs to user 65534, not to root'
	mkfifo "$T/run/fifo.json"
	chown 65534 "$T/run/fifo.json"
	both_refuse "$T/run/fifo.json" 'it belongs to user 65534, not to root'
	touch "$T/run/other.json.lock"
	chown 65534 "$T/run/other.json.lock"
	both_refuse "$T/run/other.json" 'its file .lock belongs to user 65534, not to root'
	mkdir "$T/theirs"
	chown 65534 "$T/theirs"
	both_refuse "$T/theirs/state.json" 'its directory belongs to user 65534, not to root'
	# Another user trusts itself and root.
	RUN=("${AS[@]}")
	chmod 644 "$T/run/state.json"
	ctreval_works_at_once "$T/run/state.json"
	chown 1 "$T/run/state.json"
	both_refuse "$T/run/state.json" \
		'it belongs to user 1, neither to user 65534, who runs this, nor to root'
}

# ctreval_works_at_once PATH - check that it evaluates without a warning
ctreval_works_at_once() {
	run --separate-stderr timeout 60 "${RUN[@]}" ctreval --state "$1" <"$SCANS"
	status_is 0
	complains_not
}

# complains_not - check that stderr has nothing but notes
complains_not() { none grep -E ': (warning|error): ' <<<"$stderr"; }

@test "a link that another user left in place of the temporary file is not written through" {
	mkdir "$T/run"
	echo precious >"$T/precious"
	ln -s "$T/precious" "$T/run/state.json.tmp"
	run --separate-stderr timeout 60 ctreval --state "$T/run/state.json" <"$SCANS"
	status_is 0
	complains_not
	[ -f "$T/run/state.json" ]
	[ "$(cat "$T/precious")" = precious ]
}

@test "an acks file that others may write acknowledges nothing, with one warning" {
	mkdir "$T/run"
	run --separate-stderr timeout 60 ctreval --state "$T/run/state.json" \
		--acks "$T/run/acks.json" <"$SCANS"
	status_is 0
	jq -c '{version: 1, acks: {(.source): 1000000}, receiver: "r"}' "$T/run/state.json" \
		>"$T/run/acks.json"
	chmod 666 "$T/run/acks.json"
	run --separate-stderr timeout 60 ctreval --state "$T/run/state.json" \
		--acks "$T/run/acks.json" </dev/null
	status_is 0
	[ "$(grep acks <<<"$stderr")" \
		= "ctreval: warning: $T/run/acks.json: others may write to it (mode 0666): treating every event as unacknowledged" ]
	[ "$(jq '.outbox | length' "$T/run/state.json")" \
		-eq "$(jq -s 'map(select(.kind == "event")) | length' <<<"$output")" ]
	jq -e 'select(.kind == "event")' <<<"$output" >/dev/null
}
