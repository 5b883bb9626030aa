# kept - emit with a spool and acks, queries of both, and sinks that receive the events. Load after
# common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

load lib/emit

SPOOL=$BATS_TEST_TMPDIR/spool.db
ACKS=$BATS_TEST_TMPDIR/acks.json
# shellcheck disable=SC2034 # for who loads this
T=$BATS_TEST_TMPDIR S=$BATS_TEST_TMPDIR/sink.sock

# emit_once OPTION... - run emit with a time limit on the events on stdin, to their end; its
# messages go to $BATS_TEST_TMPDIR/said
emit_once() { timeout 60 emit --flush-timeout 20s "$@" 2>"$BATS_TEST_TMPDIR/said"; }

# said N REGEX - check that N lines of emit_once's messages match
said() {
	[ "$(grep -c -E -- "$2" "$BATS_TEST_TMPDIR/said")" -eq "$1" ] || {
		cat "$BATS_TEST_TMPDIR/said" >&2
		return 1
	}
}

# query SQL - print a query's result on the spool, opened read-only
query() { sqlite3 -readonly -cmd '.timeout 5000' "$SPOOL" "$1"; }

# has_stored FROM TO - check that the spool has exactly these nic_events, in order
has_stored() { diff <(query 'SELECT id FROM event ORDER BY number') <(ids "$1" "$2") >&2; }

# acked N [SOURCE] - return success if N is acknowledged; 0: nothing
acked() { [ "$(jq -r --arg source "${2:-t}" '.acks[$source] // 0' "$ACKS")" -eq "$1" ]; }

receiver() { jq -r .receiver "$ACKS"; }

# holds FILE FROM TO [JQ-FILTER] - check that the file is exactly these nic_events, in order
holds() { cmp <(nic_events "${@:2}") "$1"; }

# came FILE - print the ids of its complete lines, in order
came() { jq -r -R 'fromjson? | .id' "$1"; }

# listen NAME ADDRESS - let socat accept one connection after another there and append all data to
# $BATS_TEST_TMPDIR/NAME.got; sets PID
listen() {
	started "$1" socat -d -d -u "$2,fork,max-children=1" \
		"OPEN:$BATS_TEST_TMPDIR/$1.got,creat,append"
	wait_until 10 grep -q 'listening on' "$BATS_TEST_TMPDIR/$1.err"
}
listen_unix() { listen "$1" "UNIX-LISTEN:$2,unlink-early"; }
listen_tcp() { listen "$1" "TCP4-LISTEN:$2,bind=127.0.0.1,reuseaddr"; }

# killed PID - kill it by SIGKILL and wait until it is gone
killed() {
	kill -KILL "$1"
	ends_with 137 "$1"
}

# ticks PID - processor time it has used, in hundredths of a second.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
