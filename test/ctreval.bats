#!/usr/bin/env bats
# ctreval: thresholds and port states on streams of records, through the built program.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# records JQ - write scan records, made by lib/records.jq, to $BATS_TEST_TMPDIR/in.
records() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"records\"; $1" \
	>"$BATS_TEST_TMPDIR/in"; }

# evaluate [OPTION]... - run ctreval on them.
evaluate() { run --separate-stderr bash -c 'ctreval "${@:2}" <"$1"' _ "$BATS_TEST_TMPDIR/in" "$@"; }

# messages - print "severity check message" of each event in $output.
messages() {
	jq -r 'select(.kind=="event") | (if .isHealthy then "healthy" elif .isFatal then "fatal"
		else "degraded" end)
		+ " " + .checkName + " " + .message' <<<"$output"
}

# says LINE... - check that the events are exactly these.
says() {
	diff <(messages) <([ $# -eq 0 ] || printf '%s\n' "$@")
}

@test "an event is a HealthEvent with every field of the contract" {
	records 'scan(1; 10; [ib("mlx5_0"; {link_downed: 0}) + {extra: {role: "compute"}}]),
		scan(2; 15; [ib("mlx5_0"; {link_downed: 1}) + {extra: {role: "compute"}}])'
	evaluate
	status_is 0
	[ "$(wc -l <<<"$output")" -eq 1 ]
	jq -e --arg s "$(jq -r .source <<<"$output")" \
		'. == {kind: "event", id: "\($s)-1", version: 1, agent: "nic-health-monitor",
		componentClass: "NIC", checkName: "InfiniBandStateCheck", isFatal: true,
		isHealthy: false,
		message: "Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1, rate=0.20/sec)",
		recommendedAction: "REPLACE_VM", errorCode: ["link_downed"],
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_0"},
		{entityType: "NICPort", entityValue: "1"}],
		metadata: {pci: "0000:18:00.0", role: "compute"},
		generatedTimestamp: "2023-11-14T22:13:35.000000Z", nodeName: "n1",
		processingStrategy: "EXECUTE_REMEDIATION", source: $s, seq: 1}' <<<"$output"
	[[ "$(jq -r .source <<<"$output")" =~ ^[0-9a-f]{16}$ ]]
}

@test "a breach is reported once, stays latched, recovers after a reset, and can be reported again" {
	records '[0,1,1,5,0,0,2] as $v | range(7) as $i
		| scan($i+1; 5*$i; [ib("mlx5_0"; {}) + {hw_counters: {rnr_nak_retry_err: $v[$i]}}])'
	evaluate
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: rnr_nak_retry_err - Receiver Not Ready NAK retry exhausted - connection severed (value=1, delta=1, rate=0.20/sec)" \
		"healthy InfiniBandStateCheck Counter rnr_nak_retry_err recovered on port mlx5_0 port 1" \
		"fatal InfiniBandStateCheck Port mlx5_0 port 1: rnr_nak_retry_err - Receiver Not Ready NAK retry exhausted - connection severed (value=2, delta=2, rate=0.40/sec)"
	[ "$(jq -c 'select(.kind=="event") | [.seq, .errorCode[0], .isFatal, .recommendedAction]' \
		<<<"$output" | xargs)" = \
		"[1,rnr_nak_retry_err,true,REPLACE_VM] [2,rnr_nak_retry_err,false,NONE] [3,rnr_nak_retry_err,true,REPLACE_VM]" ]
}

@test "a standing breach is not reported again when its counter grows; an update record has the new value" {
	records '[0,1,1,3,3,40,0,1] as $v | range(8) as $i
		| scan($i+1; 5*$i; [ib("mlx5_0"; {link_downed: $v[$i]})])'
	evaluate
	[ "$(jq -c 'select(.kind=="update") | [.event, .ts, .metadata.value, .metadata.grown]' \
		<<<"$output" | sed "s/$(jq -r 'select(.seq==1).source' <<<"$output")/S/" | xargs)" \
		= \
		"[S-1,2023-11-14T22:13:35.000000Z,3,2] [S-1,2023-11-14T22:13:45.000000Z,40,39]" ]
	[ "$(jq -c 'select(.errorCode[0]=="link_downed") | [.seq, .isFatal]' <<<"$output" |
		xargs)" = "[1,true] [3,false] [4,true]" ]
	# Update records continue after a restart.
	local out
	records '[0,1] as $v | range(2) as $i
		| scan($i+1; 5*$i; [ib("mlx5_0"; {link_downed: $v[$i]})])'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	out=$output
	records 'scan(3; 15; [ib("mlx5_0"; {link_downed: 1})]),
		scan(4; 20; [ib("mlx5_0"; {link_downed: 2})])'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	[ "$(jq -r .event <<<"$output")" = "$(jq -r 'select(.isFatal).id' <<<"$out")" ]
	jq -e '.metadata == {"value":"2","grown":"1"}' <<<"$output"
}

@test "growth before a counter is first seen is not reported" {
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 254, symbol_error: 65534})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 254, symbol_error: 65534})])'
	evaluate
	says
}

@test "a counter that was missing for a while continues from its last value" {
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 3})]), scan(2; 2; [ib("mlx5_0"; {})]),
		scan(3; 3; [ib("mlx5_0"; {link_downed: 3})]),
		scan(4; 4; [ib("mlx5_0"; {link_downed: "4"})])'
	evaluate
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=4, delta=1, rate=1.00/sec)"
}

@test "a velocity is measured over a whole window: ten per second pass, eleven breach" {
	records '[0,10,20,31] as $v | range(4) as $i
		| scan($i+1; $i; [eth("mlx5_0"; {symbol_error: $v[$i]})])'
	evaluate
	says "degraded EthernetDegradationCheck Port mlx5_0 port 1: symbol_error - PHY bit errors before FEC - physical layer degradation (value=31, delta=11, rate=11.00/sec)"
}

@test "120 symbol errors in an hour are within the specification, 121 are not" {
	records 'range(0; 7201; 10) as $t
		| scan($t/10+1; $t;
		[ib("mlx5_0"; {symbol_error: (if $t <= 3600 then $t/30
		else 120 + (($t-3600)/3600*121|floor) end)})])'
	evaluate
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: symbol_error_fatal - Symbol errors exceed IBTA BER threshold (10E-12) - link outside spec (value=241, delta=121, rate=121.00/hour)"
}

@test "a burst within a window is not extrapolated, unless earlyBreach is set" {
	records 'scan(1; 0; [ib("mlx5_0"; {link_error_recovery: 0})]),
		scan(2; 20; [ib("mlx5_0"; {link_error_recovery: 6})]),
		scan(3; 60; [ib("mlx5_0"; {link_error_recovery: 6})])'
	evaluate
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: link_error_recovery - Link retraining events - micro-flapping (value=6, delta=6, rate=6.00/min)"
	[ "$(jq -r .generatedTimestamp <<<"$output")" = 2023-11-14T22:14:20.000000Z ]
	echo 'counterDetection: {counters: [{name: link_error_recovery, earlyBreach: true}]}' \
		>"$BATS_TEST_TMPDIR/c.yaml"
	evaluate --config "$BATS_TEST_TMPDIR/c.yaml"
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: link_error_recovery - Link retraining events - micro-flapping (value=6, delta=6, rate=18.00/min)"
}

@test "a reset within a velocity window starts a new window" {
	records '[0,500,3,9] as $v | [0,0.5,0.9,1.9] as $t | range(4) as $i
		| scan($i+1; $t[$i]; [ib("mlx5_0"; {port_rcv_errors: $v[$i]})])'
	evaluate
	says
}

@test "an interface that flaps more than twice between two scans is reported" {
	records '[2,4,7] as $v | range(3) as $i
		| scan($i+1; $i; [eth("mlx5_0"; {}) + {net: {carrier_changes: $v[$i]}}])'
	evaluate
	says "degraded EthernetDegradationCheck Port mlx5_0 port 1: carrier_changes - Link instability - carrier state changes (value=7, delta=3, rate=3.00/sec)"
}

@test "the configuration adds counters, sets thresholds and switches counters off" {
	cat >"$BATS_TEST_TMPDIR/c.yaml" <<-'END'
		fatalCounterCheck: degradation
		counterDetection:
		  counters:
		    - {name: link_downed, threshold: 5}
		    - {name: port_rcv_errors, enabled: false}
		    - {name: vendor_err, path: hw_counters/vendor_specific_err, thresholdType: delta, threshold: 100, description: "Vendor-specific error counter"}
	END
	records 'def erring($errors): {hw_counters: {vendor_specific_err: $errors}};
		scan(1; 0; [ib("mlx5_0"; {link_downed: 0, port_rcv_errors: 0}) + erring(0)]),
		scan(2; 1; [ib("mlx5_0"; {link_downed: 5, port_rcv_errors: 9999}) + erring(101)]),
		scan(3; 2; [ib("mlx5_0"; {link_downed: 11, port_rcv_errors: 19999}) + erring(101)])'
	evaluate --config "$BATS_TEST_TMPDIR/c.yaml"
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: vendor_err - Vendor-specific error counter (value=101, delta=101, rate=101.00/sec)" \
		"degraded InfiniBandDegradationCheck Port mlx5_0 port 1: flapping - the link went down 5 times, and never stayed up for an hour" \
		"fatal InfiniBandDegradationCheck Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=11, delta=6, rate=6.00/sec)"
	echo 'counterDetection: {enabled: false}' >"$BATS_TEST_TMPDIR/c.yaml"
	evaluate --config "$BATS_TEST_TMPDIR/c.yaml"
	says
}

# --- ports ---

@test "a port that goes down and comes back gives two events, worded for its link layer" {
	records '{state: "DOWN", phys_state: "Disabled", operstate: "down"} as $down
		| scan(1; 1; [ib("mlx5_0"; {}), eth("mlx5_1"; {})]),
		  scan(2; 2; [ib("mlx5_0"; {}) + $down, eth("mlx5_1"; {}) + $down]),
		  scan(3; 3; [ib("mlx5_0"; {}) + $down, eth("mlx5_1"; {}) + $down]),
		  scan(4; 4; [ib("mlx5_0"; {}), eth("mlx5_1"; {})])'
	evaluate
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: state DOWN, phys_state Disabled" \
		"fatal EthernetStateCheck RoCE port mlx5_1 port 1: state DOWN, phys_state Disabled, operstate down (no interface)" \
		"healthy InfiniBandStateCheck Port mlx5_0 port 1: healthy (ACTIVE, LinkUp)" \
		"healthy EthernetStateCheck RoCE port mlx5_1 port 1: healthy (ACTIVE, LinkUp)"
	jq -s -e 'all(.errorCode==["port_state"] and (.entitiesImpacted|length)==2)' <<<"$output"
}

