#!/usr/bin/env bats
# nicwhy: explains the state of one device in sentences.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	unset COLUMNS
}

# A scan of a device with a role, and decisions about it.
BEGIN='{"kind":"scan.begin","scan":1,"node":"gpu-42","boot_id":"b","boottime_ns":5000000000,
	"ts":"2026-11-27T12:00:05Z","interval_ms":1000}'
NIC='{"kind":"device","scan":1,"device":"mlx5_3","pci":"0000:2a:00.0","driver":"mlx5_core",
	"hca_type":"MT4129","fw_ver":"28.1","vf":false,"netdevs":[{"name":"rdma2","uppers":[]}],
	"ports":1,"role":"compute","monitored":true,"reason":"topo_pix_pxb","card":"0000:2a:00"}'
PORT='{"kind":"port","scan":1,"ts":"2026-11-27T12:00:05Z","boottime_ns":5000000000,
	"device":"mlx5_3","port":1,"link_layer":"Ethernet","state":"DOWN","state_id":1,
	"phys_state":"Polling","rate":"200 Gb/sec (4X HDR)","netdev":"rdma2","operstate":"down",
	"counters":{}}'
DECIDED='"kind":"decision","v":1,"scan":1,"ts":"2026-11-27T12:00:05Z","boottime_ns":5000000000,
	"device":"mlx5_3","event":null'
COUNTED="$DECIDED,\"about\":\"counter\",\"port\":1"

# A condition, and a sink that has event 7.
STANDS='"kind":"condition","v":1,"about":"NIC=mlx5_3,NICPort=1","device":"mlx5_3","port":"1",
	"isFatal":true,"recommendedAction":"REPLACE_VM","times":2,"updated":7,"silence":null,
	"since":"2026-11-27T11:57:05Z"'
SINK='{"kind":"sink","v":1,"name":"file:events","position":7}'
# at NAME POSITION - a sink has passed by the events up to this one.
at() { printf '{"kind":"sink","v":1,"name":"%s","position":%d}' "$1" "$2"; }
SILENCE='"kind":"silence","v":1,"id":"00000000000000aa","device":"mlx5_3","by":"ada",
	"why":"new cable","ts":"2026-11-27T11:00:00Z"'

# why [DEVICE[/PORT] [OPTION]...] - run nicwhy on the records on stdin, which may span lines
why() {
	jq -c . | { run --separate-stderr nicwhy "${@:-mlx5_3}"
		printf '%s\n' "$output" >"$T/why"
		printf '%s' "$stderr" >"$T/stderr"
		return "$status"; }
}

# says TEXT - check that the output has this line, indented or not
says() {
	sed 's/^ *//' "$T/why" | grep -q -x -F -- "$1" || {
		printf 'no line "%s" in:\n' "$1" >&2
		cat "$T/why" >&2
		return 1
	}
}

says_not() { none grep -F -- "$1" "$T/why"; }

# unknown DEVICE[/PORT] - check that nicwhy exits 66 for it with the records on stdin
unknown() {
	local status=0
	why "$1" || status=$?
	[ "$status" -eq 66 ]
}

@test "the output has the device's name, role with reason, ports, decisions and standing conditions" {
	printf '%s\n' "$BEGIN" "$NIC" "$PORT" \
		"{$DECIDED,\"about\":\"device\",\"reason\":\"it is there\"}" \
		"{$DECIDED,\"about\":\"port\",\"port\":1,\"reason\":\"not healthy\"}" \
		"{$STANDS,\"message\":\"port down\"}" "$SINK" | why
	[ ! -s "$T/stderr" ]
	diff - "$T/why" <<-'END'
		mlx5_3 on gpu-42, PCI 0000:2a:00.0, MT4129, firmware 28.1, driver mlx5_core
		Its role is compute, and it is monitored: a GPU is next to it (PIX or PXB).
		Port 1: Ethernet, DOWN, Polling, 200 Gb/sec (4X HDR), interface rdma2 down

		Evaluated at 2026-11-27 12:00:05 UTC:
		  device: it is there

		Evaluated for port 1:
		  port: not healthy

		Active conditions:
		  Fatal since 2026-11-27 11:57:05 UTC, for 3 min: port down
		    Reported 2 times.
		    Recommended action: REPLACE_VM
		    What to do: nhm runbook own
		    Delivered to: file:events
	END
}

