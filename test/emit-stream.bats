#!/usr/bin/env bats
# emit: sinks that take lines, when a line goes out in parts.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/emit
	load lib/network
	T=$BATS_TEST_TMPDIR
}

teardown() {
	exec 8>&- 9>&-
	end_background
	nothing_survives
}

LONG='.message = "x" * 200000'

@test "stdout that nobody reads does not hold up the others, however long the event" {
	mkfifo "$T/emit.out"
	exec 9<>"$T/emit.out"
	fed_emit --sink - --flush-timeout 100ms
	feed 1 1 "$LONG"
	feed 2 3
	end_feed
	ends_with 69 "$EMIT"
	says 1 "^emit: error: sink -: 3 events not delivered$"
}

@test "an event longer than a pipe holds gets through it whole" {
	nic_events 1 2 "$LONG" >"$T/long"
	timeout 20 emit "$T/long" | cat >"$T/got"
	cmp "$T/long" "$T/got"
}

# slow_listener [PATH] - on ADDRESS, which it sets, or a unix socket at PATH: it reads nothing until
# $T/go is there, and then writes to $T/slow.out what comes until emit has ended.
slow_listener() {
	started slow /usr/bin/python3 -c '
import os, socket, sys, time
unix = {"family": socket.AF_UNIX} if len(sys.argv) > 2 else {}
with socket.create_server(sys.argv[2] if unix else ("127.0.0.1", 0), **unix) as server:
    name = server.getsockname()
    name = name if unix else "%s:%d" % name
    print("listening on " + name, file=sys.stderr, flush=True)
    got = 0
    # who connects and says nothing is not who is waited for
    while not got:
        connection, _ = server.accept()
        while not os.path.exists(sys.argv[1]):
            time.sleep(0.02)
        while data := connection.recv(1 << 16):
            got += sys.stdout.buffer.write(data)
            sys.stdout.flush()' "$T/go" "$@"
	wait_until 10 grep -q '^listening on ' "$T/slow.err"
	ADDRESS=$(sed -n 's/^listening on //p' "$T/slow.err")
}

# waits SINK - emit has said so.
waits() { says 1 "^emit: warning: sink $1: it has taken nothing for 1 s: waiting for it$"; }

@test "a reader of a unix socket that takes nothing is reported, waited for, and gets each event once" {
	slow_listener "$T/sink"
	fed_emit --sink "unix:$T/sink" --request-timeout 1s
	feed 1 2
	wait_until 10 waits "unix:$T/sink"
	: >"$T/go"
	wait_until 10 says 1 "^emit: note: sink unix:$T/sink: delivering again$"
	end_feed
	ends_with 0 "$EMIT"
	says 2 ''
	nic_events 1 2 | cmp - "$T/slow.out"
}

# Thorough: sinks
@test "a reader over TCP that takes nothing is reported, waited for, and gets each event once" {
	slow_listener
	fed_emit --sink "tcp:$ADDRESS" --request-timeout 1s --flush-timeout 60s
	feed 1 30 '.message = "x" * 600000'
	wait_until 10 waits "tcp:$ADDRESS"
	: >"$T/go"
	end_feed
	ends_with 0 "$EMIT"
	diff <(jq -r .id "$T/slow.out") <(ids 1 30)
}

@test "a connection that the network has forgotten is reported and made again, and what was on its way goes out" {
	network || skip "left out: no network namespaces here"
	local sink=tcp:127.0.0.1:5170
	started listener "${INSIDE[@]}" socat -u "TCP4-LISTEN:5170,bind=127.0.0.1,fork" \
		"OPEN:$T/got,creat,append"
	fed_emit --sink "$sink" --request-timeout 1s
	feed 1 1
	wait_until 20 has_lines 1 "$T/got" '"t-1"'
	inside "$ROOT/test/lib/setlink" 1 lo down
	feed 2 2 "$FATAL"
	wait_until 10 has_lines 1 "$T/emit.err" \
		"^emit: warning: sink $sink: it has taken nothing for 1 s: trying again$"
	inside "$ROOT/test/lib/setlink" 1 lo up
	wait_until 40 has_lines 1 "$T/emit.err" "^emit: note: sink $sink: delivering again$"
	wait_until 10 has_lines 1 "$T/got" '"t-2"'
	end_feed
	ends_with 0 "$EMIT"
}

# late_spool - a running emit, with a sink at ADDRESS that does not read, gets its spool, in $T/dir,
# when it is already in the middle of a line.
late_spool() {
	: >"$T/dir"
	fed_emit --sink "tcp:$ADDRESS" --spool "$T/dir/spool"
	feed 1 30 '.message = "x" * 600000'
	wait_until 10 says 1 "^emit: warning: spool $T/dir/spool: "
}

# got_through - the ids, first arrivals only, of the lines that are whole.
got_through() { grep '}$' "$T/slow.out" | jq -r .id | awk '!seen[$0]++'; }
all_got_through() { [ "$(got_through)" = "$(ids 1 30)" ]; }

# works_again LISTENER
works_again() {
	wait_until 10 says 1 "^emit: note: spool $T/dir/spool: works again$"
	: >"$T/go"
	wait_until 30 all_got_through
	end_feed
	ends_with 0 "$EMIT"
	ends_with 0 "$1"
	# no line was glued to another
	jq -r .id "$T/slow.out" >/dev/null
}

# Thorough: sinks
@test "when a spool comes late, a sink that it does not know gets all that came before" {
	slow_listener
	local listener=$PID
	late_spool
	rm "$T/dir"
	works_again "$listener"
	all_got_through
}

# Thorough: sinks
@test "when a spool comes late, a sink that it knows begins again after the line that was half written" {
	slow_listener
	local listener=$PID
	emit --sink "tcp:$ADDRESS" --spool "$T/old/spool" </dev/null
	late_spool
	ln -s old "$T/link"
	mv -T "$T/link" "$T/dir"
	works_again "$listener"
	all_got_through
}

# Thorough: sinks
@test "when a spool comes late, undelivered events of earlier runs are still delivered" {
	run --separate-stderr timeout 20 emit --sink "unix:$T/sink" --spool "$T/old/spool" \
		--flush-timeout 0s < <(nic_events 1 3 "$FATAL")
	status_is 0
	: >"$T/dir"
	fed_emit --sink "unix:$T/sink" --spool "$T/dir/spool" --keep 0s
	wait_until 10 says 1 "^emit: warning: spool $T/dir/spool: "
	ln -s old "$T/link"
	mv -T "$T/link" "$T/dir"
	wait_until 10 says 1 "^emit: note: spool $T/dir/spool: works again$"
	started listener socat -u "UNIX-LISTEN:$T/sink" STDOUT
	end_feed
	ends_with 0 "$EMIT"
	[ "$(jq -r .id "$T/listener.out")" = "$(ids 1 3)" ]
}