@test "an InfiniBand port in training is degraded, and fatal once it is down" {
	records '[["ACTIVE","LinkUp"],["INIT","LinkUp"],["ARMED","LinkUp"],
			["DOWN","Polling"],["DOWN","Disabled"],["DOWN","Polling"],
			["DOWN","Disabled"],["ACTIVE","LinkUp"]] as $s
		| range(8) as $i
		| scan($i+1; $i; [ib("mlx5_0"; {}) + {state: $s[$i][0], phys_state: $s[$i][1]}])'
	evaluate
	says "degraded InfiniBandStateCheck Port mlx5_0 port 1: state INIT, phys_state LinkUp" \
		"fatal InfiniBandStateCheck Port mlx5_0 port 1: state DOWN, phys_state Disabled" \
		"healthy InfiniBandStateCheck Port mlx5_0 port 1: healthy (ACTIVE, LinkUp)"
}

@test "an Ethernet port on its way up or down is not reported" {
	records '["ACTIVE","INIT","ARMED","ACTIVE"] as $s | range(4) as $i
		| scan($i+1; $i; [eth("mlx5_0"; {}) + {state: $s[$i]}])'
	evaluate
	says
}

@test "a port that is down when first seen gives one line on stderr and no event" {
	records 'range(3) as $i
		| scan($i+1; $i; [eth("mlx5_11"; {}) + {state: "DOWN", phys_state: "Disabled",
		operstate: "down"}])'
	evaluate
	says
	[ "$(grep -c 'RoCE port mlx5_11 port 1: state DOWN, phys_state Disabled, operstate down (no interface): already so when first seen, not reported' <<<"$stderr")" -eq 1 ]
}

@test "a port that became Ethernet disappears as an Ethernet port, also after a restart" {
	local state=$BATS_TEST_TMPDIR/state
	# Nothing else in the third scan changes the state file.
	records '{pci: "0000:19:00.0"} as $second
		| scan(1; 1; [ib("mlx5_0"; {}), ib("mlx5_1"; {}) + $second]),
		scan(2; 10; [ib("mlx5_0"; {}), ib("mlx5_1"; {}) + $second]),
		scan(3; 20; [ib("mlx5_0"; {}), eth("mlx5_1"; {}) + $second])'
	evaluate --state "$state"
	records 'scan(4; 30; [ib("mlx5_0"; {})])'
	evaluate --state "$state" --config <(echo 'disappearance: {confirmScans: 1}')
	says "fatal EthernetStateCheck RoCE device mlx5_1 disappeared from sysfs"
}

@test "an unreadable state is no evidence" {
	records 'scan(1; 1; [ib("mlx5_0"; {})]), scan(2; 2; [ib("mlx5_0"; {}) + {state: null}]),
		scan(3; 3; [ib("mlx5_0"; {}) + {phys_state: null, state: "DOWN"}]),
		scan(4; 4; [ib("mlx5_0"; {})])'
	evaluate
	says
}

@test "virtual functions and unmonitored devices cause no event" {
	records '[1,2] as $t | $t[] as $i
		| scan($i; $i; [eth("mlx5_0"; {link_downed: $i}) + {vf: true},
		ib("mlx5_1"; {link_downed: $i}) + {extra: {monitored: false},
		device_extra: {monitored: false}},
			ib("mlx5_2"; {link_downed: $i})])'
	evaluate
	[ "$(jq -r '.entitiesImpacted[0].entityValue' <<<"$output" | xargs)" = mlx5_2 ]
}

@test "ctreval works on the output of ibscan alone" {
	node h100-oci
	run --separate-stderr bash \
		-c "$(declare -f scan)
		sim() { nicsim \"\$NODE\" \"\$@\"; }
		{ scan; sim down mlx5_3/1; sim add mlx5_4/1 counters/link_downed 2; scan; } |
			ctreval"
	status_is 0
	[ "$(jq -r '.entitiesImpacted[0].entityValue' <<<"$output" | xargs)" = "mlx5_3 mlx5_4" ]
	jq -s -e 'all(.isFatal and (.metadata|has("role")|not))' <<<"$output"
}

# --- options ---

@test "--checks keeps only the named checks, and --strategy sets the strategy of each event" {
	records '{state: "DOWN", phys_state: "Disabled", operstate: "down"} as $down
		| scan(1; 1; [ib("mlx5_0"; {symbol_error: 0}), eth("mlx5_1"; {})]),
		  scan(2; 3; [ib("mlx5_0"; {symbol_error: 900}) + $down,
		eth("mlx5_1"; {}) + $down])'
	evaluate --checks ' InfiniBandDegradationCheck, EthernetStateCheck,' --strategy STORE_ONLY
	[ "$(jq -r .checkName <<<"$output" | xargs)" \
		= "InfiniBandDegradationCheck EthernetStateCheck" ]
	jq -s -e 'all(.processingStrategy=="STORE_ONLY") and ([.[].seq]==[1,2])' <<<"$output"
}

@test "a wrong option exits 64 with one line, and a broken configuration exits 78 with one line per mistake" {
	run --separate-stderr ctreval --checks Nope
	status_is 64 "^ctreval: error: --checks 'Nope': unknown check \"Nope\"; known: InfiniBandStateCheck, "
	run --separate-stderr ctreval --checks ' ,,'
	status_is 64 "^ctreval: error: --checks ' ,,': no check is named"
	run --separate-stderr ctreval --strategy DRAIN
	status_is 64 "^ctreval: error: --strategy 'DRAIN': unknown strategy"
	run --separate-stderr ctreval extra
	status_is 64 "unexpected operand 'extra'"
	printf 'counterDetection:\n  counters:\n    - {name: link_downed, threshold: -1}\n    - {name: new_one}\n    - {name: link_downed}\n' >"$BATS_TEST_TMPDIR/c.yaml"
	run --separate-stderr ctreval --config "$BATS_TEST_TMPDIR/c.yaml"
	status_is 78 'c.yaml:3:38: threshold "-1" is not'
	stderr_has 'c.yaml:4:14: counter "new_one" is new and needs a path'
	stderr_has 'c.yaml:5:14: counter "link_downed" is given twice'
	[ -z "$output" ]
}

@test "a full disk on stdout exits 74" {
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 1})])'
	run --separate-stderr bash -c 'ctreval <"$1" >/dev/full' _ "$BATS_TEST_TMPDIR/in"
	status_is 74 'ctreval: error: stdout: No space left on device'
}

# --- damaged streams ---

# spoil COMMAND... - filter a stream without faults through COMMAND and check that ctreval reports
# none.
spoil() {
	records 'range(4) as $i
		| scan($i+1; $i;
		[range(8) | ib("mlx5_\(.)"; {link_downed: 7, symbol_error: ($i*5)})])'
	"$@" <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/spoilt"
	mv "$BATS_TEST_TMPDIR/spoilt" "$BATS_TEST_TMPDIR/in"
	evaluate
	status_is 0
	says
}

@test "a torn or too long line, invalid UTF-8 and a missing scan.end give warnings, exit 0 and no event" {
	spoil sed -e '5s/^\(.\{60\}\).*/\1/'
	stderr_has 'warning: stdin: line 5, byte [0-9]+: skipped'
	stderr_has 'warning: scan 1 is incomplete'
	spoil bash -c 'head -n 22; head -c 2000000 /dev/zero | tr "\0" "{"; echo; cat'
	stderr_has 'warning: stdin: line 23, byte 0: skipped: longer than 1048576 bytes'
	spoil sed -e $'7s/mlx5/\xff\xfe/'
	stderr_has 'warning: stdin: line 7, byte [0-9]+: skipped: unable to decode byte 0xff'
	spoil sed -e '18d'
	stderr_has 'warning: scan 1 is incomplete'
	spoil sed -e '$d'
	stderr_has 'warning: scan 4 is incomplete'
	spoil head -c -40
	stderr_has 'warning: scan 4 is incomplete'
}

@test "scans that lack a device or a port, and unreadable scan.end records, report nothing" {
	spoil sed -e '20,24d'
	spoil sed -e '/"kind":"device".*mlx5_3/d'
	spoil sed -e '36s/"devices":8/"devices":"many"/'
	spoil sed -e '1d'
	spoil shuf -n 40 --random-source=<(yes)
	spoil sed -e 's/"boottime_ns":[0-9]*/"boottime_ns":-5/'
	spoil sed -e 's/"counters":{[^}]*}/"counters":{"link_downed":"many","symbol_error":-4}/'
}

# CM - define cm($device; $at; $peers), the failure of a connection through the device to so many
# peers, and both($n), a scan of two NICs.
CM='def cm($device; $at; $peers): {kind: "cm", v: 1, device: $device, event: "UNREACHABLE",
	cause: "network", peers: $peers, count: 1, boottime_ns: ($at * 1000000000)};
	def both($n): scan($n; $n; [ib("mlx5_0"; {}), (ib("mlx5_1"; {}) | .pci = "0000:3a:00.0")]);'

@test "peers that one device cannot reach give an event a minute later, unless other devices fail too" {
	records "$CM"'both(1), cm("mlx5_0"; 2; 2), cm("mlx5_0"; 3; 3), both(62), both(63), both(64)'
	evaluate
	diff - <(jq -r 'select(.kind == "event")
		| "\(.isHealthy) \(.errorCode[0]) \(.message)"' <<<"$output") <<-'END'
		false peers_unreachable NIC mlx5_0: 3 peers could not be reached through it within a minute, and nothing failed through other NICs
		true peers_unreachable NIC mlx5_0 is there and can be read
	END
	[ "$(jq -r 'select(.kind == "cm").peers' <<<"$output" | xargs)" = '2 3' ]

	# A failure through a monitored or an unknown device.
	local other
	for other in '"mlx5_1"' '"mlx5_9"' null; do
		records "$CM"'both(1), cm("mlx5_0"; 2; 3),'"cm($other; 60; 1)"', both(62), both(63)'
		evaluate
		[ -z "$(jq -c 'select(.kind == "event")' <<<"$output")" ]
	done
}

@test "peers that one device cannot reach give an event also with rare scans, unless it cannot be read for long" {
	records "$CM"'both(1), cm("mlx5_0"; 2; 3), both(301), both(601)'
	evaluate
	[ "$(grep -c peers_unreachable <<<"$output")" -eq 2 ]
	# For a minute after the event was due the device cannot be read, or is missing.
	for gone in 'unreadable(70), unreadable(122)' 'scan(70; 70; [other]), scan(122; 122; [other])'; do
		records "$CM"'def other: ib("mlx5_1"; {}) + {pci: "0000:3a:00.0"};
			def unreadable($n): scan($n; $n; [other,
				ib("mlx5_0"; {}) + {device_extra: {error: "EIO"}}]);
			both(1), cm("mlx5_0"; 2; 3), '"$gone"', both(123), both(300)'
		evaluate
		none grep -F peers_unreachable <<<"$output"
	done
}

@test "an invalid connection record gives one warning and passes" {
	records "$CM"'both(1), (cm("mlx5_0"; 2; 3) | .peers = "many"), both(62)'
	evaluate
	[ "$(jq -r .kind <<<"$output")" = cm ]
	stderr_has 'warning: stdin: line [0-9]+.*"peers"'
}

# GIDS - define port($at; $count), a scan of mlx5_0 at that second with so many RoCE v2 GIDs, and
# changed(), the same with other fields of the port.
GIDS='def port($at; $count): scan($at; $at; [eth("mlx5_0"; {})
	+ {extra: {gids: {total: 3, ipv4_mapped: 1, roce_v2: $count}}}]);
	def changed($at; $count; $more): port($at; $count)
		| if .kind == "port" then . + $more else . end;'