@test "a condition comes with the nhm runbook command for it" {
	why <<<"{$STANDS,\"message\":\"m\",\"checkName\":\"EthernetStateCheck\",\"code\":\"link_downed,saturated\"}"
	says 'What to do: nhm runbook saturated'
	why <<<"{$STANDS,\"message\":\"m\",\"checkName\":\"RepeatedNICLinkFlap\",\"code\":\"link_downed\"}"
	says 'What to do: nhm runbook RepeatedNICLinkFlap'
	why <<<"{$STANDS,\"message\":\"m\",\"checkName\":\"EthernetStateCheck\",\"code\":\"my_counter\"}"
	says 'What to do: nhm runbook own'
}

@test "missing input is reported as unknown, not as healthy" {
	why <<<"$BEGIN $NIC"
	says 'Evaluations are unknown: the input has no decisions about it.'
	says 'Active conditions are unknown: the input has no history.'
	why <<<"$BEGIN $NIC $SINK"
	says 'No active conditions.'
	why <<<"$BEGIN $NIC" | jq 'del(.role, .reason, .monitored)'
	jq 'del(.role, .reason, .monitored)' <<<"$NIC" | why
	says 'Its role is unknown: this scan has not passed through topoclass.'
	why <<<"{$STANDS,\"message\":\"m\"}"
	says 'No scan of the input contains it.'
}

@test "a device without a role, or one that is not monitored, has the reason" {
	jq '.role = null | .reason = "no_distances"' <<<"$NIC" | why
	says 'It has no role, and it is monitored: the PCI bus does not show its distance to the GPUs.'
	jq '.role = "management" | .monitored = false | .reason = "default_route"' <<<"$NIC" | why
	says "Its role is management, and it is not monitored: it carries the host's default route."
	# A newer topoclass may have other reasons.
	jq '.reason = "moon_phase"' <<<"$NIC" | why
	says 'Its role is compute, and it is monitored: moon_phase.'
	jq '.error = "ports: No such file or directory"' <<<"$NIC" | why
	says 'It cannot be read: ports: No such file or directory'
}

@test "counters that have not grown are in one line, others have their values" {
	why <<-END
		{$COUNTED,"counter":"a","value":3,"delta":0,"elapsed_s":4.0,"latched":false,
			"verdict":"quiet","reason":"growth of 0"}
		{$COUNTED,"counter":"b","value":9,"delta":0,"elapsed_s":4.0,"latched":false,
			"verdict":"quiet","reason":"growth of 0 over an hour"}
		{$COUNTED,"counter":"c","value":null,"verdict":"not_judged","reason":"it is off"}
		{$COUNTED,"counter":"d","value":null,"verdict":"not_judged","reason":"it is off"}
		{$COUNTED,"counter":"grown","value":12,"delta":5,"elapsed_s":4.0,"latched":false,
			"verdict":"quiet","reason":"5 is not above 9"}
		{$COUNTED,"counter":"breached","value":20,"delta":11,"elapsed_s":4.0,"latched":true,
			"verdict":"breach","event":"e-1","reason":"11 is above 9"}
		{$COUNTED,"counter":"latched","value":1,"delta":null,"elapsed_s":null,"latched":true,
			"verdict":"quiet","reason":"in breach since noon"}
		{$COUNTED,"counter":"over","value":0,"delta":null,"elapsed_s":null,"latched":false,
			"verdict":"recovery","reason":"it was reset"}
		{$COUNTED,"counter":"first","value":4,"delta":null,"elapsed_s":null,"latched":false,
			"verdict":"quiet","reason":"first value seen"}
	END
	says 'not grown since the last scan: a, b'
	says 'it is off: c, d'
	says 'first value seen: first'
	says 'grown is 12: 5 is not above 9'
	says 'breached is 20: 11 is above 9: reported now'
	says 'latched is 1: in breach since noon'
	says 'over is 0: it was reset'
}

