#!/usr/bin/env bats
# fleetview: the standing conditions of a fleet, worst first.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	IN=$T/in
	export COLUMNS=110
}

teardown() { end_background; }

# made JQ - print events.
made() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"events\"; $1"; }
# events JQ - write events to $IN.
events() { made "$1" >"$IN"; }

# shows OPTION... - print fleetview's table of $IN to $output; fail on any message.
shows() {
	run --separate-stderr bash -c 'fleetview "${@:2}" <"$1"' _ "$IN" "$@"
	status_is 0
	[ "$stderr" = "" ]
}

# part NAME - print that part's rows, with one blank between cells.
part() { awk -v name="$1" '$1 == name { on = 1; next } /^$/ { on = 0 } on' <<<"$output" | tr -s ' '; }

@test "nodes and ports with standing conditions come first, with the number of events within the hour" {
	events '(down(100; "mlx5_0") | of("n1")), (down(101; "mlx5_1") | of("n1")),
		(worse(50; "mlx5_0") | of("n2")), (worse(60; "mlx5_0") | of("n2")),
		(down(10; "mlx5_3") | of("n3")), (up(11; "mlx5_3") | of("n3")),
		(up(3700; "mlx5_3") | of("n4"))'
	shows
	[ "${lines[0]}" = "2023-11-14 23:15:00 UTC: 2 of 4 nodes, 3 ports: 3 active conditions, 2 fatal" ]
	[[ $output != *SWITCH* ]]
	diff <(part NODE) - <<-'END'
		n1 2 2 2 1 1 h 0 min port_state at 100
		n2 1 0 1 0 1 h 0 min symbol_error at 60
	END
	diff <(part PORT) - <<-'END'
		n1 mlx5_1/1 1 1 1 59 min port_state at 101
		n1 mlx5_0/1 1 1 0 1 h 0 min port_state at 100
		n2 mlx5_0/1 0 1 0 1 h 0 min symbol_error at 60
	END
}

@test "a long name of one node hides no numbers of other nodes" {
	events '(down(100; "mlx5_0") | of("n1")), (down(101; "mlx5_0") | of("n" * 200))'
	shows
	part NODE | grep -q '^n1 1 1 1 1 1 s po'
	part PORT | grep -q '^n1 mlx5_0/1 1 1 1 1 s po'
}

@test "a condition that ended is shown for an hour" {
	events '(down(100; "mlx5_0") | of("n1")), (up(101; "mlx5_0") | of("n1")),
		(up(3700; "mlx5_0") | of("n2"))'
	shows
	[ "${lines[0]}" = "2023-11-14 23:15:00 UTC: no active conditions on 2 nodes" ]
	[ "$(part PORT)" = "" ]
	events '(down(101; "mlx5_0") | of("n1")), (up(102; "mlx5_0") | of("n1")),
		(up(3700; "mlx5_0") | of("n2"))'
	shows
	diff <(part PORT) <(echo 'n1 mlx5_0/1 0 0 1 -')
}

@test "a condition of the kernel's log that is not fatal is active for an hour after its last event" {
	local log='driver(100; "nic_reset"; false), driver(200; "nic_reset"; false)'
	events "$log"', (down(210; "mlx5_0")), (up(3799.999999; "mlx5_3") | of("n2"))'
	shows
	[[ ${lines[0]} = *': 1 of 2 nodes, 1 port: 2 active conditions, 1 fatal' ]]
	diff <(part PORT) <(echo 'n1 mlx5_0/1 1 2 2 1 h 1 min port_state at 210')
	events "$log"', (down(210; "mlx5_0")), (up(3800; "mlx5_3") | of("n2"))'
	shows
	[[ ${lines[0]} = *': 1 of 2 nodes, 1 port: 1 active condition, 1 fatal' ]]
	diff <(part PORT) <(echo 'n1 mlx5_0/1 1 1 1 59 min port_state at 210')
	# After such an hour it begins anew.
	events "$log"', driver(3800; "nic_reset"; false)'
	shows
	diff <(part PORT) <(echo 'n1 mlx5_0/1 0 1 1 0 s nic_reset at 3800')
}