@test "a RoCE port without its last RoCE v2 GID for 90 s gives an event, if it had one and is ACTIVE" {
	records "$GIDS"'port(1; 2), port(61; 0), port(121; 0), port(151; 0), port(152; 0),
		port(181; 1), port(241; 0), port(331; 0), port(332; 1)'
	evaluate
	diff - <(jq -r 'select(.kind == "event")
		| "\(.isHealthy) \(.isFatal) \(.errorCode[0]) \(.message)"' <<<"$output") <<-'END'
		false false roce_gids_lost RoCE port mlx5_0 port 1: its last RoCE v2 GID is gone, though the port is ACTIVE
		true false roce_gids_lost RoCE port mlx5_0 port 1: healthy (ACTIVE, LinkUp)
		false false roce_gids_lost RoCE port mlx5_0 port 1: its last RoCE v2 GID is gone, though the port is ACTIVE
		true false roce_gids_lost RoCE port mlx5_0 port 1: healthy (ACTIVE, LinkUp)
	END
	# A port that never had one, one that was InfiniBand, one whose table is unknown meanwhile,
	# one that is not up or not there, and one with a number that is none.
	local quiet
	for quiet in 'port(1; 0)' 'changed(1; 2; {link_layer: "InfiniBand"})' \
		'port(1; 2), port(61; 0), changed(121; 0; {gids: null})' \
		'port(1; 2), port(61; 0), changed(121; 0; {state: "INIT"})' \
		'port(1; 2), port(61; 0), scan(121; 121; [])' \
		'port(1; 2), changed(61; 0; {gids: {roce_v2: "none"}})'; do
		records "$GIDS $quiet"', port(122; 0), port(152; 0), port(182; 0)'
		evaluate
		none grep -q roce_gids_lost <<<"$output"
	done
	records "$GIDS"'port(1; 2), port(61; 0), port(181; 0)'
	evaluate --checks InfiniBandStateCheck,EthernetStateCheck
	[ -z "$(jq -c 'select(.kind == "event" and .errorCode != ["changed"])' <<<"$output")" ]
}

# LNET - define read(), a read of LNet at that second with so many failed messages of ib0 and
# timeouts at peers, and port(), a scan of mlx5_0, whose interface is ib0.
LNET='def read($at; $failures; $timeouts; $fatal):
	({kind: "lnet.ni", net: "o2ib", netdev: "ib0", fatal_error: $fatal,
		counters: {timeouts: $failures, error: 0, no_route: 0, aborted: 0, send_count: 99}},
	{kind: "lnet.stats", counters: {remote_timeout_count: $timeouts, network_timeout_count: 0}},
	{kind: "lnet.end", nis: 1, complete: true}) + {v: 1, boottime_ns: ($at * 1000000000)};
	def port($n; $state): scan($n; $n; [ib("mlx5_0"; {}) + {state: $state}
		+ {extra: {netdev: "ib0"}}]);'

# lnet_says LINE... - check that the events, without those about port states, are exactly these.
lnet_says() {
	diff <(jq -r 'select(.kind == "event" and .errorCode[0] != "port_state")
		| "\(.isHealthy) \(.errorCode[0]) \(.message)"' <<<"$output") \
		<([ $# -eq 0 ] || printf '%s\n' "$@")
}

@test "failed messages of Lustre's network give an event, unless peers time out or the port is down" {
	records "$LNET"'port(1; "ACTIVE"), read(2; 0; 0; false), read(3; 10; 0; false),
		port(4; "ACTIVE"), port(5; "ACTIVE")'
	evaluate
	lnet_says "false lnet_failures Port mlx5_0 port 1: 10 messages of Lustre's network o2ib failed on this node, and no peer timed out" \
		'true lnet_failures Port mlx5_0 port 1: healthy (ACTIVE, LinkUp)'
	[ "$(grep -c '"kind":"lnet' <<<"$output")" -eq 6 ]
	records "$LNET"'port(1; "ACTIVE"), read(2; 0; 0; false), read(3; 10; 1; false),
		port(4; "ACTIVE")'
	evaluate
	lnet_says
	records "$LNET"'port(1; "ACTIVE"), read(2; 0; 0; false), read(3; 10; 0; false),
		port(4; "INIT"), port(5; "ACTIVE")'
	evaluate
	lnet_says
}

@test "a port that LNet marks as failed gives an event after two reads, and none when it is down" {
	records "$LNET"'port(1; "ACTIVE"), read(2; 0; 0; true), port(3; "ACTIVE"),
		read(4; 0; 0; true), port(5; "ACTIVE"), read(6; 0; 0; true), port(7; "ACTIVE")'
	evaluate
	lnet_says "false lnet_fatal_error Port mlx5_0 port 1: Lustre's network o2ib considers ib0 failed, though the port is ACTIVE" \
		'true lnet_fatal_error Port mlx5_0 port 1: healthy (ACTIVE, LinkUp)'
	records "$LNET"'port(1; "ACTIVE"), read(2; 0; 0; true), read(3; 0; 0; true),
		port(4; "DOWN")'
	evaluate
	lnet_says
}

@test "a recorded pulled cable gives no LNet event while the port is DOWN, and one once it is ACTIVE" {
	local shown=$ROOT/test/fixtures/lnet in=$BATS_TEST_TMPDIR/in read state port
	read=$(cat "$shown"/{net-show-cable-pulled,stats-show}.yaml | lnetread)
	[ "$(jq -r 'select(.kind == "lnet.ni" and .fatal_error).netdev' <<<"$read")" = eth0 ]
	for state in DOWN ACTIVE; do
		port='[ib("mlx5_0"; {}) + {state: "'$state'", extra: {netdev: "eth0"}}]'
		records "scan(1; 1; $port)"
		mv "$in" "$in.1"
		records "scan(2; 3; $port)"
		mv "$in" "$in.2"
		printf '%s\n' "$read" "$read" | cat "$in.1" - "$in.2" >"$in"
		evaluate
		if [ $state = ACTIVE ]; then
			[ "$(grep -c '"errorCode":\["lnet_fatal_error"\]' <<<"$output")" -eq 2 ]
		else
			none grep -q lnet_fatal_error <<<"$output"
		fi
	done
}

@test "records of unknown kinds pass untouched and in order" {
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 1})])'
	sed -i -e '1i {"kind":"gap",  "lost":1.0}' \
		-e '$a {"kind":"async","n":123456789012345678901}' "$BATS_TEST_TMPDIR/in"
	evaluate
	[ "$(jq -r .kind <<<"$output" | xargs)" = "gap event async" ]
	[ "$(sed -n 1p <<<"$output")" = '{"kind":"gap",  "lost":1.0}' ]
	[ "$(sed -n 3p <<<"$output")" = '{"kind":"async","n":123456789012345678901}' ]
}

@test "a node without a port to monitor gives one warning, and a later port gives the note about its counters" {
	records 'scan(1; 1; []), scan(2; 2; [eth("mlx5_0"; {link_downed: 0}) + {vf: true}]),
		scan(3; 3; [ib("mlx5_1"; {link_downed: 0})])'
	evaluate
	status_is 0
	[ "$(sed -n 1p <<<"$stderr")" = "ctreval: warning: scan 1 has no port to watch" ]
	[ "$(sed -n 2p <<<"$stderr")" = "ctreval: note: counters available: link_downed" ]
	[ "$(wc -l <<<"$stderr")" -eq 3 ]
}

@test "a scan whose devices could not be read does not count as one without a port to monitor" {
	local late='def late($n):
		scan($n; $n; [ib("mlx5_0"; {}) + {device_extra: {error: "timeout"}}])
		| select(.kind != "port") | if .kind == "scan.begin" then . else .ports = 0 end
		| select(.kind == "scan.end") += {complete: false, unreadable: ["mlx5_0"]};'
	records "$late"'late(1), scan(2; 2; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate
	status_is 0
	[ "$(sed -n 1p <<<"$stderr")" = "ctreval: note: counters available: link_downed" ]
	records "$late"'late(1), scan(2; 2; [])'
	evaluate
	stderr_has '^ctreval: warning: scan 2 has no port to watch$'
}

@test "a device list that cannot be read gives one warning, and one note when it can be read again" {
	records 'def gone($n): scan($n; $n; []) | if .kind == "scan.end" then .error = "ENOENT"
		| .complete = false else . end;
		def there($n): scan($n; $n; [ib("mlx5_0"; {link_downed: 0})]); there(1), gone(2),
		gone(3), there(4), gone(5)'
	evaluate
	status_is 0
	[ "$(grep listed <<<"$stderr")" = "$(printf '%s\n' \
		"ctreval: warning: scan 2: the devices cannot be listed (ENOENT): none is checked until they can be" \
		"ctreval: note: scan 4: the devices can be listed again" \
		"ctreval: warning: scan 5: the devices cannot be listed (ENOENT): none is checked until they can be")" ]
}

