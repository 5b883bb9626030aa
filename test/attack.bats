#!/usr/bin/env bats
# attack: the whole service under random attacks on its processes and its disk, and the attack
# detects planted flaws.
#
# NHM_ATTACK_ROUNDS is the number of rounds, NHM_ATTACK_SEED the first seed; a failed run prints it.
# `make check-attack` plays a thousand rounds.
# shellcheck disable=SC2154 # bats sets output and status
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/crash
	PROGRAMS=$BATS_TEST_TMPDIR/programs
}

teardown() {
	end_background
	nothing_survives
}

CRASH=$BATS_TEST_DIRNAME/attack/attack

# attack ROUNDS [OPTION]... - run the attack with a fixed seed.
attack() { run "$CRASH" --rounds "$1" --seed "${NHM_ATTACK_SEED:-1}" "${@:2}"; }

# replace STAGE - copy the programs to $PROGRAMS and replace that stage by the script on stdin,
# which finds the real one in $REAL.
replace() {
	mkdir -p "$PROGRAMS/real"
	cp "$NHM_BIN"/{nic-health-monitor,ibevent,ibscan,topoclass,ctreval,logmatch,correlate} \
		"$NHM_BIN"/{emit,nichist} "$PROGRAMS"
	mv "$PROGRAMS/$1" "$PROGRAMS/real/"
	{ echo "#!/bin/bash" && echo "REAL=$PROGRAMS/real/$1" && cat; } >"$PROGRAMS/$1"
	chmod +x "$PROGRAMS/$1"
}

@test "under kills, stops and disk faults every event arrives once and in order, receivers believe what stands, and /healthz is right" {
	attack "${NHM_ATTACK_ROUNDS:-16}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "attack: ${NHM_ATTACK_ROUNDS:-16} passed, 0 failed" ]
}

@test "the attack detects a ctreval that forgets what it has reported" {
	replace ctreval <<-'END'
		for state; do [[ $state != */state.json ]] || [[ " $* " != *' --metrics-fd '* ]] || rm -f "$state"; done
		exec "$REAL" "$@"
	END
	attack 6 --programs "$PROGRAMS" --patience 10 \
		--without "stop,stop within,slow,fail,long stop"
	caught '! gave up waiting for all that has happened to be told'
	caught 'missing: (the node condition|emit --standing) has'
}

@test "the attack detects an event that is lost between two stages" {
	# shellcheck disable=SC2016 # for the script
	replace logmatch <<<'exec "$REAL" "$@" > >(exec sed -u "/(pid 1)/d")'
	attack 4 --programs "$PROGRAMS" --patience 10
	caught 'missing: in the spool: mlx5_core .*\(pid 1\)'
}

@test "the attack detects a /healthz that always reports success" {
	attack 4 --flaw healthz --patience 15 --without "fail"
	caught '! /healthz said 200 .* after [a-z]+ was seen for the last time'
}

@test "the attack allows 200 of /healthz for 5 s after the last scan that ctreval read, and for 15 s before the first scan" {
	# A stage is stopped from 1 s on; ctreval reads for the last time at 4 s.
	run env PYTHONPATH="$BATS_TEST_DIRNAME/attack:$BATS_TEST_DIRNAME/lib" /usr/bin/python3 -B - <<-'END'
		from attacklib.health import Watch
		for has_scanned in (True, False):
		    watch = Watch()
		    watch.has_scanned = has_scanned
		    said = []
		    for tenth in range(200):
		        at = tenth / 10
		        watch.saw(at, {"ibscan": 7}, {7} if at >= 1 else set(), watch.service, min(at, 4))
		        watch.answered(at, at, 200, "")
		        said.append(len(watch.complaints))
		    print(said.index(1) / 10, watch.complaints[0])
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "9.6 /healthz said 200 when ibscan had done nothing for 8.6 s" ]
	[ "${lines[1]}" = "15.6 /healthz said 200 when ibscan had done nothing for 14.6 s" ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "the attack detects an ibscan that has been stopped for long while /healthz reports success" {
	attack 1 --seed 1553 --flaw healthz --patience 25
	caught '! /healthz said 200 when ibscan had done nothing for'
}

@test "the attack detects a file that is renamed before it is synced" {
	attack 1 --flaw unsynced
	caught '! (ctreval|logmatch|emit): .*/(state|logmatch|acks).json is renamed to before it is synced'
}

@test "the attack leaves no process and no directory behind when it is terminated" {
	started crash "$CRASH" --rounds 1000 --jobs 4
	wait_until 20 works_somewhere
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/crash.out"
	wait_until 20 pgrep -f "/dev/shm/attack.$PID.|${TMPDIR:-/tmp}/attack.$PID."
	kill -TERM "$PID"
	ends_with 143 "$PID"
	none works_somewhere
	nothing_survives
}

@test "the attack rejects invalid options with exit code 64" {
	run "$CRASH" --rounds 0
	[ "$status" -eq 64 ]
	run "$CRASH" --without breakfast
	[ "$status" -eq 64 ]
	[[ $output = *'--without: unknown: breakfast'* ]]
	run "$CRASH" --flaw many
	[ "$status" -eq 64 ]
}
