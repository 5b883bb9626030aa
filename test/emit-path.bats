#!/usr/bin/env bats
# emit-path: emit --spool with links, foreign files and unsafe permissions at its path.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/emit
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# kept FILE - print the ids in a spool.
kept() { sqlite3 -readonly "$1" 'SELECT id FROM event ORDER BY number'; }

@test "a spool in a directory that is reached by a symbolic link works" {
	mkdir "$T/disk"
	ln -s disk "$T/link"
	run --separate-stderr timeout 20 emit --sink "file:$T/out" --spool "$T/link/spool" \
		< <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(kept "$T/disk/spool")" = "$(ids 1 2)" ]
}

@test "a spool that is a symbolic link is not used, and emit reports it" {
	ln -s other "$T/spool"
	run --separate-stderr timeout 20 emit --sink "file:$T/out" \
		--spool "$T/spool" < <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "emit: warning: spool $T/spool: it is a symbolic link: until it works again, events are kept in memory and delivered, but not acknowledged" ]
	[ ! -e "$T/other" ]
	[ "$(jq -r .id "$T/out")" = "$(ids 1 2)" ]
}

@test "when the spool is removed while emit runs, a new one gets the undelivered and all later events" {
	mkfifo "$T/sink"
	fed_emit --sink "file:$T/sink" --spool "$T/spool" --acks "$T/acks" --flush-timeout 0s
	feed 1 1
	wait_until 10 grep -q '"t":1' "$T/acks"
	rm "$T/spool"
	feed 2 3
	wait_until 10 grep -q '"t":3' "$T/acks"
	[ "$(kept "$T/spool")" = "$(ids 1 3)" ]
	says 1 "removed or moved: creating a new one; events that are not in memory are lost$"
	end_feed
	ends_with 0 "$EMIT"
	says 1 "^emit: note: sink file:$T/sink: 3 events not delivered yet: kept in the spool$"
	[ "$(sqlite3 -readonly "$T/spool" 'SELECT name, seq FROM source')" = 't|3' ]
}

@test "emit rejects --acks with a spool that is not a file of its own" {
	local spool
	for spool in :memory: "$T/same"; do
		run --separate-stderr timeout 20 emit --spool "$spool" --acks "$T/same" </dev/null
		status_is 64 "^emit: error: --acks: it needs a --spool that is another file "
	done
	[ ! -e "$T/same" ]
}

# Thorough: sinks
@test "a full spool drops dead letters before events that a sink lacks" {
	nic_events 1 300 >"$T/events"
	timeout 20 emit --sink "unix:$T/sink" --spool "$T/spool" </dev/null
	sqlite3 "$T/spool" "INSERT INTO dead_letter
			(sink, number, event_id, time_ns, reason, record)
		SELECT 'x', value, value, unixepoch() * 1000000000, '', hex(zeroblob(1000))
			FROM generate_series(1, 1000)"
	run --separate-stderr timeout 20 emit --sink "unix:$T/sink" --spool "$T/spool" \
		--spool-max 1MiB --flush-timeout 3s "$T/events"
	status_is 0
	stderr_has "^emit: note: sink unix:$T/sink: 300 events not delivered yet: kept in the spool$"
	none grep -q -e dropped -e larger <<<"$stderr"
	[ "$(kept "$T/spool")" = "$(ids 1 300)" ]
	[ "$(sqlite3 -readonly "$T/spool" \
		"SELECT min(number) > 500, max(number) = 1000 FROM dead_letter")" = '1|1' ]
}

@test "when the spool is full, a warning counts every dropped event" {
	fed_emit --sink "unix:$T/sink" --spool "$T/spool" --spool-max 1MiB --flush-timeout 0s
	feed 1 1000
	feed 1001 2000
	feed 2001 3000
	end_feed
	ends_with 0 "$EMIT"
	local warned dropped
	warned=$(awk '/: full: events dropped before every sink received them: / { sum += $NF } END { print sum }' "$T/emit.err")
	dropped=$(sqlite3 -readonly "$T/spool" "SELECT value FROM meta WHERE name = 'dropped'")
	[ "$dropped" -gt 500 ]
	[ "$warned" -eq "$dropped" ]
	[ "$(kept "$T/spool" | wc -l)" -eq $((3000 - dropped)) ]
}