@test "ctreval names the available and unavailable counters once, at the start" {
	records 'range(5) as $i | scan($i+1; $i; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate
	[ "$(grep -c 'counters available: link_downed$' <<<"$stderr")" -eq 1 ]
	[ "$(grep -c 'counters unavailable on every monitored port: excessive_buffer' \
		<<<"$stderr")" -eq 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
}

@test "jumps of the wall clock change nothing: ctreval calculates with boot time" {
	records '[10,5,99999,3] as $wall | range(4) as $i
		| scan($i+1; $i; [ib("mlx5_0"; {symbol_error: ($i*5)})] )
		| .ts = stamp(1700000000 + $wall[$i])'
	evaluate
	says
}

@test "the same capture gives the same bytes every time" {
	records 'range(50) as $i
		| scan($i+1; $i;
		[range(8) | ib("mlx5_\(.)"; {link_downed: ($i/7*.|floor),
		symbol_error: ($i*$i*.)})])'
	ctreval <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/first" 2>/dev/null
	[ "$(wc -l <"$BATS_TEST_TMPDIR/first")" -gt 10 ]
	for _ in 1 2 3; do
		ctreval <"$BATS_TEST_TMPDIR/in" 2>/dev/null | cmp - "$BATS_TEST_TMPDIR/first"
	done
	# The same when it arrives in small pieces.
	dd bs=997 <"$BATS_TEST_TMPDIR/in" 2>/dev/null | ctreval 2>/dev/null |
		cmp - "$BATS_TEST_TMPDIR/first"
}

@test "a renamed NIC is not missing and keeps its counters, and its faults are taken back under the old name" {
	# One card each, so that only the name changes.
	nic='ib($name; {link_downed: $v}) + {pci: "0000:1\($i):00.0", state: $state, phys_state: (if $state == "DOWN" then "Disabled" else "LinkUp" end)}'
	records "def nic(\$name; \$i; \$v; \$state): $nic;
		scan(1; 1; [nic(\"mlx5_0\"; 0; 7; \"ACTIVE\"), nic(\"mlx5_1\"; 1; 0; \"ACTIVE\")]),
		scan(2; 2; [nic(\"mlx5_0\"; 0; 7; \"ACTIVE\"), nic(\"mlx5_1\"; 1; 0; \"DOWN\")]),
		scan(3; 3; [nic(\"ibp16s0\"; 0; 7; \"ACTIVE\"), nic(\"ibp17s0\"; 1; 0; \"DOWN\")]),
		scan(4; 4; [nic(\"ibp16s0\"; 0; 8; \"ACTIVE\"), nic(\"ibp17s0\"; 1; 0; \"ACTIVE\")])"
	evaluate
	status_is 0 'note: NIC mlx5_0 \(0000:10:00.0\) was renamed to ibp16s0'
	says "fatal InfiniBandStateCheck Port mlx5_1 port 1: state DOWN, phys_state Disabled" \
		"healthy InfiniBandStateCheck Port mlx5_1 port 1 is no longer monitored" \
		"fatal InfiniBandStateCheck Port ibp17s0 port 1: state DOWN, phys_state Disabled" \
		"fatal InfiniBandStateCheck Port ibp16s0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=8, delta=1, rate=1.00/sec)" \
		"healthy InfiniBandStateCheck Port ibp17s0 port 1: healthy (ACTIVE, LinkUp)"
}

@test "a name that passes to another NIC while its breach waits for a disabled check loses no event" {
	local state="$BATS_TEST_TMPDIR/state" \
		nic='def nic($name; $i; $rnr; $state; $watched): ib($name; {})
		+ {pci: "0000:1\($i):00.0", hw_counters: {rnr_nak_retry_err: $rnr}, state: $state,
			device_extra: {monitored: $watched, role: "compute"},
			extra: {monitored: $watched}};'
	echo 'fatalCounterCheck: degradation' >"$BATS_TEST_TMPDIR/config"
	local degradation=(--config "$BATS_TEST_TMPDIR/config" --state "$state")
	records "$nic"'scan(1; 1; [nic("mlx5_0"; 0; 0; "ACTIVE"; true),
		nic("mlx5_1"; 1; 0; "ACTIVE"; true)]),
		scan(2; 2; [nic("mlx5_0"; 0; 9; "ACTIVE"; true), nic("mlx5_1"; 1; 0; "ACTIVE";
		true)])'
	evaluate "${degradation[@]}"
	[[ "$(messages)" == *"fatal InfiniBandDegradationCheck Port mlx5_0 port 1: rnr_nak_retry_err "* ]]
	# Its check is off and it is no longer monitored; then the other NIC gets its name and
	# retrains under it.
	records "$nic"'scan(3; 3; [nic("mlx5_0"; 0; 9; "ACTIVE"; false),
		nic("mlx5_1"; 1; 0; "ACTIVE"; true)]),
		scan(4; 4; [nic("mlx5_1"; 0; 9; "ACTIVE"; false), nic("mlx5_0"; 1; 0; "INIT";
		true)])'
	evaluate "${degradation[@]}" --checks InfiniBandStateCheck
	says "degraded InfiniBandStateCheck Port mlx5_0 port 1: state INIT, phys_state LinkUp"
	records "$nic"'scan(5; 5; [nic("mlx5_1"; 0; 9; "ACTIVE"; false),
		nic("mlx5_0"; 1; 0; "ACTIVE"; true)])'
	evaluate "${degradation[@]}"
	says "healthy InfiniBandDegradationCheck Counter rnr_nak_retry_err on mlx5_0 is no longer monitored (counter disabled or device out of monitoring scope); clearing stale breach" \
		"healthy InfiniBandStateCheck Port mlx5_0 port 1: healthy (ACTIVE, LinkUp)"
}

@test "a fault that waits for a disabled check is taken back even if its NIC was unmonitored and renamed meanwhile" {
	local state="$BATS_TEST_TMPDIR/state" \
		nic='def nic($name; $sound; $watched): ib($name; {link_downed: (if $sound then 0
		else 1 end)}) + if $sound then {} else {state: "DOWN", phys_state: "Disabled"} end
		+ ({monitored: $watched, role: "compute"} | {
			device_extra: (. + {uverbs: $sound}),
			extra: (. + {umad: true, issm: true})});'
	records "$nic"'scan(1; 1; [nic("mlx5_0"; true; true)]),
		(range(2; 6) as $n | scan($n; $n; [nic("mlx5_0"; false; true)]))'
	evaluate --state "$state"
	[ "$(messages | grep -c '^fatal ')" -eq 3 ]
	records "$nic"'scan(6; 6; [nic("mlx5_0"; false; false)])'
	evaluate --state "$state" --checks InfiniBandDegradationCheck
	says
	records "$nic"'range(7; 10) as $n | scan($n; $n; [nic("rdma0"; true; true)])'
	evaluate --state "$state"
	says "healthy InfiniBandStateCheck Counter link_downed on mlx5_0 is no longer monitored (counter disabled or device out of monitoring scope); clearing stale breach" \
		"healthy InfiniBandStateCheck Port mlx5_0 port 1 is no longer monitored" \
		"healthy InfiniBandCharDeviceCheck Character device uverbs is no longer monitored on NIC mlx5_0"
}

@test "an event about an Ethernet port has its network interface, the name that the switch knows" {
	records 'def port(f; $state): f | . + {state: $state, extra: {netdev: "ens1f0np0"}};
		scan(1; 1; [port(eth("mlx5_0"; {}); "ACTIVE"), port(ib("mlx5_1"; {}); "ACTIVE")]),
		scan(2; 2; [port(eth("mlx5_0"; {}); "DOWN"), port(ib("mlx5_1"; {}); "DOWN")])'
	evaluate
	jq -r 'select(.message | test("state DOWN"))
		| "\(.entitiesImpacted[0].entityValue) \(.metadata.netdev)"' <<<"$output" |
		diff - <(printf '%s\n' 'mlx5_0 ens1f0np0' 'mlx5_1 null') >&2
}

@test "a saturated counter that is reset and renamed while its check is off is reported and ended under the new name" {
	local nic='def nic($name; $v): ib($name; {link_downed: $v}) + {pci: "0000:11:00.0"};' \
		state="$BATS_TEST_TMPDIR/state"
	records "$nic"'scan(1; 1; [nic("mlx5_1"; 255)]), scan(2; 2; [nic("mlx5_1"; 255)])'
	evaluate --state "$state"
	[[ "$(messages)" == *"Port mlx5_1 port 1: link_downed is at its maximum of 255"* ]]
	records "$nic"'scan(3; 3; [nic("mlx5_9"; 0)])'
	evaluate --state "$state" --checks InfiniBandDegradationCheck
	says "healthy InfiniBandDegradationCheck Counter link_downed on mlx5_1 is no longer monitored (counter disabled or device out of monitoring scope); clearing stale breach" \
		"degraded InfiniBandDegradationCheck Port mlx5_9 port 1: link_downed is at its maximum of 255 and can count no further until it is reset" \
		"healthy InfiniBandDegradationCheck Counter link_downed can count again on port mlx5_9 port 1"
	records "$nic"'scan(4; 4; [nic("mlx5_9"; 0)])'
	evaluate --state "$state"
	says
}

@test "bootGrace holds the first verdicts back with --state, which one line says; without it the answer comes at once" {
	local config=$BATS_TEST_TMPDIR/config.yaml state=$BATS_TEST_TMPDIR/state
	local nics='[range(4) as $i | ib("mlx5_\($i)"; {}) + {pci: "0000:1\($i):00.0",
		extra: {role: "compute"}}
		| if $i == 0 then . + {state: "DOWN", phys_state: "Polling"} else . end]'
	local card="fatal InfiniBandStateCheck Card 0000:10:00 has 0 active ports, expected 1 (peer mode)"
	local port="degraded InfiniBandStateCheck Port mlx5_0 port 1: state DOWN, phys_state Polling"
	echo 'bootGrace: 2m' >"$config"
	records "(118, 119, 120) as \$at | scan(\$at; \$at; $nics)"
	evaluate --config "$config"
	says "$card" "$port"
	evaluate --config "$config" --state "$state" --explain
	[ "$(messages | grep -v ^healthy)" = "$card"$'\n'"$port" ]
	[ "$(grep -c bootGrace <<<"$stderr")" -eq 1 ]
	stderr_has '^ctreval: note: the node booted 118 s ago: the first verdicts wait until it has been up for 120 s \(bootGrace\)$'
	jq -s -e 'map(select(.about == ("device", "port", "rate") and .scan < 120) | .reason)
		| unique == ["verdicts wait until the node has been up for bootGrace"]' <<<"$output"
}

@test "a link that flaps between two scans within bootGrace is no event, and one that flaps later is" {
	echo 'bootGrace: 2m' >"$BATS_TEST_TMPDIR/config.yaml"
	records 'def nics($n): scan($n; $n; [ib("mlx5_0"; {})]);
		def flap($at): {kind: "async", v: 1, via: "verbs", device: "mlx5_0", port: 1,
				count: 1}
			+ ({event: "PORT_ERR", boottime_ns: ($at * 1000000000)},
				{event: "PORT_ACTIVE", boottime_ns: (($at + 0.5) * 1000000000)});
		nics(117), flap(117.2), nics(118), nics(119), flap(119.2), nics(120), nics(121),
		flap(121.2), nics(122)'
	evaluate --config "$BATS_TEST_TMPDIR/config.yaml" --state "$BATS_TEST_TMPDIR/state"
	[ "$(messages | grep -v ^healthy)" = "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: the link went down 1 time between two scans, for 0.500 s" ]
}

@test "a port that came up within bootGrace and is down when that is over is held, and its card is no fault" {
	local config=$BATS_TEST_TMPDIR/config.yaml state=$BATS_TEST_TMPDIR/state
	local nics='def nics($at; $down): scan($at; $at; [range(4) as $i
		| ib("mlx5_\($i)"; {}) + {pci: "0000:1\($i):00.0", extra: {role: "compute"}}
		| if $i | IN($down[]) then . + {state: "DOWN", phys_state: "Disabled"} end]);'
	printf '%s\n' 'bootGrace: 2m' 'stateCheck: {portStateHoldDown: 30s}' >"$config"
	records "$nics"'nics(100; [0]), nics(120; [0, 1]), nics(130; [0]), nics(200; [0])'
	evaluate --config "$config" --state "$state"
	messages | grep -v "^healthy.*\(Baseline\|clearing\|polls\|ACTIVE\|peer mode\)" |
		diff - <(cat <<-END
		fatal InfiniBandStateCheck Card 0000:10:00 has 0 active ports, expected 1 (peer mode)
		fatal InfiniBandStateCheck Port mlx5_0 port 1: state DOWN, phys_state Disabled
		degraded InfiniBandStateCheck Port mlx5_1 port 1: was not healthy for 10.000 s, held back by portStateHoldDown
	END
	) >&2
	rm "$state"
	records "$nics"'nics(100; []), nics(120; [1]), nics(150; [1])'
	evaluate --config "$config" --state "$state"
	jq -r 'select(.kind == "event" and .isFatal) | "\(.metadata.held_seconds) \(.message)"' \
		<<<"$output" |
		diff - <(echo "30.000 Port mlx5_1 port 1: state DOWN, phys_state Disabled") >&2
}

