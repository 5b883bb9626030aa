#!/usr/bin/env bats
# The crash test of emit can fail: it catches each flaw of a program that plays emit (test/crash/fake-emit).
#
# NHM_CRASH_SEED chooses logs and moments: printed by a run that failed.

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/emit-crash

# crash_fake FLAW [OPTION]... - the crash test on a program that breaks its word in this way.
crash_fake() {
	run "$CRASH" --kills 100 --seed "${NHM_CRASH_SEED:-1}" --patience 3 --program "$BATS_TEST_DIRNAME/crash/fake-emit --flaw $1" "${@:2}"
}

@test "the crash test of emit passes a program that keeps its word" {
	crash_fake none
	passed_after 100
}

@test "the crash test of emit catches acknowledgements of what is not stored, or comes behind something missing" {
	crash_fake rash
	caught '(spool: lost: |acknowledged and not in the spool: )'
	crash_fake leap
	caught '(spool: lost: |acknowledged and not in the spool: )'
}

@test "the crash test of emit catches a receiver that keeps its name, so that nobody writes again what it has lost" {
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
