#!/usr/bin/env bats
# emit --spool: what is at the place that is named.

setup() {
	load lib/common
	load lib/emit
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# kept FILE - the ids in a spool.
kept() { sqlite3 -readonly "$1" 'SELECT id FROM event ORDER BY number'; }

@test "a spool in a directory that is reached by a symbolic link" {
	mkdir "$T/disk"
	ln -s disk "$T/link"
	run --separate-stderr timeout 20 emit --sink "file:$T/out" --spool "$T/link/spool" < <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(kept "$T/disk/spool")" = "$(ids 1 2)" ]
}

@test "a spool that is a symbolic link is not used, and that is said" {
	ln -s other "$T/spool"
	run --separate-stderr timeout 20 emit --sink "file:$T/out" --spool "$T/spool" < <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "emit: warning: spool $T/spool: it is a symbolic link: events are kept in memory, delivered, and not acknowledged, until it works" ]
	[ ! -e "$T/other" ]
	[ "$(jq -r .id "$T/out")" = "$(ids 1 2)" ]
}

@test "a spool that is removed while emit runs: that is said, and what comes then is kept in a new one" {
	mkfifo "$T/sink"
	fed_emit --sink "file:$T/sink" --spool "$T/spool" --acks "$T/acks" --flush-timeout 0s
	feed 1 1
	wait_until 10 grep -q '"t":1' "$T/acks"
	rm "$T/spool"
	feed 2 3
	wait_until 10 grep -q '"t":3' "$T/acks"
	[ "$(kept "$T/spool")" = "$(ids 2 3)" ]
	says 1 "^emit: error: spool $T/spool: removed, or moved: what was in it, delivered or not, is missing in the next one$"
	end_feed
	ends_with 0 "$EMIT"
	says 1 "^emit: note: sink file:$T/sink: 2 events not delivered yet: kept in the spool$"
	[ "$(sqlite3 -readonly "$T/spool" 'SELECT name, seq FROM source')" = 't|3' ]
}

@test "what is not in a file is not acknowledged" {
	local spool
	for spool in :memory: "$T/same"; do
		run --separate-stderr timeout 20 emit --spool "$spool" --acks "$T/same" </dev/null
		status_is 64 "^emit: error: --acks: it needs a --spool that is a file of its own "
	done
	[ ! -e "$T/same" ]
}

@test "dead letters fill no spool: they go before events that a sink has not got" {
	nic_events 1 300 >"$T/events"
	timeout 20 emit --sink "unix:$T/sink" --spool "$T/spool" </dev/null
	sqlite3 "$T/spool" "INSERT INTO dead_letter (sink, number, event_id, time_ns, reason, record)
		SELECT 'x', value, value, unixepoch() * 1000000000, '', hex(zeroblob(1000)) FROM generate_series(1, 1000)"
	run --separate-stderr timeout 20 emit --sink "unix:$T/sink" --spool "$T/spool" --spool-max 1MiB --flush-timeout 3s "$T/events"
	status_is 0
	stderr_has "^emit: note: sink unix:$T/sink: 300 events not delivered yet: kept in the spool$"
	none grep -q -e dropped -e larger <<<"$stderr"
	[ "$(kept "$T/spool")" = "$(ids 1 300)" ]
	[ "$(sqlite3 -readonly "$T/spool" "SELECT min(number) > 500, max(number) = 1000 FROM dead_letter")" = '1|1' ]
}

@test "a spool that is full: every event that was dropped is counted in a warning" {
	fed_emit --sink "unix:$T/sink" --spool "$T/spool" --spool-max 1MiB --flush-timeout 0s
	feed 1 1000
	feed 1001 2000
	feed 2001 3000
	end_feed
	ends_with 0 "$EMIT"
	local warned dropped
	warned=$(awk '/: full: events that were dropped although not every sink has them: / { sum += $NF } END { print sum }' "$T/emit.err")
	dropped=$(sqlite3 -readonly "$T/spool" "SELECT value FROM meta WHERE name = 'dropped'")
	[ "$dropped" -gt 500 ]
	[ "$warned" -eq "$dropped" ]
	[ "$(kept "$T/spool" | wc -l)" -eq $((3000 - dropped)) ]
}
