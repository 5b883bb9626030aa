#!/usr/bin/env bats
# blastradius: when many nodes lose their links at once, it suspects the switch that they share.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	IN=$T/in
	TOPOLOGY=$BATS_TEST_DIRNAME/fleet/topology
}

teardown() { end_background; }

# Helper functions that make events.
EVENTS='include "events";
def falls($at; $nodes): $nodes[] | . as $n | down($at; "mlx5_0") | of($n);
def rises($at; $nodes): $nodes[] | . as $n | up($at; "mlx5_0") | of($n);
def errs($at): event($at; "mlx5_0"; "InfiniBandStateCheck"; "symbol_error"; true; false);
def heals($at): event($at; "mlx5_0"; "InfiniBandStateCheck"; "symbol_error"; false; true);
def clears($at; $check; $nodes): $nodes[] | . as $n
	| event($at; "mlx5_0"; $check; "port_state"; false; true)
	| .entitiesImpacted = [] | .errorCode = [] | .seq += 1 | of($n);
def alive($at; $nodes): $nodes[] | . as $n | up($at; "mlx5_9") | of($n);
def some($from; $to): [range($from; $to) | "n\(.)"];'

# events JQ - write events to $IN.
events() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "$EVENTS $1" >"$IN"; }

# evaluate OPTION... - run blastradius on $IN.
evaluate() { run --separate-stderr bash -c 'blastradius "${@:2}" <"$1"' _ "$IN" "$@"; }