@test "character devices that exist are in one line, a missing one has its own" {
	why <<-END
		{$DECIDED,"about":"character_device","node":"uverbs","reason":"it is there"}
		{$DECIDED,"about":"character_device","node":"umad","port":1,"reason":"it is there"}
		{$DECIDED,"about":"character_device","node":"issm","port":1,"reason":"it is gone",
			"event":"e-1"}
	END
	says 'it is there: uverbs'
	says 'it is there: umad'
	says 'issm: it is gone: reported now'
}

@test "the latest scan and its decisions count, and extra scans do not" {
	local next=${BEGIN/5000000000/6000000000} decided=${DECIDED/5000000000/6000000000}
	why <<-END
		$BEGIN $NIC $PORT
		{$DECIDED,"about":"device","reason":"as it was"}
		${next/:05Z/:06Z} ${NIC/28.1/28.2} ${PORT/DOWN/ACTIVE}
		{$decided,"about":"device","reason":"as it is"}
		$(jq '.extra = true' <<<"${BEGIN/gpu-42/elsewhere}")
	END
	grep -q '^mlx5_3 on gpu-42, .* firmware 28.2,' "$T/why"
	says 'Port 1: Ethernet, ACTIVE, Polling, 200 Gb/sec (4X HDR), interface rdma2 down'
	[ "$(grep -c '^Port' "$T/why")" = 1 ]
	says 'device: as it is'
	says_not 'as it was'
}

@test "a device that the latest scan lacks is shown as in an earlier one" {
	why <<<"$BEGIN $NIC $PORT ${BEGIN/\"scan\":1/\"scan\":2}"
	says 'The latest scan does not contain it; an earlier one showed these ports:'
	says 'Port 1: Ethernet, DOWN, Polling, 200 Gb/sec (4X HDR), interface rdma2 down'
}

# missing TOPOLOGY END - print a scan without devices, with these members of its two records
missing() {
	jq --argjson topology "$1" '.topology = $topology' <<<"$BEGIN"
	jq --argjson more "$2" '. + $more' <<<'{"kind":"scan.end","scan":1,"devices":0,"ports":0,
		"ts":"2026-11-27T12:00:05Z","complete":true}'
}

@test "a NIC that only the GPU metadata have is known, and it is said whether it served the GPUs" {
	local lacks='It is in the GPU metadata, but not on this node'
	why <<<"$(missing '{"nics":2,"absent":["mlx5_2","mlx5_3"],"lost":["mlx5_3"]}' '{}')"
	[ "$(head -n 1 "$T/why")" = 'mlx5_3 on gpu-42' ]
	says "$lacks, and it served the GPUs."
	says_not 'no driver'
	says 'Evaluations are unknown: the input has no decisions about it.'
	why mlx5_2/1 <<<"$(missing '{"nics":2,"absent":["mlx5_2"],"lost":[]}' '{}')"
	says "$lacks, and whether it served the GPUs is unknown."
	# Only the latest scan counts, and an extra scan is none.
	why <<<"$(missing '{"nics":2,"absent":["mlx5_3"],"lost":[]}' '{}') $BEGIN $NIC $PORT"
	says_not "$lacks"
	why <<<"$BEGIN $NIC $PORT $(missing '{"nics":2,"absent":["mlx5_3"],"lost":[]}' '{}')"
	says "$lacks, and whether it served the GPUs is unknown."
	says 'The latest scan does not contain it; an earlier one showed these ports:'
	unknown mlx5_3 <<<"$(missing '{"absent":["mlx5_3"],"lost":[]}' '{}' |
		jq '.extra = true')"
}

