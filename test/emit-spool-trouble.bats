#!/usr/bin/env bats
# emit-spool-trouble: when the spool's disk is full, missing, read-only or damaged, emit delivers
# every event, acknowledges none that is not stored, and keeps running.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	umask 022
}

teardown() {
	end_feed
	chmod -R u+w "$T"
	end_background
	nothing_survives
}

# confined COMMAND... - run the command without root's right to ignore file permissions.
confined() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all "$@"
	else
		"$@"
	fi
}

# spool_fails, spool_works - wait until emit has reported that once.
spool_fails() { wait_until 10 says 1 \
	"warning: spool $SPOOL: .*: until it works again, events are kept in memory and delivered, but not acknowledged"; }
spool_works() { wait_until 10 says 1 "note: spool $SPOOL: works again"; }

# --- no room, no directory, no right ---

# full, roomy - stop emit's files from growing beyond the present size of its log; allow it again.
full() { prlimit --pid "$EMIT" --fsize="$(stat -c %s "$SPOOL-wal"):"; }
roomy() { prlimit --pid "$EMIT" --fsize="$(prlimit --pid "$EMIT" --fsize --output HARD \
	--noheadings):"; }

is_past() { [ "$SECONDS" -ge "$1" ]; }

# Thorough: sinks
@test "an event that is being sent when the spool first opens is sent once" {
	load lib/servers
	start_webhook web
	behave web '1 hang 4' ok
	ln -s nowhere "$SPOOL"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "http://$ADDRESS"
	feed 1 1
	wait_until 10 has_logged 1 web '.kind == "request"'
	rm "$SPOOL"
	spool_works
	feed 2 2
	wait_until 20 acked 2
	end_feed
	ends_with 0 "$EMIT"
	diff <(logged web '.body[].id') <(ids 1 2)
	has_stored 1 2
	[ "$(query 'SELECT DISTINCT position = (SELECT max(number) FROM event) FROM sink')" -eq 1 ]
}

# Thorough: sinks
@test "with a full disk events reach the sinks without an ack, and are stored and acknowledged when there is room" {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	feed 1 3
	wait_until 10 acked 3
	full
	feed 4 6
	spool_fails
	feed 7 9
	acked 3
	[ "$(query 'SELECT count(*) FROM event')" -eq 3 ]
	holds "$T/got" 1 9
	roomy
	spool_works
	wait_until 10 acked 9
	feed 10 10
	wait_until 10 acked 10
	end_feed
	ends_with 0 "$EMIT"
	says 2 ''
	has_stored 1 10
	holds "$T/got" 1 10
}

@test "an event that was not stored when emit was killed is not acknowledged, so it comes again" {
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3
	wait_until 10 acked 3
	full
	feed 4 6
	spool_fails
	killed "$EMIT"
	end_feed
	acked 3
	nic_events 4 6 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/got"
	has_stored 1 6
	acked 6
	holds "$T/got" 4 6
}

@test "events that neither a sink nor the full spool has at the end exit 69 with a message" {
	fed_emit --spool "$SPOOL" --sink "unix:$S" --flush-timeout 100ms
	feed 1 3
	full
	feed 4 6
	spool_fails
	end_feed
	ends_with 69 "$EMIT"
	says 1 "error: sink unix:$S: 6 events not delivered"
}

# Thorough: sinks
@test "a sink's position that cannot be stored is stored later, without a busy loop meanwhile" {
	local before
	fed_emit --spool "$SPOOL" --sink "unix:$S"
	feed 1 3
	wait_until 10 says 1 "sink unix:$S: .*: retrying"
	full
	listen_unix up "$S"
	wait_until 10 has_lines 3 "$T/up.got"
	spool_fails
	before=$(ticks "$EMIT")
	wait_until 5 is_past $((SECONDS + 2))
	[ $(($(ticks "$EMIT") - before)) -lt 50 ]
	roomy
	spool_works
	end_feed
	ends_with 0 "$EMIT"
	[ "$(query "SELECT position FROM sink WHERE name = 'unix:$S'")" -eq 3 ]
}

