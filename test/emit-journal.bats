#!/usr/bin/env bats
# emit-journal: emit --sink journal writes events as entries of systemd's journal.
# shellcheck disable=SC2154 # bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	T=$BATS_TEST_TMPDIR
	SOCKET=$T/journal.sock
	SINK=journal:$SOCKET
	export SOCKET T
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# a_journal - start a journal that writes its entries to $T/entries. Set JOURNALD.
a_journal() {
	rm -f "$SOCKET"
	started journald "$ROOT/test/servers/journald" "$SOCKET" "$T/entries"
	JOURNALD=$PID
	wait_until 10 test -S "$SOCKET"
}

# delivered N - check that emit knows that the journal has read so many events: it repeats others to
# the next journal
delivered() { [ "$(query "SELECT position FROM sink WHERE name = '$SINK'")" -eq "$1" ]; }

has_entries() { [ "$(wc -l <"$T/entries" 2>/dev/null || echo 0)" -ge "$1" ]; }

@test "an event becomes an entry with a message, a priority, searchable fields and its record" {
	a_journal
	nic_events 1 1 "$FATAL" >"$T/in"
	emit --sink "$SINK" --sink "file:$T/out" <"$T/in"
	wait_until 10 has_entries 1
	jq -e --slurpfile event "$T/out" '. as $entry | $event[0] | $entry == {
		MESSAGE: .message, PRIORITY: "2", SYSLOG_IDENTIFIER: "nic-health-monitor",
		NIC_SEVERITY: "fatal", NIC_EVENT: .id, NIC_NODE: .nodeName, NIC_CHECK: .checkName,
		NIC_CODE: (.errorCode | join(",")), NIC_DEVICE: .entitiesImpacted[0].entityValue,
		NIC_PORT: .entitiesImpacted[1].entityValue, NIC_PCI: .metadata.pci,
		NIC_ACTION: .recommendedAction, NIC_STRATEGY: .processingStrategy,
		NIC_RECORD: $entry.NIC_RECORD} and ($entry.NIC_RECORD | fromjson) == .' "$T/entries"
}

@test "events arrive in order, including those sent while the journal was away" {
	fed_emit --sink "$SINK" --spool "$SPOOL"
	feed 1 3
	wait_until 10 says 1 "sink journal:.*: No such file or directory: retrying"
	a_journal
	wait_until 20 delivered 3
	killed "$JOURNALD"
	feed 4 6
	a_journal
	wait_until 20 has_entries 6
	end_feed
	ends_with 0 "$EMIT"
	[ "$(jq -r .NIC_EVENT "$T/entries" | xargs)" = "t-1 t-2 t-3 t-4 t-5 t-6" ]
	none grep -q '"bad"' "$T/entries"
}

@test "a thousand events with any text give a thousand entries" {
	a_journal
	nic_events 1 1000 'if .seq % 3 == 0 then .message = "one\nPRIORITY=0\n=\u001b[2J" else . end' |
		emit --sink "$SINK"
	wait_until 20 has_entries 1000
	[ "$(jq -r .NIC_EVENT "$T/entries" | sort -u | wc -l)" -eq 1000 ]
	[ "$(jq -r .PRIORITY "$T/entries" | sort -u | xargs)" = 4 ]
	[ "$(jq -r 'select(.NIC_EVENT == "t-3").MESSAGE | length' "$T/entries")" -eq 20 ]
}

@test "--test-sink writes to the journal, and an invalid sink is rejected" {
	a_journal
	run --separate-stderr emit --test-sink --sink "$SINK"
	status_is 0
	[ "$(jq -r .NIC_CHECK "$T/entries")" = NicHealthMonitorTest ]
	run --separate-stderr emit --sink journal: </dev/null
	status_is 64 "^emit: error: --sink .journal:.: a path is missing"
	run --separate-stderr emit --sink journald </dev/null
	status_is 64 "unknown kind of sink"
	emit --check-config --sink journal
}
