#!/usr/bin/env bats
# Each call of a program fails once, some of them here: it does not crash, says no lie, and loses
# nothing; and the test that says so can fail. `make inject` tries all calls.
# shellcheck disable=SC2154 # bats sets output and status
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/crash
	PROGRAMS=$BATS_TEST_TMPDIR/programs
}

teardown() { nothing_survives; }

# inject ARGUMENT... - one at a time: other files run meanwhile.
inject() { run "$ROOT/test/inject/inject" --jobs 1 "$@"; }

# survives SCENARIO... - some calls of each kind.
survives() {
	inject --sample "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^inject:\ [1-9][0-9]*\ passed,\ 0\ failed$ ]]
}

# replace PROGRAM - the programs are in $PROGRAMS, with a script from stdin in place of that one;
# the real one is $REAL.
replace() {
	mkdir -p "$PROGRAMS/real"
	cp "$NHM_BIN"/{ibscan,topoclass,topoparse,ctreval,emit} "$PROGRAMS"
	mv "$PROGRAMS/$1" "$PROGRAMS/real/"
	{ echo "#!/bin/bash" && echo "REAL=$PROGRAMS/real/$1" && cat; } >"$PROGRAMS/$1"
	chmod +x "$PROGRAMS/$1"
}

@test "ibscan, topoparse, lnetread, topoclass and nicview survive that a call fails" {
	survives topoparse lnetread ibscan topoclass nicview
}

@test "what makes something of events, traces and the bus survives that a call fails" {
	survives correlate blastradius fleetview fleetpage ibevent pcitopo nicdiff nicwhy \
		nicsilence rdmatrace
}

@test "what finds something in events survives that a call fails, and finds all of it once" {
	survives correlate-state correlate-again blastradius-state blastradius-again
}

@test "streams and databases are made, filled and read, whichever call fails" {
	survives fleetsetup fleetsetup-database emit-nats emit-postgres fleetread \
		fleetread-database
}

@test "ctreval and logmatch survive that a call fails, and lose no event" {
	survives ctreval logmatch ctreval-state ctreval-again logmatch-state logmatch-again
}

@test "a configuration for which memory ran out is not taken for another one" {
	survives ctreval-rules
}

@test "emit survives that a call fails, and delivers every event" {
	survives emit-spool emit-again emit-memory emit-webhook emit-tls emit-connector
}

@test "nichist and niccheck survive that a call fails, and say nothing that is not so" {
	survives nichist nichist-replay niccheck
}

@test "the service survives that a call of the supervisor fails, and loses no event" {
	survives service
}

@test "a stage that the supervisor could not watch for is not said to hang when it has ended" {
	inject service --call watch:ENOSPC:5
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the injection finds a program that says that all is well after a failed write" {
	# shellcheck disable=SC2016 # for the script
	replace topoparse <<<'"$REAL" "$@" 2>/dev/null || exit 0'
	inject topoparse --kinds write --programs "$PROGRAMS"
	caught '! topoparse write:ENOSPC:1'
	caught 'exit code 0, and another output'
}

@test "the injection finds a program that fails without a word" {
	# shellcheck disable=SC2016 # for the script
	replace topoparse <<<'exec "$REAL" "$@" 2>/dev/null'
	inject topoparse --kinds write --programs "$PROGRAMS"
	caught 'exit code 74, and no message says why'
}

@test "the injection finds a program that gives up for good what may work the next time" {
	# shellcheck disable=SC2016 # for the script
	replace ctreval <<<'"$REAL" "$@" || exit 78'
	inject ctreval --kinds write --programs "$PROGRAMS"
	caught 'exit code 78, as if it could never work'
}

@test "the injection finds an event that is lost with a write that failed" {
	# A state that is thrown away with the process.
	replace ctreval <<-'END'
		"$REAL" "$@"
		code=$?
		while [ $# -gt 0 ]; do
			[ "$1" != --state ] || rm -f "$2"
			shift
		done
		exit "$code"
	END
	inject ctreval-state --call write:EIO:3 --programs "$PROGRAMS"
	caught '(lost|not true, or told twice): '
}

@test "the injection finds an event that emit loses after a failed write" {
	# What it has a message about is not in the sink.
	replace emit <<-'END'
		"$REAL" "$@" 2>said
		code=$?
		cat said >&2
		[ ! -s said ] || sed -i '$d' sink
		exit "$code"
	END
	inject emit-spool --call write:EIO:9 --programs "$PROGRAMS"
	caught 'lost: '
}

@test "the injection finds an event that emit acknowledges and has not stored" {
	replace emit <<-'END'
		"$REAL" "$@" 2>said
		code=$?
		cat said >&2
		[ ! -s said ] || sed -i 's/"writer0":6/"writer0":7/' acks.json
		exit "$code"
	END
	inject emit-spool --call write:EIO:9 --programs "$PROGRAMS"
	caught 'acknowledged and not in the spool: writer0-7'
}

@test "the injection refuses options that make no sense" {
	inject no-such-scenario
	[ "$status" -eq 64 ]
	inject ctreval --kinds no-such-kind
	[ "$status" -eq 64 ]
	inject ctreval --call write:EIO
	[ "$status" -eq 64 ]
}
