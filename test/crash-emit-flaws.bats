#!/usr/bin/env bats
# crash-emit-flaws: the crash test of emit catches each flaw of test/crash/fake-emit.
#
# NHM_CRASH_SEED sets logs and moments; a failed run prints it.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/emit-crash

# crash_fake FLAW [OPTION]... - run the crash test on a fake emit with this flaw.
crash_fake() {
	crashed "$1" "$CRASH" --kills 100 --patience 3 \
		--program "$BATS_TEST_DIRNAME/crash/fake-emit --flaw $1" "${@:2}"
}

@test "the crash test of emit passes a program without a flaw" {
	crash_fake none
	passed_after 100
}

@test "the crash test of emit catches acks of events that are not stored or follow a missing one" {
	crash_fake rash
	caught '(spool: lost: |acknowledged and not in the spool: )'
	crash_fake leap
	caught '(spool: lost: |acknowledged and not in the spool: )'
}

@test "the crash test of emit catches a receiver that keeps its name, so that no writer repeats lost events" {
	crash_fake nameless
	caught 'not delivered: '
}

@test "the crash test of emit catches events that are marked as delivered too early, or forgotten" {
	crash_fake hasty
	caught '(server|file): lost: '
	crash_fake rude
	caught 'server: lost: '
	crash_fake forget
	caught '(server|file): lost: '
}

@test "the crash test of emit catches a wrong order" {
	crash_fake reorder
	caught 'server: order: [0-9a-f]+-[0-9]+ came after [0-9a-f]+-[0-9]+'
	none grep -q -E 'lost|twice' <<<"$output"
}

@test "the crash test of emit catches an event that is stored twice, changed, or sent with two contents" {
	crash_fake twice
	caught 'spool: stored twice: '
	crash_fake mangle
	caught 'event missing: writer (left|right): '
	crash_fake alter
	caught 'server: (not what was stored|contradiction): '
}

@test "the crash test of emit catches a program that loses the end of its input" {
	crash_fake tear
	caught '(not delivered: |lost: )'
}

@test "the crash test of emit catches a program that exits, and one that hangs" {
	crash_fake quit
	caught 'emit ended by itself, exit code 3'
	crash_fake hang
	caught 'not delivered: nothing has happened for 3.0 s'
}

@test "a crash-test server that is killed inside a write loses no line of its successor" {
	local log=$BATS_TEST_TMPDIR/server.log text=$'{"id":"a-1","all":"00"}\n{"id":"a-2","all":"00"}\n'
	# The first of two lines is half written; then both are written again.
	printf '%s' "${text:0:12}" >"$log"
	PYTHONPATH=$BATS_TEST_DIRNAME/crash /usr/bin/python3 -B - "$log" "$text" <<'EOF'
import os, sys
from crashlib import delivery, server
path, text = sys.argv[1:]
for _ in range(2):
    log = server.open_log(path)
    os.write(log, text.encode())
    os.close(log)
arrivals = delivery.Arrivals(path, delivery.of_server)
arrivals.read()
found = arrivals.order, arrivals.torn, arrivals.duplicates
assert found == ([("a", 1), ("a", 2)], 1, 2), found
EOF
}