# --- owners and permissions ---

# refuses FILE REASON - check that emit rejects the spool in $T/run for this reason and changes
# nothing there.
refuses() {
	local before
	before=$(find "$T/run" -printf '%p %y %m %U\n' -type f -exec md5sum {} + | sort)
	run --separate-stderr timeout 20 emit --sink "file:$T/out" --spool "$T/run/spool" \
		--acks "$T/run/acks" < <(nic_events 1 2)
	status_is 77
	# shellcheck disable=SC2053 # of a long path its end is shown
	[[ $stderr = "emit: error: $1 "$2 ]]
	[ ! -e "$T/out" ]
	[ "$(find "$T/run" -printf '%p %y %m %U\n' -type f -exec md5sum {} + | sort)" = "$before" ]
}

# Thorough: sinks
@test "a spool, its files or acks that others may write to exit 77, and no event is delivered from them" {
	local file
	mkdir "$T/run"
	run emit --sink "file:$T/old" --spool "$T/run/spool" --acks "$T/run/acks" < <(nic_events 1 \
		2)
	chmod 646 "$T/run/spool"
	refuses "spool $T/run/spool:" 'others may write to it (mode 0646)'
	chmod 600 "$T/run/spool"
	for file in .lock -wal -shm -journal; do
		rm -f "$T/run/spool$file"
		install -m 622 /dev/null "$T/run/spool$file"
		refuses "spool $T/run/spool:" "others may write to its file $file (mode 0622)"
		rm "$T/run/spool$file"
	done
	chmod 602 "$T/run/acks"
	refuses "acks file $T/run/acks:" 'others may write to it (mode 0602)'
	chmod 600 "$T/run/acks"
	chmod 777 "$T/run"
	refuses "acks file $T/run/acks:" 'others may write to its directory (mode 0777)'
	chmod 700 "$T/run"
	run --separate-stderr timeout 20 emit --sink "file:$T/out" --spool "$T/run/spool" \
		--acks "$T/run/acks" < <(nic_events 3 4)
	status_is 0
	[ "$(jq -r .id "$T/out")" = "$(ids 3 4)" ]
}

@test "a parent directory in which others can rename files exits 77, for a state file as well" {
	mkdir -p "$T/run" "$T/open/own"
	rm -r "$T/run" && ln -s open/own "$T/run"
	chmod 777 "$T/open"
	local where="the directory $T/open above it"
	refuses "acks file $T/run/acks:" "others may write to ${where/"$T"/*} (mode 0777)"
	run --separate-stderr ctreval --state "$T/open/own/state.json" </dev/null
	status_is 77 "^ctreval: error: .*: others may write to .*open above it \(mode 0777\): "
	[ ! -e "$T/open/own/state.json.lock" ]
	chmod 1777 "$T/open"
	run --separate-stderr ctreval --state "$T/open/own/state.json" </dev/null
	status_is 0
	[ "$(id -u)" -eq 0 ] || return 0 # only root can change a directory's owner
	chown 65534 "$T/open"
	refuses "acks file $T/run/acks:" "${where/"$T"/*} belongs to user 65534, not to root"
}

@test "the root of a mounted volume may be writable by all, like Kubernetes' emptyDir" {
	local volume=(unshare --user --map-root-user --mount bash -c
		'mount -t tmpfs -o mode=0777 none "$0" && mkdir "$0/own" && exec "$@"' "$T/volume")
	mkdir "$T/volume"
	"${volume[@]}" true 2>"$T/why" || skip "left out: no mounts here: $(<"$T/why")"
	run --separate-stderr "${volume[@]}" ctreval --state "$T/volume/own/state.json" </dev/null
	status_is 0
	# Also if the directory in it is still to be made.
	run --separate-stderr "${volume[@]}" emit --spool "$T/volume/new/spool.db" --sink - \
		</dev/null
	status_is 0
	[ "$stderr" = "" ]
	# A directory inside it may not.
	run --separate-stderr "${volume[@]}" bash -c 'mkdir -m 777 "$1/a" && mkdir "$1/a/b" &&
		exec ctreval --state "$1/a/b/state.json"' sh "$T/volume" </dev/null
	status_is 77 'others may write to the directory .*/volume/a above it \(mode 0777\)'
}

