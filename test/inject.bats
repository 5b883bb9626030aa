#!/usr/bin/env bats
# inject: a program in which one call fails does not crash, report anything false or lose events;
# and the injection finds programs that do. These tests fail some calls of each kind, `make inject`
# all.
# shellcheck disable=SC2154 # bats sets output and status
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/crash
	PROGRAMS=$BATS_TEST_TMPDIR/programs
}

teardown() { nothing_survives; }

# inject ARGUMENT... - run the injection, one job at a time because other files run meanwhile
inject() { run "$ROOT/test/inject/inject" --jobs 1 "$@"; }

# survives SCENARIO... - check that some failures of each kind do no harm in SCENARIO
survives() {
	inject --sample "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^inject:\ [1-9][0-9]*\ passed,\ 0\ failed$ ]]
}

# replace PROGRAM - copy the programs to $PROGRAMS, with the script on stdin in place of PROGRAM;
# the script has the original as $REAL
replace() {
	mkdir -p "$PROGRAMS/real"
	cp "$NHM_BIN"/{ibscan,topoclass,topoparse,ctreval,emit} "$PROGRAMS"
	mv "$PROGRAMS/$1" "$PROGRAMS/real/"
	{ echo "#!/bin/bash" && echo "REAL=$PROGRAMS/real/$1" && cat; } >"$PROGRAMS/$1"
	chmod +x "$PROGRAMS/$1"
}

@test "ibscan, topoparse, lnetread, topoclass and nicview survive a failed call" {
	survives topoparse lnetread ibscan topoclass nicview
}

@test "the readers of events, traces and the PCI bus survive a failed call" {
	survives correlate blastradius fleetview fleetpage ibevent pcitopo nicdiff nicwhy \
		nicsilence rdmatrace
}

@test "correlate and blastradius survive a failed call and report each finding once" {
	survives correlate-state correlate-again blastradius-state blastradius-again
}

@test "streams and databases are set up, filled and read despite a failed call" {
	survives fleetsetup fleetsetup-database emit-nats emit-postgres fleetread \
		fleetread-database
}

@test "ctreval and logmatch survive a failed call and lose no event" {
	survives ctreval logmatch ctreval-state ctreval-again logmatch-state logmatch-again
}

@test "a configuration that could not be read for lack of memory is not taken for another one" {
	survives ctreval-rules
}

@test "emit survives a failed call and delivers every event" {
	survives emit-spool emit-again emit-memory emit-webhook emit-tls emit-connector
}

@test "nichist and niccheck survive a failed call and report nothing false" {
	survives nichist nichist-replay niccheck
}

@test "the service survives a failed call of the supervisor and loses no event" {
	survives service
}

@test "a stage that the supervisor could not watch is not reported as hanging after it exited" {
	inject service --call watch:ENOSPC:5
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the injection finds a program that exits 0 after a failed write" {
	# shellcheck disable=SC2016 # for the script
	replace topoparse <<<'"$REAL" "$@" 2>/dev/null || exit 0'
	inject topoparse --kinds write --programs "$PROGRAMS"
	caught '! topoparse write:ENOSPC:1'
	caught 'exit code 0, and another output'
}

@test "the injection finds a program that fails without a message" {
	# shellcheck disable=SC2016 # for the script
	replace topoparse <<<'exec "$REAL" "$@" 2>/dev/null'
	inject topoparse --kinds write --programs "$PROGRAMS"
	caught 'exit code 74, and no message says why'
}

@test "the injection finds a program that exits as permanently failed after a temporary failure" {
	# shellcheck disable=SC2016 # for the script
	replace ctreval <<<'"$REAL" "$@" || exit 78'
	inject ctreval --kinds write --programs "$PROGRAMS"
	caught 'exit code 78, as if it could never work'
}

@test "the injection finds an event that is lost with a failed write" {
	# The state does not survive the process.
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
	# Drop the last event of the sink whenever emit prints a message.
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

@test "the injection finds an event that emit acknowledges without having stored it" {
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

@test "the injection rejects invalid options with 64" {
	inject no-such-scenario
	[ "$status" -eq 64 ]
	inject ctreval --kinds no-such-kind
	[ "$status" -eq 64 ]
	inject ctreval --call write:EIO
	[ "$status" -eq 64 ]
}
