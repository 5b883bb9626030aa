# kept - emit with a spool and acks: what it keeps, what it acknowledges, and the sinks that are
# told. After common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

load lib/emit

SPOOL=$BATS_TEST_TMPDIR/spool.db
ACKS=$BATS_TEST_TMPDIR/acks.json
# shellcheck disable=SC2034 # for who loads this
T=$BATS_TEST_TMPDIR S=$BATS_TEST_TMPDIR/sink.sock

# emit_once OPTION... - emit with a deadline and the events of its stdin, to its end. What it says
# is in $BATS_TEST_TMPDIR/said.
emit_once() { timeout 60 emit --flush-timeout 20s "$@" 2>"$BATS_TEST_TMPDIR/said"; }

# said N REGEX - emit_once has said that in N lines.
said() {
	[ "$(grep -c -E -- "$2" "$BATS_TEST_TMPDIR/said")" -eq "$1" ] || {
		cat "$BATS_TEST_TMPDIR/said" >&2
		return 1
	}
}

# query SQL - an answer of the spool, which is only read.
query() { sqlite3 -readonly -cmd '.timeout 5000' "$SPOOL" "$1"; }

# has_stored FROM TO - the spool has exactly these of nic_events, in order.
has_stored() { diff <(query 'SELECT id FROM event ORDER BY number') <(ids "$1" "$2") >&2; }

# acked N [SOURCE] - that is what is acknowledged; 0: nothing.
acked() { [ "$(jq -r --arg source "${2:-t}" '.acks[$source] // 0' "$ACKS")" -eq "$1" ]; }

receiver() { jq -r .receiver "$ACKS"; }

# holds FILE FROM TO [JQ-FILTER] - the file is exactly these of nic_events, in order.
holds() { cmp <(nic_events "${@:2}") "$1"; }

# came FILE - the ids of the whole lines that are there, in order.
came() { jq -r -R 'fromjson? | .id' "$1"; }

# listen NAME ADDRESS - socat listens there, for one connection after another, and appends what
# arrives to $BATS_TEST_TMPDIR/NAME.got. Sets PID.
listen() {
	started "$1" socat -d -d -u "$2,fork,max-children=1" \
		"OPEN:$BATS_TEST_TMPDIR/$1.got,creat,append"
	wait_until 10 grep -q 'listening on' "$BATS_TEST_TMPDIR/$1.err"
}
listen_unix() { listen "$1" "UNIX-LISTEN:$2,unlink-early"; }
listen_tcp() { listen "$1" "TCP4-LISTEN:$2,bind=127.0.0.1,reuseaddr"; }

# killed PID - by SIGKILL, and gone.
killed() {
	kill -KILL "$1"
	ends_with 137 "$1"
}

# ticks PID - processor time it has used, in hundredths of a second.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