@test "a counter that is reset and renamed while verdicts wait keeps its fault, under the new name" {
	local nics='def nics($name; $v; $e): [
			ib($name; {link_downed: $v}) + {pci: "0000:11:00.0"},
			ib("mlx5_2"; {}) + {pci: "0000:22:00.0", device_extra: $e}];' \
		state="$BATS_TEST_TMPDIR/state" config="$BATS_TEST_TMPDIR/config.yaml"
	records "$nics"'scan(1; 1; nics("mlx5_1"; 0; {})), scan(2; 2; nics("mlx5_1"; 1; {}))'
	evaluate --state "$state"
	[[ "$(messages)" == *"fatal InfiniBandStateCheck Port mlx5_1 port 1: link_downed - "* ]]
	# Other NICs are watched now: verdicts wait until each of them can be read.
	echo 'nicExclusionRegex: ^mlx5_8$' >"$config"
	records "$nics"'scan(3; 3; nics("mlx5_9"; 0; {error: "timeout"}))
		| select(.kind == "scan.end") += {complete: false, unreadable: ["mlx5_2"]}'
	evaluate --state "$state" --config "$config"
	[[ "$(messages)" == *"healthy InfiniBandStateCheck Counter link_downed on mlx5_1 is no longer monitored "*$'\n'"fatal InfiniBandStateCheck Port mlx5_9 port 1: link_downed - "* ]]
	records "$nics"'scan(4; 4; nics("mlx5_9"; 0; {}))'
	evaluate --state "$state" --config "$config"
	[[ "$(messages)" == *"healthy InfiniBandStateCheck Counter link_downed recovered on port mlx5_9 port 1"* ]]
}

# link_downs STATE,LINK_DOWNED... - print what ctreval reports about flapping in these scans; `-`
# restarts it.
link_downs() {
	local at=0 each
	local -a nics=()
	rm -f "$BATS_TEST_TMPDIR/state"
	for each in "$@" -; do
		if [ "$each" != - ]; then
			nics+=("{state: \"${each%,*}\", counters: {link_downed: ${each#*,}}}")
			continue
		fi
		records "[$(IFS=,; echo "${nics[*]}")] | to_entries[] | (.key + 1 + $at) as \$n
			| scan(\$n; \$n; [ib(\"mlx5_0\"; {}) + .value])"
		at=$((at + ${#nics[@]})) nics=()
		evaluate --state "$BATS_TEST_TMPDIR/state"
		messages | grep -o 'the link went down . times' || true
	done
}

@test "a link-down counts once, whether ctreval restarts after it or while it happens" {
	# No port goes down in a scan; the counter shows all.
	local third='the link went down 3 times'
	[ "$(link_downs ACTIVE,0 ACTIVE,1 ACTIVE,2 ACTIVE,3)" = "$third" ]
	[ "$(link_downs ACTIVE,0 - ACTIVE,1 - ACTIVE,2 - ACTIVE,3)" = "$third" ]
	# After a reset only the later ones count.
	[ "$(link_downs ACTIVE,7 ACTIVE,0 - ACTIVE,3)" = "$third" ]
	# Two that a scan shows one scan before or after the counter does.
	[ "$(link_downs ACTIVE,0 DOWN,0 ACTIVE,1 DOWN,1 ACTIVE,2)" = '' ]
	[ "$(link_downs ACTIVE,0 DOWN,0 - ACTIVE,1 DOWN,1 - ACTIVE,2)" = '' ]
	[ "$(link_downs ACTIVE,0 ACTIVE,1 - DOWN,1 ACTIVE,2 - DOWN,2)" = '' ]
	# The counter may follow many scans later.
	[ "$(link_downs ACTIVE,0 DOWN,0 DOWN,0 - DOWN,1 ACTIVE,2)" = '' ]
	[ "$(link_downs ACTIVE,0 DOWN,0 DOWN,0 - DOWN,1 ACTIVE,2 ACTIVE,3)" = "$third" ]
}

@test "a restart after each scan changes nothing of how often links went down" {
	local state=$BATS_TEST_TMPDIR/state given scan
	local -a options
	# A walk through states, some of which are known only in part, with extra scans and times
	# without the NIC; the counter sees some of the link-downs.
	records 'def random: (. * 1103515245 + 12345) % 2147483648;
		def pick($list): $list[(. / 65536 | floor) % ($list | length)];
		def look($n; $at; $seed; $downed): ($seed | random) as $a | ($a | random) as $b
			| ($b | random) as $c | {n: $n, at: $at, seed: $c,
			state: ($a | pick(["ACTIVE", "ACTIVE", "ACTIVE", "DOWN", "DOWN", "INIT",
				"ARMED", "GONE"])),
			phys_state: ($c / 64 | pick(["LinkUp", null])),
			extra: ($n > 2 and ($b / 2048 | pick([true, false, false]))),
			downed: ($downed + ($b | pick([0, 0, 0, 1, 2]))),
			wait: ($c | pick([1, 1, 1, 10, 40, 900, 1800, 3601]))};
		limit(150; look(1; 1; 4; 0) | recurse(look(.n + 1; .at + .wait; .seed; .downed)))
		| . as $look | scan(.n; .at; [ib("mlx5_1"; {}) + {pci: "0000:19:00.0"},
			(select(.state != "GONE") | ib("mlx5_0";
				if .extra then {} else {link_downed: .downed} end)
			+ {state, phys_state})])
		| if .kind == "scan.begin" and $look.extra then .extra = true else . end'
	# A held port keeps its old state in the state file; while the state check is off, less else
	# is stored.
	echo 'stateCheck: {portStateHoldDown: 30s}' >"$BATS_TEST_TMPDIR/config"
	for given in "--config $BATS_TEST_TMPDIR/config" '--checks InfiniBandDegradationCheck'; do
		# shellcheck disable=SC2206 # two words
		options=(--explain --state "$state" $given)
		rm -f "$state"
		evaluate "${options[@]}"
		status_is 0
		jq 'select(.errorCode == ["link_flap"] or .about == "flapping")' <<<"$output" \
			>"$BATS_TEST_TMPDIR/whole"
		rm "$state"
		for ((scan = 1; scan <= 150; scan++)); do
			ctreval "${options[@]}" 2>/dev/null \
				< <(grep -E "\"scan\":${scan}[,}]" "$BATS_TEST_TMPDIR/in")
		done | jq 'select(.errorCode == ["link_flap"] or .about == "flapping")' |
			diff "$BATS_TEST_TMPDIR/whole" -
		grep -q 'went down 3 times' "$BATS_TEST_TMPDIR/whole"
		grep -q 'has not gone down for an hour' "$BATS_TEST_TMPDIR/whole"
	done
}

@test "a restart keeps what only flapping detection has seen: when a counter was read, and a link that was up" {
	local -a options=(--explain --state "$BATS_TEST_TMPDIR/state"
		--checks InfiniBandDegradationCheck)
	# Growth since a reading within the hour.
	records '[1, 2, 3000] | to_entries[]
		| scan(.key; .value; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate "${options[@]}"
	records 'scan(3; 5000; [ib("mlx5_0"; {link_downed: 3})])'
	evaluate "${options[@]}"
	[[ "$(messages)" = *'the link went down 3 times'* ]]
	# An extra scan that could not read the physical state, so that the port stays unhealthy.
	rm "$BATS_TEST_TMPDIR/state"
	records 'def down: ib("mlx5_0"; {}) + {state: "DOWN"};
		scan(1; 1; [ib("mlx5_0"; {})]), scan(2; 2; [down]), scan(3; 3; [down]),
		(scan(4; 4; [ib("mlx5_0"; {}) + {phys_state: null}])
			| if .kind == "scan.begin" then .extra = true else . end)'
	evaluate "${options[@]:0:3}"
	records 'scan(5; 5; [ib("mlx5_0"; {}) + {state: "DOWN"}])'
	evaluate "${options[@]:0:3}"
	[ "$(jq 'select(.about == "flapping").link_downs' <<<"$output")" = 2 ]
}

@test "link-downs while flapping detection was off are not reported when it is on again" {
	echo 'counterDetection: {enabled: false}' >"$BATS_TEST_TMPDIR/config"
	echo 'counterDetection: {counters: [{name: link_downed, enabled: false}]}' \
		>"$BATS_TEST_TMPDIR/counter"
	for off in '--checks InfiniBandStateCheck' "--config $BATS_TEST_TMPDIR/config" \
		"--config $BATS_TEST_TMPDIR/counter"; do
		rm -f "$BATS_TEST_TMPDIR/state"
		records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 1})])'
		evaluate --state "$BATS_TEST_TMPDIR/state"
		records 'scan(2; 2; [ib("mlx5_0"; {link_downed: 4})])'
		# shellcheck disable=SC2086 # two words
		evaluate --state "$BATS_TEST_TMPDIR/state" $off
		records 'scan(3; 3; [ib("mlx5_0"; {link_downed: 4})])'
		evaluate --state "$BATS_TEST_TMPDIR/state"
		none grep -F 'went down' <<<"$output"
	done
	# Nor a port that went down then.
	rm "$BATS_TEST_TMPDIR/state"
	for n in 1 2 3; do
		records "scan($n; $n; [ib(\"mlx5_0\"; {}) + {state: \"$(
			[ $n -eq 1 ] && echo ACTIVE || echo DOWN)\"}])"
		checks=InfiniBandDegradationCheck
		[ $n -ne 2 ] || checks=InfiniBandStateCheck
		evaluate --state "$BATS_TEST_TMPDIR/state" --explain --checks "$checks"
	done
	none grep -F '"about":"flapping"' <<<"$output"
}

@test "times and counts of faults that were not reported yet begin anew when their check is on again" {
	local state=$BATS_TEST_TMPDIR/state config=$BATS_TEST_TMPDIR/hold
	local node='def nic($n; $more): {role: "compute", monitored: true, reason: "topo_pix_pxb"}
			as $role | ib("mlx5_\($n)"; {}) + {pci: "0000:1\($n):00.0",
			device_extra: ($role + {hca_type: "MT4129",
				uverbs: ($more.uverbs != false)}),
			extra: ($role + {umad: true, issm: true, rate_gbps: ($more.rate // 400),
				rate: "\($more.rate // 400) Gb/sec (4X NDR)"})}
			+ {state: ($more.state // "ACTIVE")};
		def look($at; $more): scan($at; $at; [nic(0; $more), nic(1; {}), nic(2; {})]);'
	# Each fault is gone while its check is off, and another one begins in the scan after that.
	local -A faults=([card]='{state: "INIT"}' [rate]='{rate: 200}' [hold]='{state: "DOWN"}'
		[chardev]='{uverbs: false}')
	echo 'stateCheck: {portStateHoldDown: 30s}' >"$config"
	for fault in "${!faults[@]}"; do
		local -a options=(--state "$state")
		[ "$fault" != hold ] || options+=(--config "$config")
		rm -f "$state"
		records "$node look(1; {}), look(2; ${faults[$fault]}), look(3; ${faults[$fault]})"
		evaluate "${options[@]}"
		records "$node look(4; {}), look(3000; {})"
		evaluate "${options[@]}" --checks EthernetStateCheck
		says
		records "$node look(3001; ${faults[$fault]}), look(3002; ${faults[$fault]})"
		evaluate "${options[@]}"
		says
	done
}

@test "a counter that an operator clears at its maximum can count no further, which is reported once" {
	local state=$BATS_TEST_TMPDIR/state clear=$BATS_TEST_TMPDIR/clear
	jq -n -c '{kind: "clear", v: 1, id: "0123456789abcdef", ts: "2023-11-14T22:13:23.000000Z",
		until: "2023-11-15T22:13:23.000000Z", device: "mlx5_0", port: 1,
		why: "cable swapped", by: "alice"}' >"$clear"
	chmod 600 "$clear"
	records 'def port($n; $counters): scan($n; $n; [ib("mlx5_0"; $counters)]);
		port(1; {link_downed: 0}), port(2; {link_downed: 255})'
	evaluate --state "$state"
	records 'range(4; 9) | scan(.; .; [ib("mlx5_0"; {link_downed: 255})])'
	evaluate --state "$state" --silences "$clear" --checks InfiniBandStateCheck
	grep -q 'Counter link_downed cleared .* at 255 by alice' <(messages)
	# Nothing ends the event but a reset; a restart does not repeat it.
	records '[9, 10] | to_entries[] | scan(.value; .value; [ib("mlx5_0"; {link_downed: 255})])'
	evaluate --state "$state" --silences "$clear"
	says "degraded InfiniBandDegradationCheck Port mlx5_0 port 1: link_downed is at its maximum of 255 and can count no further until it is reset"
	evaluate --state "$state" --silences "$clear"
	says
	records 'scan(11; 11; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate --state "$state" --silences "$clear"
	says "healthy InfiniBandDegradationCheck Counter link_downed can count again on port mlx5_0 port 1"
}

@test "a breach that is older than the baseline after a lost state is reported again after it" {
	# In the records of an unreadable device its ports may be readable. The healthy event about
	# the saturation answers the breach, too.
	records 'def nics($n; $v; $e): scan($n; 60 * $n; [ib("mlx5_0"; {}),
			ib("mlx5_1"; {link_error_recovery: $v}) + {device_extra: $e}]);
		(range(1; 4) as $n | nics($n; $n * 50; {error: "EIO"})), nics(4; 200; {})'
	echo '{' >"$BATS_TEST_TMPDIR/state"
	evaluate --state "$BATS_TEST_TMPDIR/state"
	diff - <(messages | grep -E 'mlx5_1 .*link_error|link_error.* mlx5_1 ') >&2 <<-'END'
		degraded InfiniBandDegradationCheck Port mlx5_1 port 1: link_error_recovery - Link retraining events - micro-flapping (value=100, delta=50, rate=50.00/min)
		healthy InfiniBandDegradationCheck Counter link_error_recovery can count again on port mlx5_1 port 1
		degraded InfiniBandDegradationCheck Port mlx5_1 port 1: link_error_recovery - Link retraining events - micro-flapping (value=100, delta=50, rate=50.00/min)
	END
}

@test "a saturated counter that can count again is reported even while the check of its breaches is off" {
	local state=$BATS_TEST_TMPDIR/state
	records '[1, 2] | to_entries[] | scan(.value; .value; [ib("mlx5_0"; {link_downed: 255})])'
	evaluate --state "$state"
	[[ "$(messages)" = *'link_downed is at its maximum of 255'* ]]
	records 'scan(3; 3; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate --state "$state" --checks InfiniBandDegradationCheck
	says "healthy InfiniBandDegradationCheck Counter link_downed can count again on port mlx5_0 port 1"
	# Not again.
	records 'scan(4; 4; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate --state "$state"
	says
}

@test "a breach is cleared when its counter now belongs to a check that is switched off" {
	local state=$BATS_TEST_TMPDIR/state
	echo 'counterDetection: {counters: [{name: link_downed, isFatal: false}]}' \
		>"$BATS_TEST_TMPDIR/degraded"
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 1})])'
	evaluate --state "$state"
	[[ "$(messages)" = *'fatal InfiniBandStateCheck Port mlx5_0 port 1: link_downed'* ]]
	# While both are off it waits.
	records 'scan(3; 3; [ib("mlx5_0"; {link_downed: 1})]),
		scan(4; 4; [ib("mlx5_0"; {link_downed: 1})])'
	evaluate --state "$state" --config "$BATS_TEST_TMPDIR/degraded" \
		--checks EthernetStateCheck
	none grep -F link_downed < <(messages)
	evaluate --state "$state" --config "$BATS_TEST_TMPDIR/degraded" \
		--checks InfiniBandStateCheck
	says "healthy InfiniBandStateCheck Counter link_downed on mlx5_0 is no longer monitored (counter disabled or device out of monitoring scope); clearing stale breach"
	# With the counter's own check on, a reset ends it.
	rm "$state"
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 1})])'
	evaluate --state "$state"
	records 'scan(3; 3; [ib("mlx5_0"; {link_downed: 1})]),
		scan(4; 4; [ib("mlx5_0"; {link_downed: 0})])'
	evaluate --state "$state" --config "$BATS_TEST_TMPDIR/degraded"
	says "healthy InfiniBandStateCheck Counter link_downed recovered on port mlx5_0 port 1"
}