# suspects LINE... - check that the FabricSuspect events are exactly these: `!` (suspected) or `=`
# (over), the suspect, and the second.
suspects() {
	jq -r 'select(.checkName == "FabricSuspect")
		| (.generatedTimestamp | sub("\\..*"; "Z") | fromdate - 1700000000) as $at
		| (if .isHealthy then "=" else "!" end) + "\(.nodeName) \($at)"' <<<"$output" |
		diff - <([ $# -eq 0 ] || printf '%s\n' "$@") >&2
}

# acts LINE... - check that exactly these events lead to a remediation: node and second.
acts() {
	jq -r 'select(.recommendedAction == "REPLACE_VM"
			and .processingStrategy == "EXECUTE_REMEDIATION")
		| (.generatedTimestamp | sub("\\..*"; "Z") | fromdate - 1700000000) as $at
		| "\(.nodeName) \($at)"' <<<"$output" | sort |
		diff - <([ $# -eq 0 ] || printf '%s\n' "$@" | sort) >&2
}

@test "four nodes that lose a link within ten seconds give one event, which names them and their ports" {
	events 'falls(100; some(1; 4)), (down(109.9; "mlx5_1") | of("n4"))'
	evaluate
	status_is 0
	[ -z "$stderr" ]
	suspects '!fabric 110'
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[0]
		| .kind == "event" and .agent == "health-events-analyzer" and (.isFatal | not)
		and .recommendedAction == "NONE" and .errorCode == ["fabric_suspect"]
		and .entitiesImpacted == [] and .metadata.nodes == "n[1-4]"
		and .metadata.ports == "mlx5_0/1 on n[1-3]; mlx5_1/1 on n4"
		and .metadata.portCount == "4"
		and (.metadata.evidence | split(",") | sort) == ["n1-mlx5_0-100", "n2-mlx5_0-100",
			"n3-mlx5_0-100", "n4-mlx5_1-109.9"]
		and .message == "4 of 4 nodes of the fabric have trouble with their links, all within 10 s: suspect the fabric, not the NICs"' \
		<<<"$output"
	acts
}

@test "three nodes, four nodes in more than ten seconds, or four ports of three nodes give no event" {
	events 'falls(100; some(1; 4)), (down(109; "mlx5_1") | of("n3"))'
	evaluate
	suspects
	acts 'n1 100' 'n2 100' 'n3 100' 'n3 109'
	events 'falls(100; some(1; 4)), falls(110; ["n4"])'
	evaluate
	suspects
	acts 'n1 100' 'n2 100' 'n3 100' 'n4 110'
	events 'falls(100; some(1; 3)), falls(105; ["n3"])'
	evaluate --nodes 3 --within 5s
	suspects
	evaluate --nodes 3 --within 6s
	suspects '!fabric 106'
}

@test "the affected nodes must be a fifth of the nodes that sent an event within the hour" {
	events 'alive(10; some(1; 21)), falls(100; some(1; 5))'
	evaluate
	suspects '!fabric 110'
	events 'alive(10; some(1; 22)), falls(100; some(1; 5))'
	evaluate
	suspects
	evaluate --percent 19
	suspects '!fabric 110'
	events 'alive(10; some(1; 22)), falls(3610; some(1; 5))'
	evaluate
	suspects '!fabric 3620'
	events 'alive(10; some(1; 22)), falls(3609; some(1; 5))'
	evaluate
	suspects
}

@test "a port's counters and flaps count, and events about anything else do not" {
	events '(worse(100; "mlx5_0") | of("n1")), (link_downed(100; "mlx5_0") | of("n2")),
		(down(100; "mlx5_0") | .errorCode = ["port_flap"] | of("n3")),
		(down(100; "mlx5_0") | .checkName = "EthernetStateCheck" | of("n4"))'
	evaluate
	suspects '!fabric 110' '=fabric 110'
	events 'falls(100; some(1; 4)), (driver(100; "cmd_exec_timeout"; true) | of("n4")),
		(down(100; "mlx5_0") | .errorCode = ["nic_gone"] | .entitiesImpacted |= .[:1]
			| of("n5")),
		(down(100; "mlx5_0") | .errorCode = ["port_gone"] | of("n6")),
		(down(100; "mlx5_0") | .agent = "health-events-analyzer" | of("n7")),
		(worse(100; "mlx5_0") | .errorCode += ["saturated"] | of("n9")),
		(up(100; "mlx5_0") | of("n8"))'
	evaluate
	suspects
}

@test "an event that is repeated because a silence ended does not count" {
	events 'falls(100; some(1; 5)) | .metadata.afterSilence = "0000000000000001"'
	evaluate
	status_is 0
	suspects
}

@test "with a topology each switch is counted by itself, and so are the ports that it does not list" {
	printf '%s\n' 'SwitchName=leaf1 Nodes=n[1-10]' 'SwitchName=leaf2 Nodes=n[11-40]' >"$T/conf"
	events 'alive(1; some(1; 60)), falls(100; some(1; 4) + some(11; 14) + some(41; 44))'
	evaluate --topology "$T/conf"
	suspects
	events 'alive(1; some(1; 60)), falls(100; some(1; 5)), falls(101; some(12; 17))'
	evaluate --topology "$T/conf"
	suspects '!leaf1 110'
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[0]
		| .entitiesImpacted == [{"entityType":"Switch","entityValue":"leaf1"}]
		and (.message | startswith("4 of 10 nodes on switch leaf1 have trouble"))
		and (.message | endswith("suspect the switch, not the NICs"))' <<<"$output"
	acts 'n12 101' 'n13 101' 'n14 101' 'n15 101' 'n16 101'
	events 'falls(100; some(50; 54))'
	evaluate --topology "$T/conf" --fabric west
	suspects '!west 110'
}

@test "an event that would replace a node because of a suspected port becomes STORE_ONLY and names the suspicion" {
	events 'falls(100; some(1; 6)), falls(103; ["n1"]),
		(link_downed(112; "mlx5_0") | of("n2")),
		(down(130; "mlx5_0") | .agent = "health-events-analyzer"
			| .checkName = "NICPortDownLong" | of("n3")),
		(down(130; "0000:18:00") | .entitiesImpacted |= .[:1] | .errorCode = ["card_ports"]
			| .metadata.devices = "mlx5_7,mlx5_0" | of("n4")),
		(driver(130; "cmd_exec_timeout"; true) | of("n1")),
		(down(131; "mlx5_1") | of("n1")), (worse(131; "mlx5_0") | of("n1")),
		(down(132; "mlx5_0") | of("n9"))'
	evaluate
	suspects '!fabric 110'
	acts 'n1 130'
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[0].id as $id
		| map(select(.metadata.heldBy)) | length == 11
		and all(.metadata.heldBy == $id and .processingStrategy == "STORE_ONLY")' \
		<<<"$output"
	# The events are otherwise unchanged.
	diff <(jq -S -c 'del(.processingStrategy)' "$IN" | sort) \
		<(jq -S -c 'select(.checkName != "FabricSuspect")
			| del(.metadata.heldBy, .processingStrategy)' <<<"$output" | sort) >&2
}

@test "the event about a card is held back, too, when it comes before those of its ports, as at a boot" {
	events 'falls(100.1; some(1; 6)),
		(some(1; 6)[] | . as $n | down(100; "0000:18:00") | .entitiesImpacted |= .[:1]
			| .errorCode = ["card_ports"] | .metadata.devices = "mlx5_0" | of($n)),
		rises(200; some(2; 6)), alive(600; ["n2"])'
	evaluate
	suspects '!fabric 110' '=fabric 200'
	acts 'n1 500' 'n1 500'
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[0].id as $id
		| map(select(.metadata.heldBy)) | length == 10 and all(.metadata.heldBy == $id)' \
		<<<"$output"
}

@test "the suspicion ends when few nodes have a port down, and ports that stay down are then released" {
	events 'alive(1; some(1; 9)), falls(100; some(1; 9)), rises(200; some(1; 5)),
		rises(210; ["n5"]), rises(400; ["n6"]), alive(600; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 210'
	acts 'n7 510' 'n8 510'
	jq -e -s '.[] | select(.metadata.released == "n7-mlx5_0-100")
		| .agent == "nic-health-monitor" and .isFatal
		and .checkName == "InfiniBandStateCheck" and .errorCode == ["port_state"]
		and .message == "port_state at 100"
		and .entitiesImpacted[0].entityValue == "mlx5_0"
		and (.source | startswith("n7") | not)' <<<"$output"
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[1]
		| .isHealthy and .errorCode == ["fabric_suspect"]
		and .message == "ended: only 3 nodes of the fabric have a port that is down"' \
		<<<"$output"
	evaluate --settle 10s
	acts 'n6 220' 'n7 220' 'n8 220'
	events 'falls(100; some(1; 5)), rises(105; some(1; 4)), alive(600; ["n1"])'
	evaluate
	[ "$(jq -r 'select(.checkName == "FabricSuspect" and .isHealthy).message' <<<"$output")" = \
		'ended: only 1 node of the fabric has a port that is down' ]
}

@test "a port stays down when its node clears the other checks, as at a boot, and is up when it clears its own" {
	events 'alive(1; some(1; 9)), falls(100; some(1; 9)),
		clears(100.1; "EthernetStateCheck"; some(1; 9)),
		clears(100.2; "EFAStateCheck"; some(1; 9)), rises(200; some(1; 5)),
		clears(210; "InfiniBandStateCheck"; ["n5"]), alive(600; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 220'
	acts 'n6 520' 'n7 520' 'n8 520'
}

@test "a node that boots and reports its port as down again does not end the suspicion" {
	events 'falls(100; some(1; 5)), clears(200; "InfiniBandStateCheck"; ["n1"]),
		falls(200.1; ["n1"]), clears(300; "InfiniBandStateCheck"; ["n2"]),
		alive(900; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 310'
	acts 'n1 610' 'n3 610' 'n4 610'
}

@test "a link that came back releases nothing, and a counter releases what no recovery has answered" {
	events 'falls(100; some(1; 5)), rises(130; some(1; 5)),
		(some(1; 5)[] | . as $n | link_downed(105; "mlx5_0") | of($n)),
		(errs(106) | of("n1")),
		(errs(106) | of("n2")), (heals(108) | of("n2")),
		(event(106; "mlx5_0"; "InfiniBandDegradationCheck"; "symbol_error"; true; false)
			| of("n3")),
		(down(106; "mlx5_0") | .errorCode = ["port_gone"] | of("n4")),
		alive(600; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 130'
	acts 'n1 430' 'n3 430' 'n4 430'
}

@test "a switch that fails again while it settles is a second event, and held events stay held" {
	events 'falls(100; some(1; 6)), rises(130; some(1; 5)), falls(200; some(1; 5)),
		rises(230; some(1; 5)), alive(700; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 130' '!fabric 210' '=fabric 230'
	acts 'n5 530'
}

@test "an event is held back while a switch settles, also if the switch fails again right after it" {
	events 'falls(100; some(1; 6)), rises(120; some(2; 6)),
		(down(200; "mlx5_0") | .agent = "health-events-analyzer"
			| .checkName = "NICPortDrop"
			| of("n1")),
		falls(203; some(2; 6)), rises(230; some(2; 6)), alive(700; ["n1"])'
	evaluate
	suspects '!fabric 110' '=fabric 120' '!fabric 213' '=fabric 230'
	acts 'n1 530' 'n1 530'
	jq -e -s 'map(select(.checkName == "FabricSuspect"))[0].id as $id
		| map(select(.checkName == "NICPortDrop")) | length == 2
		and .[0].metadata.heldBy == $id' <<<"$output"
}

# Nodes of a cloud come and go, and each has a name of its own.
@test "a new node takes the place of one that has been silent for an hour and has no port down" {
	events 'falls(100; some(1; 4))'
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" "$EVENTS"'up(100; "mlx5_0") | .nodeName = "N%d"
		| .source = "N%d"' |
		awk '{ for (n = 3; n < 65536; n++) printf $0 "\n", n, n }' >>"$IN"
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" "$EVENTS"'falls(3000; ["x"]),
		falls(3800; some(5; 9)), rises(3900; some(5; 9))' >>"$IN"
	evaluate
	status_is 0
	[[ $stderr = *': 1 events were passed on without evaluation: '* ]]
	suspects '!fabric 3810' '=fabric 3900'
	[[ $output = *'only 3 nodes of the fabric have a port that is down'* ]]
}

@test "the order of the input does not matter, and the output is sorted by time" {
	events 'alive(1; some(1; 9)), falls(100; some(1; 9)), rises(200; some(1; 6)), alive(600; ["n1"])'
	evaluate
	sorted=$output
	suspects '!fabric 110' '=fabric 200'
	shuf --random-source=<(yes) "$IN" >"$T/shuffled"
	mv "$T/shuffled" "$IN"
	evaluate
	diff <(sort <<<"$sorted") <(sort <<<"$output") >&2
	jq -r 'select(.checkName != "FabricSuspect" and (.metadata.released | not))
		| .generatedTimestamp' <<<"$output" | sort -c
}

@test "unknown records pass unchanged, and an invalid event is reported" {
	events 'alive(1; ["n1"])'
	printf '%s\n' '{"kind":"gap","v":1,"lost":null}' '{ "kind" : "event", "nodeName" : "n1" }' \
		'not a record' >>"$IN"
	evaluate
	status_is 0
	stderr_has 'stdin: line 3, byte 0: skipped: "generatedTimestamp" is not a time'
	stderr_has 'stdin: further skipped lines: 1'
	diff <(head -n 3 "$IN") - <<<"$output" >&2
}

@test "a message or a node list that is too long is cut, and the event stays valid" {
	events 'falls(100; [range(100; 400) | "\(. * 7919 % 1000003)n\("x" * 20)\(.)"])'
	evaluate
	status_is 0
	suspects '!fabric 110'
	jq -e 'select(.checkName == "FabricSuspect") | (.metadata.nodes | length) <= 1024
		and (.metadata.nodes | endswith("…"))
		and (.metadata.portCount == "300")' <<<"$output"
	[ "$(grep FabricSuspect <<<"$output" | wc -c)" -le 4096 ]
	events 'falls(100; some(1; 5)) | .message = "é" * ((4095 - (tojson | length) + 18) / 2 | floor)'
	[ "$(wc -c <"$IN")" -gt 16376 ]
	evaluate
	jq -e -s 'map(select(.metadata.heldBy))
		| length == 4 and all(.message | endswith("é…"))' <<<"$output"
	[ "$(wc -L <<<"$output")" -le 4095 ]
}

# --- topologies ---

# hangs LINE... - check that --print-topology printed exactly these: node, device, port, switch.
hangs() { diff <(tr '\t' ' ' <<<"$output") <(printf '%s\n' "$@") >&2; }

@test "blastradius reads a topology from ibnetdiscover, Slurm and lldpcli" {
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY/ibnetdiscover.txt"
	status_is 0
	[ -z "$stderr" ]
	hangs 'node001 mlx5_0 1 MF0;leaf1:MQM8700/U1' \
		'node001 mlx5_1 1 Quantum Mellanox Technologies S-1070fd0300000200' \
		'node002 mlx5_0 1 MF0;leaf1:MQM8700/U1' \
		'node002 mlx5_0 2 Quantum Mellanox Technologies S-1070fd0300000300'
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY/topology.conf"
	status_is 0
	[ -z "$stderr" ]
	hangs 'node001 * * leaf1' 'node002 * * leaf1' 'node003 * * leaf1' 'node020 * * leaf1' \
		'login1 * * leaf1' 'rack1n09x * * leaf2' 'rack1n10x * * leaf2' \
		'rack2n09x * * leaf2' 'rack2n10x * * leaf2' 'node100 * * leaf3'
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY/node007.json"
	status_is 0
	[ -z "$stderr" ]
	hangs 'node007 ens1f0np0 * tor-17' 'node007 ens2f0np0 * 1c:34:da:00:00:02'
	jq '.lldp.interface |= .[0]' "$TOPOLOGY/node007.json" >"$T/node008.json"
	run --separate-stderr blastradius --print-topology --topology "$T/node008.json"
	hangs 'node008 ens1f0np0 * tor-17'
	# No interface has a neighbour.
	echo '{"lldp": {}}' >"$T/node008.json"
	run --separate-stderr blastradius --print-topology --topology "$T/node008.json"
	[ -z "$output$stderr" ]
}

@test "a directory stands for all files in it, and several topologies add up" {
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY"
	status_is 0
	[ "${#lines[@]}" -eq 16 ]
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY/node007.json" \
		--topology "$TOPOLOGY/topology.conf"
	[ "${#lines[@]}" -eq 12 ]
	# The same for a node that another topology has as a whole.
	cp "$TOPOLOGY/node007.json" "$T/node001.json"
	run --separate-stderr blastradius --print-topology --topology "$TOPOLOGY/topology.conf" \
		--topology "$T/node001.json"
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 12 ]
}

@test "the mistakes of a topology give one message per file, and its valid lines count" {
	printf '%s\n' 'SwitchName=leaf1 Nodes=n[1-2' 'SwitchName=leaf1 Nodes=n[2-1]' 'Nodes=n7' \
		'SwitchName=leaf2 Nodes=n[1-99999999]' 'SwitchName=leaf2 Nodes=a,,b' \
		'SwitchName=leaf3 Nodes=n3' >"$T/conf"
	run --separate-stderr blastradius --print-topology --topology "$T/conf"
	status_is 0
	stderr_has "$T/conf: line 1: its nodes are not a list of hosts: skipped, and 4 more"
	hangs 'a * * leaf2' 'n3 * * leaf3'
	printf 'Switch\t1 "S-1"\nCa\t1 "H-1"\t# "n1 mlx5_0"\n[1\n[1] nowhere\nCa\t1\n[1] "S-1"[1]\n' \
		>"$T/net"
	run --separate-stderr blastradius --print-topology --topology "$T/net"
	status_is 0
	[ -z "$output" ]
	stderr_has "$T/net: line 1: a switch without a GUID or name: skipped, and 3 more"
	echo '{"lldp": {"interface": [{"e1": {}}, 3]}}' >"$T/n1.json"
	run --separate-stderr blastradius --print-topology --topology "$T/n1.json"
	stderr_has "$T/n1.json: an interface without a chassis"
	echo '{"lldp": ' >"$T/n1.json"
	run --separate-stderr blastradius --print-topology --topology "$T/n1.json"
	stderr_has "$T/n1.json: not output of lldpcli -f json"
	echo 'hello' >"$T/other"
	run --separate-stderr blastradius --print-topology --topology "$T/other"
	status_is 0
	stderr_has "$T/other: unknown format: not ibnetdiscover, lldpcli -f json or Slurm's topology"
	run --separate-stderr blastradius --topology "$T/missing" </dev/null
	status_is 66
	stderr_has "$T/missing"
}

@test "the topology matches a port by device, network interface or node, with or without a domain" {
	events '[("node001.a.example", "node002.b.example", "node003", "login1") as $n
		| down(100; "mlx5_5") | of($n)][]'
	evaluate --topology "$TOPOLOGY/topology.conf"
	suspects '!leaf1 110'
	printf '%s\n' n1 n2 n3 n4 | while read -r node; do
		echo '{"lldp": {"interface": {"eth5": {"chassis": {"tor": {}}}}}}' >"$T/$node.json"
	done
	mkdir "$T/lldp"
	mv "$T"/n?.json "$T/lldp"
	events 'some(1; 5)[] as $n | down(100; "mlx5_5") | .metadata.netdev = "eth5" | of($n)'
	evaluate --topology "$T/lldp"
	suspects '!tor 110'
	# Also when the first events lack the network interface.
	events '(some(1; 5)[] as $n | down(100 + ($n[1:] | tonumber) * 60; "mlx5_5") | of($n)),
		(some(1; 5)[] as $n | down(1000; "mlx5_5") | .metadata.netdev = "eth5" | of($n))'
	evaluate --topology "$T/lldp"
	suspects '!tor 1010'
}

# --- live, and across restarts ---

# now JQ - print events at the current time, `$now`.
now() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson now "$(date +%s.%6N)" \
		"$EVENTS (\$now - 1700000000) as \$now | $1"
}

# live OPTION... - start blastradius, which reads from descriptor 7.
live() { feed_open blastradius --live --within 1s "$@"; }

# written N JQ - return success if its output has exactly N records that match.
written() { [ "$(jq -c "select($2)" "$T/out" | wc -l)" -eq "$1" ]; }

@test "with --live an event is written as soon as no event can come that changes it" {
	live
	now 'falls($now; some(1; 6))' >&7
	wait_until 20 written 5 '.metadata.heldBy'
	written 1 '.checkName == "FabricSuspect" and (.isHealthy | not)'
	[ ! -s "$T/err" ]
	exec 7>&-
	ends_with 0 "$PID"
}

@test "with --live a suspicion ends without further input, and a changed topology is read again" {
	echo 'SwitchName=leaf1 Nodes=a' >"$T/conf"
	live --topology "$T/conf" --settle 1s
	echo '{"kind":"other"}' >&7
	wait_until 20 written 1 '.kind == "other"'
	echo 'SwitchName=leaf1 Nodes=n[1-9]' >"$T/conf.new"
	mv "$T/conf.new" "$T/conf"
	wait_until 30 grep -q -x 'blastradius: note: reloaded the topology: 9 ports on 1 switches' "$T/err"
	now '(some(1; 6)[] as $n | errs($now) | of($n))' >&7
	wait_until 20 written 1 '.nodeName == "leaf1" and .isHealthy'
	wait_until 20 written 5 '.metadata.released'
	echo 'SwitchName' >"$T/conf.new"
	rm "$T/conf"
	wait_until 30 grep -q 'keeping the previous topology' "$T/err"
	exec 7>&-
	ends_with 0 "$PID"
}

@test "with --live an event that comes too late to be evaluated is passed on as it is" {
	mkdir "$T/state"
	now 'falls($now - 120; some(1; 6))' |
		blastradius --within 1s --state "$T/state/file" >"$T/before"
	grep -q heldBy "$T/before"
	# The node came up and went down again; the news of that took a while.
	live --state "$T/state/file"
	now 'rises($now - 110; ["n1"]), falls($now - 100; ["n1"])' >&7
	wait_until 20 written 1 '.nodeName == "n1" and .isFatal'
	exec 7>&-
	ends_with 0 "$PID"
	written 1 '.isFatal and .processingStrategy == "EXECUTE_REMEDIATION"'
}

@test "with --live events that come as soon as the clock was set back are evaluated" {
	touch "$T/clock-is-set"
	with_slow_clock live --confine=off
	now 'alive($now; ["n9"])' >&7
	wait_until 20 written 1 '.nodeName == "n9"'
	# Both happen before blastradius looks at the clock again.
	kill -STOP "$PID"
	rm "$T/clock-is-set"
	now 'falls($now - 7200; some(1; 6))' >&7
	kill -CONT "$PID"
	wait_until 20 written 5 '.isFatal'
	exec 7>&-
	ends_with 0 "$PID"
	written 5 '.metadata.heldBy'
	has_lines 1 "$T/err" 'the clock was set'
}

@test "with --live a suspicion that begins as soon as the clock was set forward ends in time" {
	with_slow_clock live --confine=off
	now 'alive($now - 7200; ["n9"])' >&7
	wait_until 20 written 1 '.nodeName == "n9"'
	# Both happen before blastradius looks at the clock again.
	kill -STOP "$PID"
	touch "$T/clock-is-set"
	now 'falls($now; some(1; 6))' >&7
	kill -CONT "$PID"
	wait_until 20 written 5 '.metadata.heldBy'
	now 'rises($now; some(1; 6))' >&7
	wait_until 20 written 1 '.checkName == "FabricSuspect" and .isHealthy'
	exec 7>&-
	ends_with 0 "$PID"
	has_lines 1 "$T/err" 'the clock was set'
}

@test "with --live events are evaluated although the clock was ahead before a restart" {
	mkdir "$T/state"
	touch "$T/clock-is-set"
	with_slow_clock live --confine=off --state "$T/state/file"
	now 'alive($now; ["n9"])' >&7
	wait_until 20 written 1 '.nodeName == "n9"'
	exec 7>&-
	ends_with 0 "$PID"
	rm "$T/clock-is-set" "$T/feed"
	with_slow_clock live --confine=off --state "$T/state/file"
	now 'falls($now - 7200; some(1; 6))' >&7
	wait_until 20 written 5 '.isFatal'
	exec 7>&-
	ends_with 0 "$PID"
	written 5 '.metadata.heldBy'
	has_lines 1 "$T/err" 'the clock was set'
}

@test "with --live a closed stdout exits 74, even without input" {
	ends_without_reader blastradius --live
}

# each JQ - run blastradius once for each line of events, with one state. Set output to all that the
# runs write.
each() {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" "$EVENTS $1 | [.]" >"$T/runs"
	: >"$T/all"
	mkdir -p "$T/state"
	while read -r events; do
		jq -c '.[][]' <<<"$events" | blastradius --state "$T/state/file" >>"$T/all"
	done <"$T/runs"
	output=$(cat "$T/all")
}

@test "a restart changes no suspicion, no end of one and no release" {
	each '[alive(1; some(1; 9)), falls(100; some(1; 9))], [rises(200; some(1; 5))],
		[rises(210; ["n5"])], [rises(400; ["n6"])], [alive(600; ["n1"])]'
	suspects '!fabric 100' '=fabric 210'
	acts 'n7 510' 'n8 510'
	rm -r "$T/state"
	each '[alive(1; some(1; 9)), falls(100; some(1; 9))], [rises(200; some(1; 5))],
		[clears(205; "EthernetStateCheck"; some(5; 9))], [rises(210; ["n5"])],
		[alive(600; ["n1"])]'
	suspects '!fabric 100' '=fabric 210'
	acts 'n6 510' 'n7 510' 'n8 510'
	rm -r "$T/state"
	each '[alive(1; some(1; 22))], [falls(100; some(1; 5))]'
	suspects
	rm -r "$T/state"
	each '[falls(100; some(1; 4))], [falls(105; ["n4"])], [alive(140; ["n1"])]'
	suspects '!fabric 105'
	acts 'n1 100' 'n2 100' 'n3 100'
}

@test "a repeated event counts once" {
	each '[falls(100; some(1; 5)), rises(110; some(1; 5)), rises(500; some(1; 5))],
		[falls(100; some(1; 5))]'
	suspects '!fabric 110' '=fabric 110'
}

@test "an event whose text contains \\u0000 behind a backslash is evaluated like any other" {
	events 'falls(100; some(1; 5)) | .message = "C:\\u0000"'
	grep -q 'C:\\\\u0000' "$IN"
	evaluate
	status_is 0
	[ -z "$stderr" ]
	suspects '!fabric 110'
}

@test "an unacknowledged event is written again, and an invalid state file is moved aside" {
	mkdir "$T/state"
	echo '{"version":1,"acks":{}}' >"$T/acks"
	events 'falls(100; some(1; 5))'
	evaluate --state "$T/state/file" --acks "$T/acks"
	suspects '!fabric 100'
	echo '{"kind":"other"}' >"$IN"
	evaluate --state "$T/state/file" --acks "$T/acks"
	suspects '!fabric 100'
	jq -c '.fleet.places[0].stage = 9' "$T/state/file" >"$T/state/new"
	mv "$T/state/new" "$T/state/file"
	evaluate --state "$T/state/file"
	status_is 0
	stderr_has 'a malformed place'
	[ -e "$T/state/file.corrupt" ]
	suspects
	run blastradius --acks "$T/acks" </dev/null
	status_is 64
}
