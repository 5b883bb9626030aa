#!/usr/bin/env bats
# The crash test of emit can fail: it catches each flaw of a program that plays emit
# (test/crash/fake-emit).
#
# NHM_CRASH_SEED chooses logs and moments: printed by a run that failed.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/emit-crash

# crash_fake FLAW [OPTION]... - the crash test on a program that breaks its word in this way.
crash_fake() {
	crashed "$1" "$CRASH" --kills 100 --patience 3 \
		--program "$BATS_TEST_DIRNAME/crash/fake-emit --flaw $1" "${@:2}"
}

@test "the crash test of emit passes a program that keeps its word" {
	crash_fake none
	passed_after 100
}

@test "the crash test of emit catches acknowledgements of events that are not stored, or that follow a missing one" {
	crash_fake rash
	caught '(spool: lost: |acknowledged and not in the spool: )'
	crash_fake leap
	caught '(spool: lost: |acknowledged and not in the spool: )'
}

@test "the crash test of emit catches a receiver that keeps its name, so that no writer repeats what it has lost" {
	crash_fake nameless
	caught 'not delivered: '
}

@test "the crash test of emit catches events that count as delivered before they are, or are forgotten" {
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

@test "the crash test of emit catches an event that is stored twice, one that is changed, and one that is sent with two contents" {
	crash_fake twice
	caught 'spool: stored twice: '
	crash_fake mangle
	caught 'event missing: writer (left|right): '
	crash_fake alter
	caught 'server: (not what was stored|contradiction): '
}

@test "the crash test of emit catches a program that loses the end of what it reads" {
	crash_fake tear
	caught '(not delivered: |lost: )'
}

@test "the crash test of emit catches a program that ends by itself, and one that hangs" {
	crash_fake quit
	caught 'emit ended by itself, exit code 3'
	crash_fake hang
	caught 'not delivered: nothing has happened for 3.0 s'
}

@test "when a server of the crash test is killed inside a write, no line of the next one is lost" {
	local log=$BATS_TEST_TMPDIR/server.log text=$'{"id":"a-1","all":"00"}\n{"id":"a-2","all":"00"}\n'
	# The first of two lines is half out; then both come again.
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
