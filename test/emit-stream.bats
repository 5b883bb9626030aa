#!/usr/bin/env bats
# emit-stream: sinks that take lines, when a line is written in parts.
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

@test "a stdout that nobody reads does not hold up emit's end, however long the event" {
	mkfifo "$T/emit.out"
	exec 9<>"$T/emit.out"
	fed_emit --sink - --flush-timeout 100ms
	feed 1 1 "$LONG"
	feed 2 3
	end_feed
	ends_with 69 "$EMIT"
	says 1 "^emit: error: sink -: 3 events not delivered$"
}

@test "an event longer than a pipe's buffer arrives whole" {
	nic_events 1 2 "$LONG" >"$T/long"
	timeout 20 emit "$T/long" | cat >"$T/got"
	cmp "$T/long" "$T/got"
}

# slow_listener [PATH] - start a listener on TCP or on a unix socket at PATH. It reads nothing until
# $T/go exists, and then copies its input to $T/slow.out until emit ends. Set ADDRESS.
slow_listener() {
	started slow /usr/bin/python3 -c '
import os, socket, sys, time
unix = {"family": socket.AF_UNIX} if len(sys.argv) > 2 else {}
with socket.create_server(sys.argv[2] if unix else ("127.0.0.1", 0), **unix) as server:
    name = server.getsockname()
    name = name if unix else "%s:%d" % name
    print("listening on " + name, file=sys.stderr, flush=True)
    got = 0
    # ignore connections without data
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

# waits SINK - return success if emit has reported that it waits.
waits() { says 1 "^emit: warning: sink $1: it has accepted no data for 1 s: waiting for it$"; }

@test "a unix-socket reader that stalls is reported, waited for, and gets each event once" {
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
@test "a TCP reader that stalls is reported, waited for, and gets each event once" {
	slow_listener
	fed_emit --sink "tcp:$ADDRESS" --request-timeout 1s --flush-timeout 60s
	feed 1 30 '.message = "x" * 600000'
	wait_until 10 waits "tcp:$ADDRESS"
	: >"$T/go"
	end_feed
	ends_with 0 "$EMIT"
	diff <(jq -r .id "$T/slow.out") <(ids 1 30)
}

# full_listener - start a TCP listener whose queue is full until $T/go exists, so that the kernel
# ignores more connections. After that it copies its input to $T/full.out. Set ADDRESS.
full_listener() {
	started full /usr/bin/python3 -c '
import os, socket, sys, time
with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
    waiting = socket.create_connection(server.getsockname())
    print("%s:%d" % server.getsockname(), file=sys.stderr, flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
    server.accept()
    while True:
        connection, _ = server.accept()
        while data := connection.recv(1 << 16):
            sys.stdout.buffer.write(data)
            sys.stdout.flush()' "$T/go"
	wait_until 10 has_lines 1 "$T/full.err"
	ADDRESS=$(<"$T/full.err")
}

@test "a host that does not answer a connection is reported after the time of a request, and tried again" {
	full_listener
	fed_emit --sink "tcp:$ADDRESS" --request-timeout 1s --flush-timeout 60s
	feed 1 1
	wait_until 20 says 1 "^emit: warning: sink tcp:$ADDRESS: Connection timed out: retrying$"
	: >"$T/go"
	end_feed
	ends_with 0 "$EMIT"
	wait_until 10 has_lines 1 "$T/full.out"
	[ "$(jq -r .id "$T/full.out")" = t-1 ]
}

@test "a dead connection is reported and replaced, and the event on its way is sent again" {
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
		"^emit: warning: sink $sink: it has accepted no data for 1 s: retrying$"
	inside "$ROOT/test/lib/setlink" 1 lo up
	wait_until 40 has_lines 1 "$T/emit.err" "^emit: note: sink $sink: delivering again$"
	wait_until 10 has_lines 1 "$T/got" '"t-2"'
	end_feed
	ends_with 0 "$EMIT"
}

# late_spool - start an emit that gets its spool, in $T/dir, in the middle of a line to the listener
# at ADDRESS.
late_spool() {
	: >"$T/dir"
	fed_emit --sink "tcp:$ADDRESS" --spool "$T/dir/spool"
	feed 1 30 '.message = "x" * 600000'
	wait_until 10 says 1 "^emit: warning: spool $T/dir/spool: "
}

# got_through - print the ids of the whole lines, each where it first arrived.
got_through() { grep '}$' "$T/slow.out" | jq -r .id | awk '!seen[$0]++'; }
all_got_through() { [ "$(got_through)" = "$(ids 1 30)" ]; }

# works_again LISTENER - check that emit uses the spool and the listener gets all events in whole
# lines.
works_again() {
	wait_until 10 says 1 "^emit: note: spool $T/dir/spool: works again$"
	: >"$T/go"
	wait_until 30 all_got_through
	end_feed
	ends_with 0 "$EMIT"
	ends_with 0 "$1"
	# No two lines were joined.
	jq -r .id "$T/slow.out" >/dev/null
}

# Thorough: sinks
@test "when the spool comes late, a sink that is new to it gets all earlier events" {
	slow_listener
	local listener=$PID
	late_spool
	rm "$T/dir"
	works_again "$listener"
	all_got_through
}

# Thorough: sinks
@test "when the spool comes late, a known sink continues after the half-written line" {
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
@test "when the spool comes late, undelivered events of earlier runs are still delivered" {
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
