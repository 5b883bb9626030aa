#!/usr/bin/env bats
# crash: kill ctreval and its receiver at random moments; no event is lost, invented or
# contradicted. The crash test catches planted flaws.
#
# NHM_CRASH_KILLS is the number of kills, NHM_CRASH_SEED sets faults and moments; a failed run
# prints it.
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/crash

teardown() { end_background; }

CRASH=$BATS_TEST_DIRNAME/crash/ctreval-crash

# crash_fake FLAW [OPTION]... - run the crash test on a fake ctreval with this flaw.
crash_fake() {
	crashed "$1" "$CRASH" --kills 60 --interval 10 --hours 4 --patience 10 \
		--faults link_downed,port_down,nic_gone \
		--program "$BATS_TEST_DIRNAME/crash/fake-ctreval --flaw $1" "${@:2}"
}

@test "ctreval, killed repeatedly in days full of faults, loses, invents and contradicts no event" {
	kills_for_real
}

@test "the crash test passes a program without a flaw" {
	crash_fake none
	passed_after 60
}

@test "the crash test catches a sequence number that is used twice, and one that is skipped" {
	crash_fake reuse
	caught 'contradiction: fake[0-9]+-6 has two contents'
	crash_fake skip
	caught 'hole: fake[0-9]+-7 never came'
}

@test "the crash test catches a lost event, with or without its sequence number" {
	crash_fake lose
	caught 'hole: fake[0-9]+-7 never came'
	caught '(fault|recovery) without its event: '
	crash_fake forget
	caught 'recovery without its event: healthy [A-Za-z]+ NIC=mlx5_'
	none grep -q hole: <<<"$output"
}

@test "the crash test catches a fault that is reported twice under two numbers" {
	crash_fake twice
	caught 'event without a fault: fake'
}

@test "the crash test catches a record that is written in two pieces" {
	crash_fake tear
	caught 'a torn line, the program was killed inside a record: '
}

@test "the crash test catches events written before the state is safe, and a state without the events" {
	# Their numbers go to other events, or to none.
	crash_fake late
	caught '(contradiction|hole): '
	crash_fake outboxless
	caught 'hole: '
}

@test "the crash test catches a program that forgets what it has reported" {
	crash_fake amnesia
	caught '(event without a fault|without its event): '
}

@test "the crash test catches a program that does not resend what its receiver lost, or in a wrong order" {
	crash_fake deaf
	caught 'not written again in time: [0-9]+ events that an earlier receiver had read'
	crash_fake reverse
	caught 'order: fake[0-9]+-[0-9]+ came after fake'
}

@test "the crash test catches a program that exits, and one that hangs" {
	crash_fake quit
	caught 'the program ended by itself, exit code 3'
	crash_fake hang --patience 1
	caught 'nothing came out for 1.0 s'
}

@test "the crash test catches a receiver that believes at the end what does not stand" {
	# Recoveries of one NIC reach the receiver under another name.
	cat >"$BATS_TEST_TMPDIR/misled" <<-END
		#!/bin/bash
		"$NHM_BIN/ctreval" "\$@" | sed -u '/"isHealthy":true/s/mlx5_0/mlx5_9/g'
	END
	chmod +x "$BATS_TEST_TMPDIR/misled"
	run "$CRASH" --kills 0 --seed 1 --interval 10 --hours 4 --faults link_downed,port_down \
		--program "$BATS_TEST_TMPDIR/misled"
	caught 'belief: the node condition has what does not stand: fatal InfiniBandStateCheck NIC=mlx5_0,NICPort=1'
}

@test "the crash test leaves no process and no directory behind when it is terminated" {
	ends_in_order 1000000 "$BATS_TEST_DIRNAME/crash/fake-ctreval"
}

@test "the crash test rejects invalid options with exit code 64" {
	run "$CRASH" --faults no_such_thing
	[ "$status" -eq 64 ]
	[[ $output = *'--faults: unknown: no_such_thing'* ]]
	run "$CRASH" --kills -1
	[ "$status" -eq 64 ]
}
