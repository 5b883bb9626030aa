#!/usr/bin/env bats
# The whole service under a random attack on its processes and its disk; and the test that does so
# can fail.
#
# NHM_ATTACK_ROUNDS is how many rounds, NHM_ATTACK_SEED the first: printed by a run that failed.
# `make check-attack` plays a thousand.
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

# attack ROUNDS [OPTION]... - so many rounds, the same each time.
attack() { run "$CRASH" --rounds "$1" --seed "${NHM_ATTACK_SEED:-1}" "${@:2}"; }

# replace STAGE - the programs are in $PROGRAMS, with a script from stdin in the place of that
# stage; the real one is $REAL.
replace() {
	mkdir -p "$PROGRAMS/real"
	cp "$NHM_BIN"/{nic-health-monitor,ibevent,ibscan,topoclass,ctreval,logmatch,correlate} \
		"$NHM_BIN"/{emit,nichist} "$PROGRAMS"
	mv "$PROGRAMS/$1" "$PROGRAMS/real/"
	{ echo "#!/bin/bash" && echo "REAL=$PROGRAMS/real/$1" && cat; } >"$PROGRAMS/$1"
	chmod +x "$PROGRAMS/$1"
}

@test "under kills and stops at any moment, and a disk that fails, tears and is slow, every event arrives once and in order, receivers believe what is true, and /healthz says what works" {
	attack "${NHM_ATTACK_ROUNDS:-16}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "attack: ${NHM_ATTACK_ROUNDS:-16} passed, 0 failed" ]
}

@test "the attack finds a ctreval that forgets what it has reported" {
	replace ctreval <<-'END'
		for state; do [[ $state != */state.json ]] || [[ " $* " != *' --metrics-fd '* ]] || rm -f "$state"; done
		exec "$REAL" "$@"
	END
	attack 6 --programs "$PROGRAMS" --patience 10 \
		--without "stop,stop within,slow,fail,long stop"
	caught '! gave up waiting for all that has happened to be told'
	caught 'missing: (the node condition|emit --standing) has'
}

@test "the attack finds an event that is lost on its way" {
	# shellcheck disable=SC2016 # for the script
	replace logmatch <<<'exec "$REAL" "$@" > >(exec sed -u "/(pid 1)/d")'
	attack 4 --programs "$PROGRAMS" --patience 10
	caught 'missing: in the spool: mlx5_core .*\(pid 1\)'
}

@test "the attack finds a /healthz that is always well" {
	attack 4 --flaw healthz --patience 15 --without "fail"
	caught '! /healthz said 200 .* after [a-z]+ was seen for the last time'
}

@test "the attack finds a file that is renamed before it is synced" {
	attack 1 --flaw unsynced
	caught '! (ctreval|logmatch|emit): .*/(state|logmatch|acks).json is renamed to before it is synced'
}

@test "the attack leaves no process behind and no directory, also when it is told to stop" {
	started crash "$CRASH" --rounds 1000 --jobs 4
	wait_until 20 works_somewhere
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/crash.out"
	wait_until 20 pgrep -f "/dev/shm/attack.$PID.|${TMPDIR:-/tmp}/attack.$PID."
	kill -TERM "$PID"
	ends_with 143 "$PID"
	none works_somewhere
	nothing_survives
}

@test "the attack refuses options that make no sense" {
	run "$CRASH" --rounds 0
	[ "$status" -eq 64 ]
	run "$CRASH" --without breakfast
	[ "$status" -eq 64 ]
	[[ $output = *'--without: unknown: breakfast'* ]]
	run "$CRASH" --flaw many
	[ "$status" -eq 64 ]
}