@test "a fatal condition stays fatal until it ends, whatever reports it again" {
	events 'driver(100; "nic_reset"; false), driver(101; "nic_reset"; true),
		driver(102; "nic_reset"; false), (up(9000; "mlx5_3") | of("n2"))'
	shows
	[[ ${lines[0]} = *': 1 of 2 nodes, 1 port: 1 active condition, 1 fatal' ]]
	[[ $(part PORT) = 'n1 mlx5_0/1 1 1 0 '*' nic_reset at 101' ]]
}

@test "with a topology the switches come first, and a suspected switch is neither listed nor counted as a node" {
	cat >"$T/topology.conf" <<-'END'
		SwitchName=leaf1 Nodes=n[1-4]
		SwitchName=leaf2 Nodes=n[5-9]
	END
	events '(range(1; 5) as $i | down(100 + $i; "mlx5_0") | of("n\($i)")),
		(worse(50; "mlx5_0") | of("n5")), (up(120; "mlx5_0") | of("n9"))'
	blastradius --topology "$T/topology.conf" <"$IN" >"$T/found"
	mv "$T/found" "$IN"
	shows --topology "$T/topology.conf"
	[[ ${lines[0]} = *'UTC: 5 of 6 nodes, 5 ports: 5 active conditions, 4 fatal' ]]
	diff <(part SWITCH) - <<-'END'
		leaf1 4 4 4 5 5 19 s port_state at 101
		leaf2 1 1 0 1 1 1 min symbol_error at 50
	END
	[ "$(part NODE | wc -l)" -eq 5 ]
	[ "$(head -n 1 < <(part NODE))" = 'n1 1 1 1 1 19 s port_state at 101' ]
}

@test "a port belongs to a switch as soon as an event has its interface, whatever came before" {
	echo '{"lldp": {"interface": {"eth0": {"chassis": {"tor": {}}}}}}' >"$T/n1.json"
	events '(down(100; "mlx5_0")), (worse(101; "mlx5_0") | .metadata.netdev = "eth0")'
	shows --topology "$T/n1.json"
	diff <(part SWITCH) <(echo 'tor 1 1 0 1 1 0 s symbol_error at 101')
}

@test "records that are no events are skipped, and a repeated event counts once" {
	events '(down(100; "mlx5_0") | of("n1")), (down(100; "mlx5_0") | of("n1"))'
	cp "$IN" "$T/one"
	{
		echo '{"kind":"scan.begin","node":"n7"}'
		echo '{"kind":"mark","v":1,"source":"s","after":0,"seq":7}'
		cat "$T/one" "$T/one"
	} >"$IN"
	shows
	[[ ${lines[0]} = *': 1 of 1 node, 1 port: 1 active condition, 1 fatal' ]]
	[[ $(part PORT) = 'n1 mlx5_0/1 1 1 1 '* ]]
	{
		echo 'no record'
		cat "$T/one"
		jq -c '.generatedTimestamp = "soon"' "$T/one"
	} >>"$IN"
	run --separate-stderr bash -c 'fleetview <"$1"' _ "$IN"
	status_is 0 '"generatedTimestamp" is not a time'
	[[ $stderr = *'line 7, byte 2: skipped: '* ]]
	[[ ${lines[0]} = *': 1 of 1 node, 1 port: 1 active condition, 1 fatal' ]]
}

@test "fleetview reports at once when it has no room for an event, and at the end for how many" {
	feed_open fleetview
	made '[range(515)][] as $i | down($i; "mlx5_\($i)")' >&7
	wait_until 20 grep -q '^fleetview: warning: 1 events are not shown: ' "$T/err"
	exec 7>&-
	ends_with 0 "$PID"
	[ "$(sed -n 's/.*warning: \([0-9]*\) events.*/\1/p' "$T/err" | xargs)" = '1 3' ]
}