@test "a NIC is not called missing if the devices could not be listed" {
	why <<<"$(missing '{"nics":1,"absent":["mlx5_3"],"lost":[]}' '{"error":"EACCES"}')"
	says 'It is in the GPU metadata, but the RDMA devices cannot be listed: EACCES'
	says_not 'not on this node'
}

@test "a NIC without a driver is known by its PCI address, and by its name if that is known" {
	local end='{"unbound":["0000:2a:00.0"]}'
	why 0000:2a:00.0 <<<"$(missing '{"nics":2,"absent":["mlx5_3"],"lost":["mlx5_3"]}' "$end")"
	[ "$(head -n 1 "$T/why")" = '0000:2a:00.0 on gpu-42' ]
	says 'It has no driver.'
	says_not 'No scan'
	why 0000:2a:00.0 <<<"$(missing '{"nics":0,"absent":[],"lost":[]}' "$end")"
	says 'It has no driver, and whether it should have one is unknown.'
	# An address of another vendor is only in one of the lists.
	why 0000:2a:00.0 <<<"$(missing '{"nics":0,"absent":[],"lost":["0000:2a:00.0"]}' '{}')"
	says 'It has no driver, and it is in the place of a GPU NIC on the PCI bus.'
	why 0000:2a:00.0 <<<"$(missing '{"nics":0,"absent":[],"lost":["0000:2a:00.0"]}' \
		'{"functions":[{"pci":"0000:2a:00.0","driver":"mlx5_core"}]}')"
	says 'It has no RDMA device, and it is in the place of a GPU NIC on the PCI bus.'
	# The scan that had the device, or the decision about it, has its address.
	why <<<"$BEGIN $NIC $PORT $(missing '{"nics":1,"absent":[],"lost":[]}' "$end")"
	says 'It has no driver.'
	why <<<"$(missing '{"nics":1,"absent":[],"lost":[]}' "$end")
		{$DECIDED,\"about\":\"device\",\"reason\":\"it is gone\",\"pci\":\"0000:2a:00.0\"}"
	says 'No scan of the input contains it.'
	says 'It has no driver.'
	# The conditions are about its name.
	why 0000:2a:00.0 <<<"$(missing '{"nics":1,"absent":[],"lost":[]}' "$end")
		{$DECIDED,\"about\":\"device\",\"reason\":\"it is gone\",\"pci\":\"0000:2a:00.0\"}"
	says 'It has no driver.'
	says 'It was mlx5_3: see nhm why mlx5_3.'
	unknown 0000:2a:00.1 <<<"$(missing '{"nics":0,"absent":[],"lost":[]}' "$end")"
	# Only the latest scan counts, even before its end, and an extra scan is none.
	unknown 0000:2a:00.0 <<<"$(missing '{}' "$end") $BEGIN"
	why 0000:2a:00.0 <<<"$(missing '{}' "$end") $(missing '{}' '{}' | jq '.extra = true')"
	says 'It has no driver, and whether it should have one is unknown.'
}

@test "a NIC that was handed away is known, and it is said who has it" {
	local passed='{"functions":[{"pci":"0000:2a:00.0","driver":"vfio-pci"}]}'
	why <<<"$BEGIN $NIC $PORT $(missing '{"nics":1,"absent":["mlx5_3"],"lost":[]}' "$passed")"
	says 'It was passed to a virtual machine or a program: its PCI function has the driver vfio-pci.'
	why <<<"$BEGIN $NIC $PORT $(missing '{}' "${passed/vfio-pci/mlx5_core}")"
	says_not 'passed to'
	why <<<"$(missing '{"nics":1,"absent":[],"lost":[]}' '{"elsewhere":["mlx5_3"]}')"
	says 'No scan of the input contains it.'
	says 'It is in another network namespace, such as that of a pod, where it is not monitored.'
	unknown mlx5_4 <<<"$(missing '{"nics":1,"absent":[],"lost":[]}' '{"elsewhere":["mlx5_3"]}')"
}

@test "the sinks' positions decide which of them were told of a condition" {
	why <<-END
		{$STANDS,"message":"m"} $SINK
		$(at journal 9) $(at grpc:unix:///s 6)
	END
	says 'Delivered to: file:events, journal'
	says 'Not delivered yet to: grpc:unix:///s'
	# Of the sinks that are no longer configured, list those that were told.
	why <<-END
		{$STANDS,"message":"m"} $(jq '.in_use = false' <<<"$SINK")
		{"kind":"sink","v":1,"name":"journal","position":6,"in_use":false}
		{"kind":"sink","v":1,"name":"grpc:unix:///s","position":6,"in_use":true}
	END
	says 'Delivered to: file:events'
	says 'Not delivered yet to: grpc:unix:///s'
	why <<<"{$STANDS,\"message\":\"m\"}"
	says 'No sink receives it.'
	# The spool lost the event, and then: an older nichist.
	jq '.updated = 0' <<<"{$STANDS,\"message\":\"m\"} $SINK" | why
	says 'Receivers are unknown.'
	jq 'del(.updated)' <<<"{$STANDS,\"message\":\"m\"} $SINK" | why
	says 'Receivers are unknown.'
}

@test "a sink that was added after the latest event of a condition was not told of it" {
	why <<-END
		{$STANDS,"message":"m"} $(jq '.began_after = 6' <<<"$SINK")
		$(jq '.began_after = 7' <<<"$(at tcp:h:1 7)")
		$(jq '.began_after = 8' <<<"$(at journal 9)")
		$(jq '.began_after = 8 | .in_use = false' <<<"$(at tcp:h:2 9)")
	END
	says 'Delivered to: file:events'
	says 'Added later: tcp:h:1, journal'
	says_not tcp:h:2
	says_not 'Not delivered yet'
	why <<<"{$STANDS,\"message\":\"m\"} $(jq '.began_after = 7' <<<"$SINK")"
	says 'Added later: file:events'
	says_not 'No sink'
}

@test "of conditions in a spool nicwhy tells which came before a sink was added" {
	jq -n -c 'range(1; 3) | {kind: "event", id: "t-\(.)", source: "t", seq: .,
		nodeName: "gpu-42", checkName: "InfiniBandStateCheck", isFatal: false,
		isHealthy: false, errorCode: ["c\(.)"], message: "event \(.)",
		recommendedAction: "NONE",
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_3"}]}' >"$T/events"
	head -n 1 "$T/events" | emit --spool "$T/s.db" --sink "file:$T/a"
	tail -n 1 "$T/events" | emit --spool "$T/s.db" --sink "file:$T/a" --flush-timeout 0 \
		--sink "unix:$T/nobody" 2>"$T/stderr"
	nichist --spool "$T/s.db" --standing --format json | why
	diff <(grep -A 5 -E ': event [12]$' "$T/why" | grep -E ': (event|file|unix)' |
		sed 's/.*: event/event/; s/^ *//') - <<-END
		event 1
		Delivered to: file:$T/a
		Added later: unix:$T/nobody
		event 2
		Delivered to: file:$T/a
		Not delivered yet to: unix:$T/nobody
	END
}

@test "a sink that has refused the latest event of a condition was not told of it" {
	local letter='"kind":"dead_letter","v":1,"reason":"r","record":{"kind":"event"}'
	why <<-END
		{$letter,"sink":"journal","number":7} {$letter,"sink":"file:events","number":6}
		{$letter,"sink":"grpc:unix:///s","number":8}
		{$STANDS,"message":"m"} $SINK
		$(at journal 9) $(at grpc:unix:///s 8)
	END
	says 'Delivered to: file:events, grpc:unix:///s'
	says 'Refused by: journal'
	says_not 'Not delivered yet'
	why <<-END
		{$STANDS,"message":"m"} $SINK {$letter,"sink":"file:events","number":7}
	END
	says 'Refused by: file:events'
	says_not 'Delivered to'
	says_not 'No sink'
}

@test "conditions of the device's card or of a whole check count, those of other devices do not" {
	why <<-END
		$(jq '.about = "NIC=0000:2a:00" | .devices = "mlx5_2,mlx5_3" | .message = "card"
			| .port = ""' <<<"{$STANDS}")
		$(jq '.about = "" | .message = "check" | .isFatal = false' <<<"{$STANDS}")
		$(jq '.about = "NIC=mlx5_1,NIC=mlx5_3" | .message = "both"' <<<"{$STANDS}")
		$(jq '.about = "NIC=mlx5_30" | .message = "other" | .devices = "mlx5_30"' <<<"{$STANDS}")
		$(jq '.about = "NICPort=mlx5_3" | .message = "port"' <<<"{$STANDS}")
	END
	says 'Fatal since 2026-11-27 11:57:05 UTC: card'
	says 'Degraded since 2026-11-27 11:57:05 UTC: check'
	says 'Fatal since 2026-11-27 11:57:05 UTC: both'
	says_not ': other'
	says_not ': port'
}

@test "a silence is shown with author, reason and end, and an expired one is not" {
	why <<-END
		$BEGIN $NIC {$STANDS,"message":"m","silence":"00000000000000aa"}
		{$SILENCE,"until":"2026-11-27T18:00:00Z","port":1,"code":"link_downed"}
		$(jq '.id = "00000000000000bb" | .until = "2026-11-27T12:00:05Z"
			| .why = "long ago"' <<<"{$SILENCE}")
		$(jq '.id = "00000000000000cc" | .kind = "clear" | .until = "2026-11-28T12:00:00Z"' \
			<<<"{$SILENCE}")
	END
	says 'Silenced until 2026-11-27 18:00:00 UTC: link_downed of port 1, by ada: new cable'
	says 'Repaired: all counters of the device, by ada: new cable'
	says 'Silenced by ada: new cable'
	says_not 'long ago'
	# The file may no longer have the silence.
	why <<<"{$STANDS,\"message\":\"m\",\"silence\":\"00000000000000dd\"}"
	says 'Silenced (00000000000000dd)'
}

@test "for one port the output has only lines about this port and its device" {
	why mlx5_3/1 <<-END
		$BEGIN $NIC $PORT $(jq '.port = 2' <<<"$PORT")
		{$DECIDED,"about":"device","reason":"the device"}
		{$DECIDED,"about":"port","port":1,"reason":"the first"}
		{$DECIDED,"about":"port","port":2,"reason":"the second"}
		{$STANDS,"message":"about the first"}
		$(jq '.port = "2" | .message = "about the second"' <<<"{$STANDS}")
		$(jq '.port = "" | .about = "NIC=mlx5_3" | .message = "about all"' <<<"{$STANDS}")
	END
	says 'device: the device'
	says 'port: the first'
	says 'Fatal since 2026-11-27 11:57:05 UTC, for 3 min: about the first'
	says 'Fatal since 2026-11-27 11:57:05 UTC, for 3 min: about all'
	says_not second
	says_not 'Port 2'
}

@test "an unknown device or port exits 66, with the device to which an interface or address belongs" {
	local name
	for name in mlx5_4 mlx5_30 mlx5; do
		unknown "$name" <<<"$BEGIN $NIC $PORT"
		[ "$(<"$T/stderr")" = "nicwhy: error: $name: nothing in the input is about it" ]
	done
	unknown mlx5_3/2 <<<"$BEGIN $NIC $PORT {$DECIDED,\"about\":\"device\",\"reason\":\"r\"}"
	[ "$(<"$T/stderr")" = 'nicwhy: error: mlx5_3/2: nothing in the input is about it' ]
	for name in rdma2 0000:2a:00.0; do
		unknown "$name" <<<"$BEGIN $NIC $PORT"
		[ "$(<"$T/stderr")" = \
			"nicwhy: error: $name: no such device; this name belongs to mlx5_3" ]
	done
	run nicwhy mlx5_3 </dev/null
	status_is 66
}

@test "a condition of the whole node does not make an unknown device or port known" {
	local node_wide name
	node_wide=$(jq -c '.about = "" | .message = "check" | .port = ""' <<<"{$STANDS}")
	for name in mlx5_4 mlx5_3/2; do
		unknown "$name" <<<"$BEGIN $NIC $PORT $node_wide"
		[ "$(<"$T/stderr")" = "nicwhy: error: $name: nothing in the input is about it" ]
	done
	unknown rdma2 <<<"$BEGIN $NIC $PORT $node_wide"
	[ "$(<"$T/stderr")" = \
		"nicwhy: error: rdma2: no such device; this name belongs to mlx5_3" ]
	why mlx5_3/1 <<<"$BEGIN $NIC $PORT $node_wide"
	says 'Fatal since 2026-11-27 11:57:05 UTC, for 3 min: check'
}

@test "for a port of a NIC that hangs or is gone the output is about the NIC" {
	why mlx5_3/1 <<<"$BEGIN $(jq '.ports = 0 | .error = "timeout"' <<<"$NIC")"
	says 'It cannot be read: timeout'
	why mlx5_3/1 <<<"$BEGIN {$DECIDED,\"about\":\"device\",\"reason\":\"it is gone\"}"
	says 'No scan of the input contains it.'
	says 'device: it is gone'
	unknown mlx5_4/1 <<<"$BEGIN $(jq '.ports = 0 | .error = "timeout"' <<<"$NIC")"
}

@test "a wrong command line exits 64 with the reason" {
	run --separate-stderr nicwhy </dev/null
	status_is 64 "^nicwhy: error: a DEVICE is missing \(try 'nicwhy --help'\)$"
	run --separate-stderr nicwhy mlx5_0/0 </dev/null
	status_is 64 '^nicwhy: error: mlx5_0/...: not a port from 1 to 255$'
	run --separate-stderr nicwhy a b </dev/null
	status_is 64 "^nicwhy: error: unexpected operand 'b'"
}

@test "an invalid record is skipped with a warning" {
	local record
	while read -r record; do
		why < <(printf '%s\n%s\n' "$record" "$NIC")
		grep -q '^nicwhy: warning: stdin: line 1, byte 0: skipped: ' "$T/stderr"
		says 'Its role is compute, and it is monitored: a GPU is next to it (PIX or PXB).'
	done <<-'END'
		{"kind":"scan.begin"}
		{"kind":"device","device":7}
		{"kind":"port","device":"mlx5_3"}
		{"kind":"decision","device":"mlx5_3","about":"port"}
		{"kind":"decision","device":"mlx5_3","about":"port","reason":"r","port":"x"}
		{"kind":"condition","about":"NIC=mlx5_3","since":"x","message":"m"}
		{"kind":"sink"}
		{"kind":"silence","device":"mlx5_3"}
		{"kind":"scan.end"}
	END
	nicwhy mlx5_3 2>"$T/stderr" < <(echo nonsense; jq -c . <<<"$NIC") >"$T/why"
	grep -q '^nicwhy: warning: stdin: line 1, byte ' "$T/stderr"
}

@test "control characters in records are escaped" {
	jq '.fw_ver = "a\u001b[31mb\n\u009bc"' <<<"$NIC" | why
	grep -q -F 'firmware a\x1b[31mb\x0a\xc2\x9bc, driver' "$T/why"
}

@test "lines are wrapped at COLUMNS, with further lines of a paragraph indented" {
	COLUMNS=60 why <<<"$BEGIN $NIC"
	[ "$(sed -n 1,2p "$T/why")" = 'mlx5_3 on gpu-42, PCI 0000:2a:00.0, MT4129, firmware 28.1,
  driver mlx5_core' ]
}

@test "a write error exits 74" {
	run --separate-stderr bash -c 'nicwhy mlx5_3 >/dev/full' <<<"$(jq -c . <<<"$NIC")"
	status_is 74 '^nicwhy: error: stdout: No space left on device$'
}