# As in a rootless container, and in a pod with a user namespace.
@test "a directory above that a user outside the user namespace owns is accepted" {
	local inside=(unshare --user --map-root-user)
	"${inside[@]}" true 2>"$T/why" || skip "left out: no user namespaces: $(<"$T/why")"
	mkdir -p "$T/outside/own"
	[ "$(id -u)" -ne 0 ] || chown 65533 "$T/outside"
	run --separate-stderr "${inside[@]}" emit --spool "$T/outside/own/spool.db" \
		--acks "$T/outside/own/acks" --sink "file:$T/out" < <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "" ]
	run --separate-stderr "${inside[@]}" ctreval --state "$T/outside/own/state.json" \
		</dev/null
	status_is 0
}

# Thorough: sinks
@test "a spool, log, lock, acks or link of another user exits 77, and no event is delivered from it" {
	[ "$(id -u)" -eq 0 ] || return 0 # only root can change a file's owner
	local file
	mkdir -m 1777 "$T/run"
	run emit --sink "file:$T/old" --spool "$T/run/spool" --acks "$T/run/acks" < <(nic_events 1 \
		2)
	for file in '' .lock -wal; do
		touch "$T/run/spool$file"
		chown 65534 "$T/run/spool$file"
		refuses "spool $T/run/spool:" \
			"${file:+its file }${file:-it} belongs to user 65534, not to root"
		chown 0 "$T/run/spool$file"
	done
	chown 65534 "$T/run/acks"
	refuses "acks file $T/run/acks:" 'it belongs to user 65534, not to root'
	rm "$T/run/acks" "$T/run/spool"
	ln -s ../elsewhere "$T/run/spool"
	chown -h 65534 "$T/run/spool"
	refuses "spool $T/run/spool:" 'it belongs to user 65534, not to root'
	[ ! -e "$T/elsewhere" ]
}

@test "a file sink follows a link of its own user, but not one of another user" {
	echo precious >"$T/precious"
	ln -s out "$T/link"
	run --separate-stderr timeout 20 emit --sink "file:$T/link" < <(nic_events 1 2)
	status_is 0
	[ "$(jq -r .id "$T/out")" = "$(ids 1 2)" ]
	[ "$(id -u)" -eq 0 ] || return 0 # only root can change a file's owner
	mkdir -m 1777 "$T/shared"
	ln -s ../precious "$T/shared/events"
	chown -h 65534 "$T/shared/events"
	run --separate-stderr timeout 20 emit --sink "file:$T/shared/events" --flush-timeout 100ms \
		< <(nic_events 1 2)
	status_is 69 "^emit: warning: sink file:$T/shared/events: (Too many levels of symbolic links|Permission denied)"
	[ "$(cat "$T/precious")" = precious ]
}

@test "a confined file sink creates the file that its links lead to, as after a rotation" {
	mkdir "$T/here" "$T/there" "$T/elsewhere"
	ln -s ../there/link "$T/here/events"
	ln -s "$T/elsewhere/events" "$T/there/link"
	run --separate-stderr timeout 20 emit --sink "file:$T/here/events" --flush-timeout 100ms \
		< <(nic_events 1 2)
	status_is 0
	[ "$(jq -r .id "$T/elsewhere/events")" = "$(ids 1 2)" ]
}

# Thorough: sinks
@test "a closed spool whose directory others may now write to is not opened again" {
	mkdir "$T/run"
	fed_emit --sink "file:$T/out" --spool "$T/run/spool" --acks "$T/run/acks" --flush-timeout 0s
	feed 1 1
	wait_until 10 grep -q '"t":1' "$T/run/acks"
	chmod 777 "$T/run"
	rm "$T/run/spool"
	feed 2 2
	wait_until 10 grep -q "^emit: warning: spool $T/run/spool: others may write to its directory (mode 0777): until it works again, events are kept in memory" "$T/emit.err"
	[ ! -e "$T/run/spool" ]
	chmod 700 "$T/run"
	wait_until 20 grep -q '"t":2' "$T/run/acks"
	end_feed
	ends_with 0 "$EMIT"
}