# Thorough: sinks
@test "with a missing spool directory events are delivered, and stored once it exists, also for a sink that is down" {
	SPOOL=$T/later/dir/spool.db
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	feed 1 3
	spool_fails
	[ ! -e "$ACKS" ]
	mkdir "$T/later"
	spool_works
	wait_until 10 acked 3
	feed 4 5
	wait_until 10 acked 5
	has_stored 1 5
	[ "$(stat -c %a "$T/later/dir" "$SPOOL" | paste -s)" = "$(printf '750\t640')" ]
	listen_unix up "$S"
	wait_until 10 has_lines 5 "$T/up.got"
	end_feed
	ends_with 0 "$EMIT"
	holds "$T/up.got" 1 5
	holds "$T/taken" 1 5
}

# Thorough: sinks
@test "a spool that returns after the start has its old events delivered first, then those that came meanwhile" {
	mkdir "$T/dir"
	SPOOL=$T/dir/spool.db
	nic_events 1 3 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--flush-timeout 0
	mv "$T/dir" "$T/away"
	printf 'no directory\n' >"$T/dir"
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	feed 4 5
	spool_fails
	rm "$T/dir"
	mv "$T/away" "$T/dir"
	spool_works
	wait_until 10 acked 5
	listen_unix up "$S"
	wait_until 10 has_lines 5 "$T/up.got"
	end_feed
	ends_with 0 "$EMIT"
	has_stored 1 5
	holds "$T/up.got" 1 5
	holds "$T/taken" 4 5
	[ "$(query "SELECT began_after FROM sink ORDER BY name = 'unix:$S'" | paste -s)" = \
		"$(printf '3\t0')" ]
}