@test "fleetview escapes text of events, and no line is wider than the terminal" {
	events '(down(100; "mlx5_0\u001b[2J") | of("n\u001b[1m1")
		| .message = "\u009b7m" + "long " * 100)'
	shows
	[ "$(grep -c -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' <<<"$output")" -eq 0 ]
	[ "$(awk '{ if (length > most) most = length } END { print most }' <<<"$output")" -eq 110 ]
}

@test "a terminal with too few lines shows the worst and the number of the others" {
	events 'range(1; 40) as $i | down(100 + $i; "mlx5_\($i)") | of("n\($i)")'
	# seen COMMAND - print the command's output on a terminal of 20 lines.
	seen() {
		timeout 30 script -q -c "stty rows 20 cols 100; TERM=xterm COLUMNS= $1" /dev/null |
			sed 's/\x1b\[[0-9;]*[A-Za-z]//g; s/\r$//'
	}
	output=$(seen "fleetview <'$IN'")
	[ "$(tail -n +1 <<<"$output" | grep -c 'and 3[0-9] more nodes')" -ge 1 ]
	[ "$(grep -c 'and 3[0-9] more ports' <<<"$output")" -ge 1 ]
	[ "$(grep -c 'n1 mlx5_1/1' <<<"$output")" -ge 1 ]
}

@test "fleetview updates a terminal while events come, and writes the table to a file at the end" {
	mkfifo "$T/pipe"
	started view bash -c 'exec script -q -f -c "TERM=xterm exec fleetview" "$2" <"$1"' _ \
		"$T/pipe" "$T/typescript"
	exec 7>"$T/pipe"
	made 'down(100; "mlx5_0") | of("n1")' >&7
	wait_until 20 grep -q 'n1 mlx5_0/1' "$T/typescript"
	exec 7>&-
	events 'down(100; "mlx5_0") | of("n1")'
	mkfifo "$T/slow"
	started file bash -c 'exec fleetview <"$1"' _ "$T/slow"
	exec 7>"$T/slow"
	cat "$IN" >&7
	exec 7>&-
	ends_with 0 "$PID"
	grep -q 'n1 mlx5_0/1' "$T/file.out"
	[ "$(grep -c $'\033' "$T/file.out")" -eq 0 ]
}

# catches_term PID - return success if it handles SIGTERM.
catches_term() { ((0x$(awk '$1 == "SigCgt:" { print $2 }' "/proc/$1/status") & 1 << 14)); }

@test "on SIGTERM fleetview shows what it has read" {
	mkfifo "$T/pipe"
	started view bash -c 'exec fleetview <"$1"' _ "$T/pipe"
	exec 7>"$T/pipe"
	wait_until 20 catches_term "$PID"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	exec 7>&-
	grep -q 'UTC: no active conditions on 0 nodes' "$T/view.out"
}

@test "an unreadable topology exits 66" {
	run --separate-stderr fleetview --topology "$T/none" </dev/null
	status_is 66 "^fleetview: error: $T/none: No such file"
	run --separate-stderr fleetview --topology '' </dev/null
	status_is 64 "not a file's name"
}

# Thorough: tools
@test "fleetview reads a changed topology again" {
	mkfifo "$T/pipe"
	mkdir "$T/layout"
	started view bash -c 'exec script -q -f -c "TERM=xterm exec fleetview --topology $3" \
		"$2" <"$1"' _ "$T/pipe" "$T/typescript" "$T/layout"
	exec 7>"$T/pipe"
	made 'down(100; "mlx5_0") | of("n1")' >&7
	wait_until 20 grep -q 'n1 mlx5_0/1' "$T/typescript"
	[ "$(grep -c SWITCH "$T/typescript")" -eq 0 ]
	echo 'SwitchName=leaf1 Nodes=n[1-4]' >"$T/layout/topology.conf"
	wait_until 30 grep -q '^.*leaf1' "$T/typescript"
	exec 7>&-
}