@test "the link_downed of another vendor's NIC counts no link-downs, and its states do" {
	local vendor
	# Amazon, AMD, Broadcom, Intel; and NVIDIA, whose counter is one.
	for vendor in 0x1d0f 0x1dd8 0x14e4 0x8086 0x15b3; do
		records "def nic: eth(\"nic0\"; {link_downed: 0})
				+ {device_extra: {vendor: \"$vendor\"}};
			scan(1; 1; [nic]), scan(2; 2; [nic + {counters: {link_downed: 9}}]),
			(range(3; 9) | scan(.; .; [nic + {counters: {link_downed: 9},
				state: [\"ACTIVE\", \"DOWN\"][. % 2]}]))"
		evaluate --checks EthernetDegradationCheck,InfiniBandDegradationCheck
		messages >"$BATS_TEST_TMPDIR/$vendor"
	done
	grep -q 'the link went down 9 times' "$BATS_TEST_TMPDIR/0x15b3"
	rm "$BATS_TEST_TMPDIR/0x15b3"
	for vendor in "$BATS_TEST_TMPDIR"/0x*; do
		[ "$(grep -o 'went down.*times' "$vendor")" = 'went down 3 times' ]
	done
}

@test "link-downs count from the first scan of a boot, whatever the counter was before" {
	records 'scan(1; 10; [ib("mlx5_0"; {link_downed: 1})])'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	# The reading of the other boot is forgotten, with its time.
	records '[5, 7, 8] | to_entries[]
		| scan(.key; 4000 + .key; [ib("mlx5_0"; {link_downed: .value})])
		| if .kind == "scan.begin" then .boot_id = "b2" else . end'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	[ "$(messages | grep -o 'the link went down . times')" = 'the link went down 3 times' ]
}

@test "a renamed NIC without a PCI function is recognised by its GUID, unless that is 0" {
	records 'def soft($name; $guid; $state): eth($name; {}) + {pci: null,
		device_extra: {node_guid: $guid}, state: $state,
		phys_state: (if $state == "DOWN" then "Disabled" else "LinkUp" end)};
		scan(1; 1; [soft("rxe0"; "0000:00ff:fe00:0001"; "ACTIVE"),
		soft("rxe1"; "0000:0000:0000:0000"; "ACTIVE")]),
		scan(2; 2; [soft("one"; "0000:00ff:fe00:0001"; "ACTIVE"),
		soft("other"; "0000:0000:0000:0000"; "ACTIVE")]),
		scan(3; 3; [soft("one"; "0000:00ff:fe00:0001"; "DOWN"),
		soft("other"; "0000:0000:0000:0000"; "ACTIVE")])'
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	status_is 0 'note: NIC rxe0 \(0000:00ff:fe00:0001\) was renamed to one'
	says "fatal EthernetStateCheck RoCE device rxe1 disappeared from sysfs" \
		"fatal EthernetStateCheck RoCE port one port 1: state DOWN, phys_state Disabled, operstate up (no interface)"
	# ctreval remembers the GUID while the device cannot be read.
	records 'def soft($name; $more): eth($name; {}) + {pci: null,
		device_extra: ({node_guid: "0000:00ff:fe00:0001"} + $more)};
		scan(1; 1; [soft("rxe0"; {})]),
		scan(2; 2; [soft("rxe0"; {node_guid: null, error: "timeout"})]),
		scan(3; 3; [soft("one"; {})])'
	evaluate
	status_is 0 'note: NIC rxe0 \(0000:00ff:fe00:0001\) was renamed to one'
	says
	# The GUID of a PCI function does not count: functions of a card may share it.
	records 'def nic($name; $pci): eth($name; {}) + {pci: $pci,
		device_extra: {node_guid: "0000:00ff:fe00:0001"}};
		scan(1; 1; [nic("mlx5_0"; "0000:10:00.0"), nic("mlx5_1"; "0000:10:00.1")]),
		scan(2; 2; [nic("mlx5_0"; "0000:10:00.0"), nic("mlx5_2"; null)])'
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	says "fatal EthernetStateCheck RoCE device mlx5_1 disappeared from sysfs"
}

@test "a missing NIC is reported even while its subfunction, which has the same PCI address, is there" {
	local sf='(eth("mlx5_18"; {}) + {vf: true})'
	records "scan(1; 1; [eth(\"mlx5_0\"; {}), $sf]), scan(2; 2; [$sf]), scan(3; 3; [$sf])"
	evaluate --config <(echo 'disappearance: {confirmScans: 2}')
	status_is 0
	says "fatal EthernetStateCheck RoCE device mlx5_0 disappeared from sysfs"
	none grep -F mlx5_18 <<<"$stderr"
	# ctreval also sees that a bond took the function.
	records "def other: eth(\"mlx5_1\"; {}) + {pci: \"0000:18:00.1\", device_extra: {netdevs:
		[{name: \"eth1\", uppers: [\"bond0\"]}]}};
		def functions: if .kind == \"scan.end\" then .functions = [\"0000:18:00.0\",
			\"0000:18:00.1\" | {pci: ., driver: \"mlx5_core\"}] else . end;
		(scan(1; 1; [eth(\"mlx5_0\"; {}), other, $sf]), scan(2; 2; [other, $sf])) | functions"
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	status_is 0 'NIC mlx5_0 \(0000:18:00.0\) is part of mlx5_1 now'
	says
}

@test "a NIC that became part of a bond is not gone, and its card is not compared, whatever udev calls the device and the operator the bond" {
	local netdev
	for netdev in '{name: "eth0", uppers: ["bond0"]}' \
		'{name: "eth0", uppers: ["lag0"], bonded: true}'; do
		records "def nic(\$name; \$pci): eth(\$name; {}) + {pci: \"0000:\(\$pci)\"};
			def lag: nic(\"rocep24s0f0\"; \"18:00.0\")
				+ {device_extra: {netdevs: [$netdev]}};
			def others: nic(\"mlx5_2\"; \"28:00.0\"), nic(\"mlx5_3\"; \"28:00.1\"),
				nic(\"mlx5_4\"; \"38:00.0\"), nic(\"mlx5_5\"; \"38:00.1\");
			def functions: if .kind == \"scan.end\" then .functions = [
				\"18\", \"28\", \"38\" | \"0000:\(.):00.0\", \"0000:\(.):00.1\"
				| {pci: ., driver: \"mlx5_core\"}] else . end;
			(scan(1; 1; [nic(\"mlx5_0\"; \"18:00.0\"), nic(\"mlx5_1\"; \"18:00.1\"),
				others]), (range(2; 30) as \$n | scan(\$n; \$n; [lag, others])))
			| functions"
		evaluate
		status_is 0 'NIC mlx5_1 \(0000:18:00.1\) is part of rocep24s0f0 now'
		says
	done
}

@test "a NIC that was handed to a virtual machine or a pod leaves with one note, and comes back as a new one" {
	local case word='\(0000:18:00.0\) is passed on: its PCI function has the driver vfio-pci,'
	for case in '{functions: [{pci: "0000:18:00.0", driver: "vfio-pci"}]}' \
		'{elsewhere: ["mlx5_0"], functions: [{pci: "0000:18:00.0", driver: "mlx5_core"}]}'; do
		records "def there(\$n): scan(\$n; \$n; [ib(\"mlx5_0\"; {})]);
			def away(\$n): scan(\$n; \$n; [])
				| if .kind == \"scan.end\" then . + $case else . end;
			there(1), (range(2; 7) as \$n | away(\$n)), there(7), (range(8; 11) as \$n
			| scan(\$n; \$n; []))"
		evaluate --config <(echo 'disappearance: {confirmScans: 3}')
		status_is 0 "note: NIC mlx5_0 $word and nothing is missing\$"
		[ "$(grep -c 'nothing is missing' <<<"$stderr")" -eq 1 ]
		says "fatal InfiniBandStateCheck NIC mlx5_0 disappeared from /sys/class/infiniband/ - hardware failure"
		word='is in another network namespace now,'
	done
	# What was reported about it before is withdrawn, also that it was gone.
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 1})]), scan(3; 3; []),
		(scan(4; 4; []) | if .kind == "scan.end" then .elsewhere = ["mlx5_0"] else . end)'
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1, rate=1.00/sec)" \
		"fatal InfiniBandStateCheck NIC mlx5_0 disappeared from /sys/class/infiniband/ - hardware failure" \
		"healthy InfiniBandStateCheck Counter link_downed on mlx5_0 is no longer monitored (counter disabled or device out of monitoring scope); clearing stale breach" \
		"healthy InfiniBandStateCheck NIC mlx5_0 is no longer monitored"
}

@test "the decision with which a NIC turns fatal does not say that this was reported before" {
	echo 'disappearance: {confirmScans: 1, driverReloadGrace: 2s}' >"$BATS_TEST_TMPDIR/config"
	records 'def gone($n): scan($n; $n; [])
			| if .kind == "scan.end" then .functions = [{pci: "0000:18:00.0",
			driver: "mlx5_core"}] else . end;
		scan(1; 1; [ib("mlx5_0"; {})]), gone(2), gone(3), gone(4), gone(5)'
	evaluate --explain --config "$BATS_TEST_TMPDIR/config"
	diff - <(jq -r 'select(.about == "device" and .scan > 1)
		| "\(.event != null) \(.reason)"' <<<"$output") <<-'END'
		true it is no longer listed, but driverReloadGrace has not expired yet
		false it is no longer listed, but driverReloadGrace has not expired yet
		true it is no longer listed
		false it is gone, already reported
	END
}

@test "what was reported about a NIC is taken back when it is handed away, also after a change of scope" {
	local state=$BATS_TEST_TMPDIR/state.json
	records 'scan(1; 1; [ib("mlx5_0"; {})]), scan(2; 2; [])'
	evaluate --state "$state" --config <(echo 'disappearance: {confirmScans: 1}')
	[[ $output = *'NIC mlx5_0 disappeared'* ]]
	records 'range(3; 6) as $n | scan($n; $n; [])
		| if .kind == "scan.end" and $n > 3 then .elsewhere = ["mlx5_0"] else . end'
	evaluate --state "$state" --config <(echo 'nicExclusionRegex: "^mlx5_9$"')
	status_is 0 'the set of monitored NICs has changed' 'mlx5_0 is in another network namespace'
	says "healthy InfiniBandStateCheck NIC mlx5_0 is no longer monitored"
	# While nobody looked, and what was reported was not that it is gone.
	rm "$state"
	records 'scan(1; 1; [ib("mlx5_0"; {})]),
		scan(2; 2; [ib("mlx5_0"; {}) + {extra: {state: "DOWN", phys_state: "Disabled"}}])'
	evaluate --state "$state"
	[[ $output = *'state DOWN'* ]]
	records 'range(3; 6) as $n | scan($n; $n; [])
		| if .kind == "scan.end" then .elsewhere = ["mlx5_0"] else . end'
	evaluate --state "$state" --checks InfiniBandStateCheck \
		--config <(echo 'nicExclusionRegex: "^mlx5_9$"')
	says "healthy InfiniBandStateCheck Port mlx5_0 port 1 is no longer monitored"
}

@test "a card one of whose functions was handed to a virtual machine or a pod is not compared, and recovers" {
	records 'def nic($card; $function): eth("mlx5_\($card)\($function)"; {})
			+ {pci: "0000:0\($card):00.\($function)", extra: {role: "compute"},
			device_extra: {role: "compute", monitored: true}};
		def functions($driver): [range(1; 4) as $card | range(2) as $function
			| {pci: "0000:0\($card):00.\($function)", driver: "mlx5_core"}]
			| .[5].driver = $driver;
		def without($n; $end): scan($n; $n; [nic(1, 2; 0, 1), nic(3; 0), eth("mlx5_9"; {})
				+ {device_extra: {monitored: false, reason: "default_route"}}])
			| if .kind == "scan.end" then . + $end else . end;
		without(1; {functions: functions("mlx5_core")}),
		without(2; {functions: functions("vfio-pci")}),
		without(3; {functions: functions("mlx5_core"), elsewhere: ["mlx5_31"]})'
	evaluate
	says "fatal EthernetStateCheck Card 0000:03:00 has 1 active ports, expected 2 (peer mode)" \
		"healthy EthernetStateCheck Card 0000:03:00 exempt from peer comparison (sibling passed to a virtual machine); clearing anomaly"
	# The first scan decides the same.
	local first
	for first in 2 3; do
		jq -c "select(.scan >= $first)" "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/later"
		run --separate-stderr ctreval --explain <"$BATS_TEST_TMPDIR/later"
		says
		jq -e -s 'any(.[]; .about == "card" and .card == "0000:03:00"
			and (.reason | test("handed away")))' <<<"$output"
	done
}

@test "a card with a function that may be the management NIC without its RDMA device is not compared" {
	local in='def nic($card; $function): eth("mlx5_\($card)\($function)"; {})
			+ {pci: "0000:0\($card):00.\($function)", extra: {role: "storage", state:
				(if $card == 3 then "DOWN" else "ACTIVE" end)},
			device_extra: {role: "storage", monitored: true, reason: "topo_node_phb"}};
		def functions: if .kind == "scan.end" then .functions = [range(1; 4) as $card
			| range(2) | {pci: "0000:0\($card):00.\(.)", driver: "mlx5_core"}]
			else . end;'
	local dark='fatal EthernetStateCheck Card 0000:03:00 has 0 active ports, expected 2 (peer mode)'
	records "$in scan(1; 1; [nic(1, 2; 0, 1), nic(3; 1)]) | functions"
	evaluate
	says
	# Not if another device carries the default route, or if the function is at a GPU's own
	# switch, where there is no management NIC.
	local port='fatal EthernetStateCheck RoCE port mlx5_31 port 1: state DOWN, phys_state LinkUp, operstate up (no interface)'
	records "$in scan(1; 1; [nic(1, 2; 0, 1), nic(3; 1), (eth(\"mlx5_9\"; {}) + {device_extra:
		{role: \"management\", monitored: false, reason: \"default_route\"}})]) | functions"
	evaluate
	says "$dark" "$port"
	records "$in scan(1; 1; [nic(1, 2; 0, 1), nic(3; 1)]) | functions
		| if .reason != null then .reason = \"topo_pix_pxb\" else . end"
	evaluate
	says "$dark" "$port"
	# Nor if the function had a device, which is reported as gone.
	records "$in def up: if .state != null then .state = \"ACTIVE\" else . end;
		(scan(1; 1; [nic(1, 2, 3; 0, 1)]) | functions | up),
		(range(2; 7) as \$n | scan(\$n; \$n * 20; [nic(1, 2; 0, 1), nic(3; 1)])
			| functions)"
	evaluate --config <(echo 'disappearance: {confirmScans: 1}')
	[[ $output = *'mlx5_30 disappeared'* ]]
	none grep -F exempt <<<"$output"
}

@test "a function whose record was lost was not handed to a pod: its card's event stays" {
	records 'def nic($card; $function; $state): eth("mlx5_\($card)\($function)"; {})
			+ {pci: "0000:0\($card):00.\($function)", extra: {role: "compute",
			state: $state}, device_extra: {role: "compute", monitored: true}};
		def all: nic(1, 2; 0, 1; "ACTIVE"), nic(3; 0; "ACTIVE"), nic(3; 1; "INIT");
		range(1; 4) as $n | scan($n; $n; [all])
			| if .kind == "scan.end" then . + {elsewhere: ["mlx5_40"], functions:
				[range(1; 4) as $card | range(2) as $function
				| {pci: "0000:0\($card):00.\($function)", driver: "mlx5_core"}]}
			else select($n != 2 or .device != "mlx5_30") end'
	evaluate
	says "fatal EthernetStateCheck Card 0000:03:00 has 1 active ports, expected 2 (peer mode)"
}

@test "a deleted RDMA device of a NIC gives one line, even if its events wait for a disabled check" {
	local nic='ib("mlx5_0"; {})' part='(ib("smi0"; {}) + {device_extra: {error: "timeout"}})'
	records "range(1; 6) as \$n | scan(\$n; \$n; [$nic, $part])"
	evaluate --state "$BATS_TEST_TMPDIR/state.json"
	[[ $output = *'NIC smi0 cannot be read (timeout)'* ]]
	records "range(6; 9) as \$n | scan(\$n; \$n; [$nic])"
	evaluate --state "$BATS_TEST_TMPDIR/state.json" --checks InfiniBandDegradationCheck
	none grep -F smi0 <<<"$output$stderr"
	records "range(9; 12) as \$n | scan(\$n; \$n; [$nic])"
	evaluate --state "$BATS_TEST_TMPDIR/state.json"
	[ "$(grep -c 'RDMA device smi0 of NIC mlx5_0 (0000:18:00.0) has been deleted' \
		<<<"$stderr")" -eq 1 ]
	[ "$(messages | grep smi0)" \
		= 'healthy InfiniBandStateCheck NIC smi0 is no longer monitored' ]
}

@test "a port that turns from Ethernet to InfiniBand recovers under the check that reported it" {
	records 'scan(1; 1; [eth("mlx5_0"; {})]),
		scan(2; 2; [eth("mlx5_0"; {}) + {state: "DOWN", phys_state: "Disabled"}]),
		scan(3; 3; [ib("mlx5_0"; {}) + {link_layer: null, state: "DOWN",
		phys_state: "Disabled"}]),
		scan(4; 4; [ib("mlx5_0"; {})]),
		scan(5; 5; [ib("mlx5_0"; {}) + {state: "DOWN", phys_state: "Disabled"}])'
	evaluate
	says "fatal EthernetStateCheck RoCE port mlx5_0 port 1: state DOWN, phys_state Disabled, operstate up (no interface)" \
		"healthy EthernetStateCheck RoCE port mlx5_0 port 1: healthy (ACTIVE, LinkUp)" \
		"fatal InfiniBandStateCheck Port mlx5_0 port 1: state DOWN, phys_state Disabled"
}

@test "a device or port listed twice in a scan counts once and makes the scan incomplete" {
	records 'scan(1; 1; [ib("mlx5_0"; {link_downed: 0}), ib("mlx5_1"; {link_downed: 0})]),
		scan(2; 2; [ib("mlx5_0"; {link_downed: 0}), ib("mlx5_0"; {link_downed: 5})])'
	evaluate
	# ctreval ignores the second mlx5_0 and does not miss mlx5_1.
	says
	status_is 0 '"mlx5_0" is in this scan already'
	stderr_has 'scan 2 is incomplete'
}

@test "a counter's growth is reported even when the time of the scans stands still or runs back" {
	records 'scan(1; 100; [ib("mlx5_0"; {link_downed: 0, symbol_error: 0})]),
		scan(2; 100; [ib("mlx5_0"; {link_downed: 1, symbol_error: 99})]),
		scan(3; 101; [ib("mlx5_0"; {link_downed: 1, symbol_error: 99})])'
	evaluate
	says "fatal InfiniBandStateCheck Port mlx5_0 port 1: link_downed - Port Training State Machine failed - QP disconnect (value=1, delta=1, rate=0.00/sec)" \
		"degraded InfiniBandDegradationCheck Port mlx5_0 port 1: symbol_error - PHY bit errors before FEC - physical layer degradation (value=99, delta=99, rate=99.00/sec)"
}

@test "input without a scan gives one warning and exits 0" {
	local input
	for input in '' '{"kind":"event"}\n' '{"kind":"event"}\n{"kind":"scan.and"}\n'; do
		# shellcheck disable=SC2059 # for the newlines
		printf "$input" >"$BATS_TEST_TMPDIR/in"
		evaluate
		status_is 0
		[ "$stderr" = 'ctreval: warning: stdin: contains no scan (no scan.begin): nothing was checked' ]
	done
	run --separate-stderr ctreval \
		<<<'{"kind":"scan.begin","v":1,"scan":1,"node":"n","boot_id":"b","ts":"2026-01-02T03:04:05.000000Z","boottime_ns":1,"interval_ms":0}'
	status_is 0
	none grep 'contains no scan' <<<"$stderr"
}


# hanging JQ - write records; JQ may use `hung($ms; $what)`, an unreadable NIC.
hanging() {
	records 'def hung($ms; $what): ib("mlx5_0"; {}) + {device_extra: {error: "timeout",
		in_flight_ms: $ms, in_flight: $what}};'"$1"
}

@test "a read in flight at the deadline gives one event for the node, and the next complete scan ends it" {
	hanging 'scan(1; 0; [ib("mlx5_0"; {})]), scan(2; 5; [hung(9999; "state")]),
		scan(3; 10; [hung(10000; "state")]), scan(4; 15; [hung(11000; "counter")]),
		scan(5; 20; [hung(800; "state")]), scan(6; 25; [ib("mlx5_0"; {})])'
	evaluate
	jq -c 'select(.checkName=="NICPollStallCheck")' <<<"$output" >"$BATS_TEST_TMPDIR/stalls"
	[ "$(jq -r '.generatedTimestamp[17:19] + " " + .message' "$BATS_TEST_TMPDIR/stalls")" \
		= "30 NIC state cannot be observed: state poll in flight for 10s
45 NIC polls are completing" ]
	jq -s -e 'all(.componentClass=="NIC" and .isFatal==false and .recommendedAction=="NONE"
		and .entitiesImpacted==[] and .errorCode==[] and .processingStrategy=="STORE_ONLY"
		and .nodeName=="n1" and .metadata=={}) and map(.isHealthy)==[false, true]' \
		"$BATS_TEST_TMPDIR/stalls"
}

@test "late states and counters share one message, and an unmonitored device counts for none" {
	hanging 'scan(1; 0; [hung(11999; "state"),
		hung(12000; "counter") + {device: "mlx5_1", pci: "0000:19:00.0"},
		hung(99000; "state") + {device: "mlx5_2", pci: "0000:20:00.0"}
		| .device_extra.monitored = (.device != "mlx5_2")])'
	evaluate
	says "degraded NICPollStallCheck NIC state cannot be observed: counter poll in flight for 12s, state poll in flight for 11s"
}

# STALL - define stall($at; $ms), the record of a scan that makes no progress.
STALL='def stall($at; $ms): {kind: "scan.stall", node: "n1", ts: stamp(1700000000 + $at),
	boottime_ns: ($at * 1000000000), in_flight_ms: $ms};'

@test "a scan without progress is reported once before it ends, also across a restart" {
	records "$STALL"'scan(1; 0; []), (scan(2; 1; []) | select(.kind == "scan.begin")),
		stall(11; 9999), stall(12; 10999)'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	[ "$(messages | grep PollStall)" \
		= "healthy NICPollStallCheck NIC polls are completing
degraded NICPollStallCheck NIC state cannot be observed: state poll in flight for 10s" ]
	jq -e '.poll_stall_reported' "$BATS_TEST_TMPDIR/state"
	# The next process reads only this record.
	records "$STALL"'stall(20; 11000)'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	says
	[ -z "$stderr" ]
	records 'scan(1; 30; [])'
	evaluate --state "$BATS_TEST_TMPDIR/state"
	says "healthy NICPollStallCheck NIC polls are completing"
	# A process without a scan takes the node's name from the record.
	records "$STALL"'stall(5; 10000)'
	evaluate
	says "degraded NICPollStallCheck NIC state cannot be observed: state poll in flight for 10s"
	[ "$(jq -r .nodeName <<<"$output")" = n1 ]
}

@test "a stall within bootGrace ends when a scan completes, not when bootGrace is over" {
	echo 'bootGrace: 2m' >"$BATS_TEST_TMPDIR/config.yaml"
	records "$STALL"'stall(20; 11000), scan(1; 25; [ib("mlx5_0"; {})]),
		scan(2; 26; [ib("mlx5_0"; {})])'
	evaluate --config "$BATS_TEST_TMPDIR/config.yaml" --state "$BATS_TEST_TMPDIR/state"
	says "degraded NICPollStallCheck NIC state cannot be observed: state poll in flight for 11s" \
		"healthy NICPollStallCheck NIC polls are completing"
	# The baseline does not say it again.
	records 'scan(1; 120; [ib("mlx5_0"; {})]), scan(2; 121; [ib("mlx5_0"; {})])'
	evaluate --config "$BATS_TEST_TMPDIR/config.yaml" --state "$BATS_TEST_TMPDIR/state"
	none grep PollStall <<<"$(messages)"
}

@test "an incomplete scan ends no stall, and a boot does not forget it" {
	records "$STALL"'stall(1; 10000),
		(scan(2; 10; [ib("mlx5_0"; {})]) | select(.kind != "port")),
		(scan(3; 15; []) | if .kind == "scan.end" then .error = "EIO" else . end),
		stall(16; 10000),
		(scan(4; 20; []) | if .kind == "scan.begin" then .boot_id = "b2" else . end)'
	evaluate
	[ "$(messages | grep -c PollStall)" -eq 2 ]
	[ "$(messages | tail -n 1)" = "healthy NICPollStallCheck NIC polls are completing" ]
	[ "$(jq -r 'select(.isHealthy and .checkName=="NICPollStallCheck").generatedTimestamp[17:19]' \
		<<<"$output")" = 40 ]
}

@test "--poll-stall-deadline sets the deadline, 0s disables it, and --poll-stall-store-only=false lets receivers act" {
	records "$STALL"'stall(1; 1500)'
	evaluate --poll-stall-deadline 1500ms --poll-stall-store-only=false
	says "degraded NICPollStallCheck NIC state cannot be observed: state poll in flight for 1s"
	[ "$(jq -r .processingStrategy <<<"$output")" = EXECUTE_REMEDIATION ]
	evaluate --poll-stall-deadline 1501ms
	says
	records "$STALL"'stall(1; 99999)'
	evaluate --poll-stall-deadline 0s
	says
	evaluate --poll-stall-store-only=yes
	status_is 64 '^ctreval: error: --poll-stall-store-only.*neither true nor false'
	evaluate --checks NICPollStallCheck
	status_is 64
}