@test "a read-only spool directory gives a warning, and events are delivered" {
	mkdir "$T/dir"
	chmod 555 "$T/dir"
	run --separate-stderr confined timeout 10 emit --spool "$T/dir/spool.db" \
		--acks "$ACKS" < <(nic_events 1 3)
	status_is 0 "^emit: warning: spool $T/dir/spool.db: Permission denied: until it works again, events are kept in memory and delivered, but not acknowledged$"
	[ "$output" = "$(nic_events 1 3)" ]
	[ ${#stderr_lines[@]} -eq 1 ]
	[ ! -e "$ACKS" ]
}

@test "a spool that cannot be reached for a while is not reported as removed, and stays in use" {
	SPOOL=$T/dir/spool.db
	# shellcheck disable=SC2034 # for fed_emit()
	[ "$(id -u)" -ne 0 ] || INSIDE=(setpriv
		"--bounding-set=-dac_override,-dac_read_search" --inh-caps=-all)
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3
	wait_until 10 acked 3
	chmod 000 "$T/dir"
	feed 4 6
	wait_until 10 acked 6
	chmod 750 "$T/dir"
	feed 7 9
	wait_until 10 acked 9
	end_feed
	ends_with 0 "$EMIT"
	says 0 ''
	has_stored 1 9
	holds "$T/taken" 1 9
}

@test "a read-only spool is not changed and keeps its events" {
	mkdir "$T/dir"
	SPOOL=$T/dir/spool.db
	nic_events 1 2 | emit_once --spool "$SPOOL" --sink "unix:$S" --flush-timeout 0
	cp "$SPOOL" "$T/before"
	chmod 444 "$SPOOL"
	chmod 555 "$T/dir"
	run --separate-stderr confined timeout 10 emit --spool "$SPOOL" < <(nic_events 3 3)
	status_is 0 "^emit: warning: spool $SPOOL: .*: until it works again, events are kept in memory"
	[ "$output" = "$(nic_events 3 3)" ]
	cmp "$T/before" "$SPOOL"
	chmod 755 "$T/dir"
	chmod 644 "$SPOOL"
	has_stored 1 2
}

# Thorough: sinks
@test "acks that cannot be written give a warning; events are stored, and acknowledged later" {
	ACKS=$T/later/acks.json
	fed_emit --spool "$SPOOL" --acks "$ACKS"
	feed 1 3
	wait_until 10 says 1 "warning: $ACKS: No such file or directory: events are stored but not acknowledged"
	has_stored 1 3
	mkdir "$T/later"
	wait_until 10 says 1 "note: $ACKS: can be written again"
	acked 3
	end_feed
	ends_with 0 "$EMIT"
	says 2 ''
}

@test "a spool in a directory that is reached by a symbolic link works" {
	mkdir "$T/dir"
	ln -s dir "$T/link"
	nic_events 1 2 | emit_once --spool "$T/link/spool.db" --sink "file:$T/got"
	said 0 ''
	SPOOL=$T/dir/spool.db
	has_stored 1 2
}

# --- foreign databases ---

# left_alone REASON - check that emit exits 78 with this reason and does not change the file.
left_alone() {
	cp "$SPOOL" "$T/before"
	run --separate-stderr timeout 10 emit --spool "$SPOOL" < <(nic_events 1 2)
	status_is 78 "^emit: error: spool $SPOOL: $1$"
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
	cmp "$T/before" "$SPOOL"
	[ -z "$(find "$T" -name '*.corrupt-*')" ]
}

@test "another program's database is not changed, and emit exits 78" {
	sqlite3 "$SPOOL" 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)'
	left_alone "it is a database, but not a spool"
	sqlite3 "$SPOOL" 'PRAGMA journal_mode = WAL; INSERT INTO mine VALUES (2)' >&2
	left_alone "it is a database, but not a spool"
	[ "$(query 'SELECT sum(a) FROM mine')" -eq 3 ]
}

@test "a spool of a newer version is not changed, and emit exits 78" {
	nic_events 1 2 | emit_once --spool "$SPOOL" --sink "file:$T/got"
	sqlite3 "$SPOOL" 'PRAGMA user_version = 99'
	left_alone "it is a spool of another version"
}

# --- damaged spools ---

# broken - print the file that was moved aside; fail if there is not exactly one.
broken() {
	local files
	files=("$T"/spool.db.corrupt-????????T??????Z)
	[ ${#files[@]} -eq 1 ]
	echo "${files[0]}"
}

# nobody_has_kept - turn the acks into those of an earlier version, whose writers can write nothing
# again. (emit-lost.bats tests the others.)
nobody_has_kept() {
	jq -c 'del(.delivered)' "$ACKS" >"$T/acks.new"
	chmod 640 "$T/acks.new"
	mv "$T/acks.new" "$ACKS"
}

# written FROM TO - print the events and wait until the file sink has them: input for an emit that
# does not wait for the other sink.
written() {
	nic_events "$1" "$2"
	wait_until 20 has_lines "$2" "$T/got"
}

# broken_after FILE-COMMAND... - let the command damage a spool of 2,000 events of which the unix
# sink lacks the last 500; then run emit with events 2,001 to 2,005. Check that the rescued events
# are in the new spool and the missing ones arrive.
broken_after() {
	listen_unix up "$S"
	nic_events 1 1500 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--sink "file:$T/got"
	wait_until 10 has_lines 1500 "$T/up.got"
	kill -TERM "$PID"
	wait_until 10 is_gone "$PID"
	written 1501 2000 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--sink "file:$T/got" --flush-timeout 0
	nobody_has_kept
	"$@"
	written 2001 2005 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--sink "file:$T/got" --flush-timeout 0
	said 1 "error: spool $SPOOL: .*: moved to $(broken)$"
	said 1 "error: spool $SPOOL: events recovered from the damaged one: [0-9]+; its other events are lost, delivered or not$"
	acked 2005
	listen_unix up "$S"
	nic_events 2006 2006 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--sink "file:$T/got"
	said 0 ''
	[ "$(query 'PRAGMA integrity_check')" = ok ]
	OVER=$(query 'SELECT count(*) FROM event WHERE seq <= 2000')
	wait_until 10 has_lines 1 "$T/up.got" '"id":"t-2006"'
	# Both sinks have each rescued event and all new ones, in order.
	holds "$T/got" 1 2006
	diff <(came "$T/up.got") <(ids 1 1500; query \
		'SELECT id FROM event WHERE seq > 1500 ORDER BY seq')
}

garbage() { head -c 50000 /dev/urandom | tee "$T/garbage" >"$SPOOL"; }
# damage - overwrite four pages in the middle of the events.
damage() { dd if=/dev/urandom of="$SPOOL" bs=4096 seek=$(($(stat -c %s "$SPOOL") / 4096 / 2)) \
	count=4 conv=notrunc status=none; }
cut_short() { truncate -s $(($(stat -c %s "$SPOOL") * 3 / 4)) "$SPOOL"; }

# Thorough: sinks
@test "a spool of garbage is moved aside with an error, and emit continues with a new one" {
	broken_after garbage
	cmp "$T/garbage" "$(broken)"
	[ "$OVER" -eq 0 ]
	query 'SELECT seq FROM event ORDER BY seq' | cmp <(seq 2001 2006) -
}

# Thorough: sinks
@test "when pages of the spool are damaged, emit rescues the rest and delivers what is undelivered" {
	broken_after damage
	[ "$OVER" -gt 1800 ]
}

# Thorough: sinks
@test "when the spool is truncated, emit rescues what is left" {
	broken_after cut_short
	[ "$OVER" -gt 1000 ]
}

# Thorough: sinks
@test "a spool that breaks while emit runs is replaced, and no readable or later event is lost" {
	fed_emit --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S"
	feed 1 2000
	wait_until 10 acked 2000
	# Move the log into the file, from which emit must then read.
	sqlite3 "$SPOOL" 'PRAGMA wal_checkpoint(TRUNCATE)' >&2
	damage
	listen_unix up "$S"
	wait_until 20 says 1 "error: spool $SPOOL: .*: moved to "
	wait_until 10 says 1 "error: spool $SPOOL: events recovered from the damaged one: 1[0-9]+; "
	feed 2001 2010
	# The writer repeats its oldest event: nothing before it will come.
	nic_events 2001 2010 >&8
	wait_until 10 acked 2010
	wait_until 10 has_lines 1 "$T/up.got" '"id":"t-2010"'
	end_feed
	ends_with 0 "$EMIT"
	[ -e "$(broken)" ]
	[ "$(query 'PRAGMA integrity_check')" = ok ]
	[ "$(query 'SELECT count(*) FROM event')" -gt 1800 ]
	diff <(came "$T/up.got" | sort -u -V) <(query 'SELECT id FROM event ORDER BY number')
	diff <(came "$T/up.got") <(came "$T/up.got" | sort -V -u)
	holds "$T/taken" 1 2010
}

# Thorough: sinks
@test "a damaged spool is rescued as soon as there is room for its events" {
	nic_events 1 2000 | emit_once --spool "$SPOOL" --acks "$ACKS" --sink "unix:$S" \
		--flush-timeout 0
	nobody_has_kept
	damage
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit bash -c 'ulimit -S -f 200; exec emit "$@"' _ --spool "$SPOOL" --acks "$ACKS" \
		--sink "unix:$S" --sink "file:$T/taken" "$T/feed"
	EMIT=$PID
	spool_fails
	nic_events 2001 2003 >&8
	wait_until 10 has_lines 3 "$T/taken"
	listen_unix up "$S"
	wait_until 10 has_lines 3 "$T/up.got"
	acked 2000
	roomy
	spool_works
	wait_until 10 acked 2003
	wait_until 10 has_lines 2 "$T/up.got" '"id":"t-2003"'
	end_feed
	ends_with 0 "$EMIT"
	[ "$(query 'SELECT count(*) FROM event')" -gt 1800 ]
	# The events of that time were delivered at once, and come again in their place.
	diff <(came "$T/up.got" | tail -n +4) <(query 'SELECT id FROM event ORDER BY number')
	holds "$T/taken" 2001 2003
}
