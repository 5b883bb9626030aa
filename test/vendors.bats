#!/usr/bin/env bats
# vendors: NICs of other vendors than NVIDIA: their roles, faults, counters and processing
# strategies.
# SPDX-License-Identifier: Apache-2.0

load lib/common

FILE=/var/lib/nvsentinel/gpu_metadata.json

setup() {
	T=$BATS_TEST_TMPDIR
}

# look_at NODE [JQ] - make a node of test/fixtures/vendors, with this change; one without GPUs has
# no metadata
look_at() {
	export NODE=$T/$1
	rm -rf "$NODE"
	jq "${2-.}" "$ROOT/test/fixtures/vendors/$1.json" >"$T/platform.json"
	nicsim "$NODE" create "$T/platform.json"
	jq -e '.gpus | length > 0' "$T/platform.json" >/dev/null || rm "$NODE$FILE"
}

# configure TEXT - write the configuration
configure() { printf '%s\n' "$1" >"$T/config.yaml"; }

# judge [OPTION]... - run ctreval on a scan of the node, with the roles of the PCI bus if it has no
# metadata; its events go to $T/said, and are added to $T/events
judge() {
	scan | classify --metadata "auto:$NODE$FILE" --sysfs-root "$NODE/sys" \
		--config "$T/config.yaml" 2>"$T/classified" |
		ctreval --config "$T/config.yaml" --state "$T/state" "$@" >"$T/said" 2>"$T/err"
	cat "$T/said" >>"$T/events"
}

# strategies - print of the last events: check, entities, isHealthy and processingStrategy
strategies() {
	jq -r 'select(.kind == "event") | [.checkName, (.entitiesImpacted[].entityValue),
		.isHealthy, .processingStrategy] | join(" ")' "$T/said"
}

# store_only_after CHANGE... - print strategies of what ctreval --strategy STORE_ONLY says after
# this change of the simulated node
store_only_after() {
	sim "$@"
	judge --strategy STORE_ONLY
	strategies
}

# start_with VENDORS - configure VENDORS and evaluate the healthy node
start_with() {
	configure "vendors: $1"
	judge
}

@test "NICs of Broadcom or AMD are peers whatever node descriptions rdma-ndd has given them" {
	local node first
	configure 'vendors: [amd, broadcom]'
	for node in mi300x-bnxt mi355x-ionic; do
		look_at $node '.nics |= map(.hca_type = "gpu7 " + .device | .pci_device = "0x1760")'
		first=$(jq -r '.nics[0].device' "$T/platform.json")
		sim down "$first/1"
		rm -f "$T/state"
		judge
		jq -e --arg first "$first" 'select(.kind == "event" and .isFatal
			and .errorCode[0] == "card_ports") | .metadata.devices == $first' "$T/said"
	done
}

@test "each vendor's NICs have the roles that the metadata and the PCI bus give" {
	[ ! -e "$FILE" ] || skip "this machine has $FILE"
	local description node seen=0
	for description in "$ROOT"/test/fixtures/vendors/*.json; do
		node=$(basename -s .json "$description")
		look_at "$node"
		roles() { jq -S 'select(.kind == "device") | {(.device): {role, why: .reason}}' |
			jq -S -s add; }
		diff <(scan | topoclass --sysfs-root "$NODE/sys" --route "$NODE/proc/net/route" \
			--route6 "$NODE/proc/net/ipv6_route" 2>"$T/err" | roles) \
			<(jq -S .expected.classification "$description")
		[ "$(jq '.gpus | length' "$description")" -eq 0 ] ||
			diff <(scan | classify | roles) \
				<(jq -S .expected.classification "$description")
		seen=$((seen + 1))
	done
	[ "$seen" -eq 3 ]
}

@test "faults of other vendors' NICs are STORE_ONLY unless the configuration names the vendor" {
	look_at mi300x-bnxt
	configure ''
	judge
	sim unplug bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 false STORE_ONLY' ]
	[ "$(jq -r .recommendedAction "$T/said")" = REPLACE_VM ]
	sim up bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 true STORE_ONLY' ]
	configure 'vendors: [nvidia, broadcom]'
	sim unplug bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 false EXECUTE_REMEDIATION' ]
}

# queue_error DEVICE - print a scan, an event of ibevent about a failed queue, and another scan
queue_error() {
	scan
	jq -n -c --arg device "$1" '{kind: "async", v: 1, ts: "2026-01-01T00:00:00.000000Z",
		boottime_ns: 1, via: "trace", device: $device, port: null, event: "QP_FATAL",
		fabric_error: true, count: 1}'
	scan
}

@test "errors of queues of another vendor's NIC are no pattern that receivers act on" {
	look_at mi300x-bnxt
	local vendors
	for vendors in '[nvidia]' '[nvidia, broadcom]'; do
		configure "vendors: $vendors"
		for _ in 1 2 3; do
			queue_error bnxt_re3 | classify | ctreval --config "$T/config.yaml"
		done >"$T/said" 2>"$T/err"
		[ "$(jq -r 'select(.isHealthy == false) | .errorCode[]' "$T/said" | xargs)" = \
			'qp_fatal qp_fatal qp_fatal' ]
		correlate <"$T/said" | jq -r 'select(.agent == "health-events-analyzer")
			| "\(.checkName) \(.processingStrategy)"'
	done >"$T/found"
	[ "$(cat "$T/found")" = 'RepeatedNICQueueError EXECUTE_REMEDIATION' ]
}

@test "a NIC that is gone keeps its vendor, even over a restart of ctreval" {
	look_at mi355x-ionic
	start_with '[nvidia]'
	sim remove ionic_5
	judge
	judge
	judge
	[ "$(strategies)" = 'EthernetStateCheck ionic_5 false STORE_ONLY' ]
	sim restore ionic_5
	judge
	diff <(strategies) - <<-'END'
		EthernetStateCheck ionic_5 true STORE_ONLY
		EthernetStateCheck ionic_5 1 true STORE_ONLY
	END
}

@test "a vendor that is removed from the configuration counts for a NIC that cannot be read since, too" {
	look_at mi355x-ionic
	start_with '[nvidia, amd]'
	configure 'vendors: [nvidia]'
	sim remove ionic_5
	sim unreadable ionic_4/1 state
	judge
	judge
	judge
	diff <(strategies) - <<-'END'
		EthernetStateCheck ionic_5 false STORE_ONLY
		EthernetStateCheck ionic_4 false STORE_ONLY
	END
	[ "$(grep -c EXECUTE "$T/said")" -eq 0 ]
}

@test "a fault is cleared with the strategy of its report, whatever the configuration is by then" {
	look_at mi300x-bnxt
	start_with '[broadcom]'
	sim unplug bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 false EXECUTE_REMEDIATION' ]
	configure 'vendors: []'
	judge
	sim up bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 true EXECUTE_REMEDIATION' ]
	judge
	sim unplug bnxt_re3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re3 1 false STORE_ONLY' ]
}

@test "a report that receivers acted upon is withdrawn for them, whatever --strategy is by then" {
	node h100-oci
	configure ''
	judge
	sim unplug mlx5_3/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck mlx5_3 1 false EXECUTE_REMEDIATION' ]
	[ "$(store_only_after unplug mlx5_4/1)" = 'EthernetStateCheck mlx5_4 1 false STORE_ONLY' ]
	[ "$(store_only_after up mlx5_3/1)" = 'EthernetStateCheck mlx5_3 1 true EXECUTE_REMEDIATION' ]
	# Until nothing is open, any report may be one of those.
	store_only_after up mlx5_4/1
	[ "$(store_only_after unplug mlx5_4/1)" = 'EthernetStateCheck mlx5_4 1 false STORE_ONLY' ]
	[ "$(store_only_after up mlx5_4/1)" = 'EthernetStateCheck mlx5_4 1 true STORE_ONLY' ]
}

@test "a boot clears what receivers acted upon for them, whatever --strategy is by then" {
	node h100-oci
	configure ''
	judge
	sim unplug mlx5_3/1
	judge
	sim reboot
	judge --strategy STORE_ONLY
	[ "$(grep -c '"errorCode":\[\].*"EXECUTE_REMEDIATION"' "$T/said")" -ge 2 ]
	[ "$(grep -c '"isHealthy":true.*"STORE_ONLY"' "$T/said")" -eq 1 ]
	grep '"isHealthy":true.*"STORE_ONLY"' "$T/said" | grep -q NICPollStallCheck
	judge --strategy STORE_ONLY
	sim reboot
	judge --strategy STORE_ONLY
	[ "$(grep -c EXECUTE "$T/said")" -eq 0 ]
}

@test "a card has the vendor of its NICs" {
	node h100-oci
	sim unplug mlx5_3/1
	start_with '[amd]'
	diff <(strategies | grep false) - <<-'END'
		EthernetStateCheck 0000:2a:00 false STORE_ONLY
		EthernetStateCheck mlx5_3 1 false STORE_ONLY
	END
}

@test "planes have the vendor of their NIC" {
	export NODE=$T/node
	nicsim "$NODE" create "$ROOT/test/replay/platforms/multi-plane.json"
	start_with '[amd]'
	sim down smi0/3
	judge
	[ "$(strategies)" = 'InfiniBandStateCheck smi0 3 false STORE_ONLY' ]
	configure ''
	sim up smi0/3
	judge
	sim down smi0/3
	judge
	[ "$(strategies)" = 'InfiniBandStateCheck smi0 3 false EXECUTE_REMEDIATION' ]
	configure 'vendors: [amd]'
	judge
	sim up smi0/3
	judge
	[ "$(strategies)" = 'InfiniBandStateCheck smi0 3 true EXECUTE_REMEDIATION' ]
}

@test "faults of NVIDIA and Amazon NICs are remediated unless the configuration excludes the vendor" {
	local device
	for device in dgx-h100:mlx5_3 aws-p5:rdmap79s0; do
		node "${device%:*}" "${device%:*}"
		configure ''
		rm -f "$T/state"
		judge
		sim remove "${device#*:}"
		judge
		judge
		judge
		[ "$(strategies | cut -d ' ' -f 2-)" = "${device#*:} false EXECUTE_REMEDIATION" ]
	done
}

@test "faults of a device that the inclusion override names are remediated, whatever its vendor" {
	look_at mi300x-bnxt
	sed -i 's/bnxt_en/qede/' "$NODE/sys/bus/pci/devices/0000:24:00.0/uevent"
	configure 'nicInclusionRegexOverride: "^bnxt_re1$"'
	judge
	sim unplug bnxt_re1/1
	judge
	[ "$(strategies)" = 'EthernetStateCheck bnxt_re1 1 false EXECUTE_REMEDIATION' ]
	configure ''
	rm "$T/state"
	judge
	sim up bnxt_re1/1
	judge
	[ "$(strategies)" = '' ]
}

# breaches DEVICE FILE N - evaluate a scan with that counter N higher; print the codes of the
# breaches
breaches() {
	sim add "$1/1" "hw_counters/$2" "$3"
	judge
	jq -r 'select(.isHealthy | not) | .errorCode[0]' "$T/said"
}

@test "of each vendor's counters those with the meaning of an NVIDIA counter are evaluated" {
	local device file name node
	configure '{counterDetection: {counters: [{name: bnxt_max_retry_exceeded, enabled: true}, {name: ionic_retry_exceeded, enabled: true}]}}'
	while read -r node device file name; do
		[ "$NODE" = "$T/$node" ] || {
			look_at "$node"
			rm -f "$T/state"
			judge
		}
		[ "$(breaches "$device" "$file" 1000000)" = "${name#-}" ]
	done <<-'END'
		mi300x-bnxt bnxt_re0 max_retry_exceeded bnxt_max_retry_exceeded
		mi300x-bnxt bnxt_re0 rnr_naks_rcvd -
		mi355x-ionic ionic_0 req_tx_retry_excd_err ionic_retry_exceeded
		mi355x-ionic ionic_0 rx_rdma_cnp_pkts -
		e810-storage irdma2 RetransSegs -
	END
}

@test "a counter for which the firmware has no value counts as absent" {
	look_at mi355x-ionic
	configure '{counterDetection: {counters: [{name: ionic_retry_exceeded, enabled: true}]}}'
	judge
	sim set ionic_0/1 hw_counters/req_tx_retry_excd_err 18446744073709551615
	judge
	[ "$(strategies)" = '' ]
	sim set ionic_0/1 hw_counters/req_tx_retry_excd_err 1
	judge
	[ "$(strategies)" = 'EthernetStateCheck ionic_0 1 false STORE_ONLY' ]
}

@test "of a NIC only its own vendor's configured counters are read" {
	look_at mi300x-bnxt
	read_of() {
		jq -r --arg device "$1" 'select(.kind == "port" and .device == $device)
			| .hw_counters | keys | join(" ")'
	}
	[ "$(scan --counters configured | read_of bnxt_re0)" = 'oos_drop_count to_retransmits' ]
	node dgx-h100
	[ "$(scan --counters configured | read_of mlx5_0)" = \
		'local_ack_timeout_err out_of_sequence rnr_nak_retry_err roce_slow_restart' ]
}

@test "Intel's counters with blanks in their names are read, evaluated, kept over a restart and shown" {
	look_at e810-storage '.nics[].driver = "idpf"'
	configure '{counterDetection: {counters: [{name: irdma_out_of_order, earlyBreach: true}, {name: irdma_nak_seq_err, enabled: true, earlyBreach: true}, {name: irdma_implied_nak_seq_err, enabled: true, earlyBreach: true}, {name: irdma_rnr_sent, path: hw_counters/RNR sent, thresholdType: delta, threshold: 3}]}}'
	[ "$(scan --config "$T/config.yaml" | jq -r 'select(.kind == "port" and .device == "irdma2")
		| .hw_counters | keys | join(",")')" = \
		'Nak Sequence Error,Nak Sequence Error Implied,RNR sent,RTO,Rcvd Out of order packets' ]
	[ "$(scan --counters 'hw_counters/RNR sent , RTO' | jq -r 'select(.kind == "port" and
		.device == "irdma2") | .hw_counters | keys | join(",")')" = 'RNR sent,RTO' ]
	judge
	# The next run compares with the value that the last one stored.
	[ "$(breaches irdma2 'RNR sent' 4)" = irdma_rnr_sent ]
	[ "$(breaches irdma2 'Rcvd Out of order packets' 1000000)" = irdma_out_of_order ]
	[ "$(breaches irdma2 'Nak Sequence Error' 1000000)" = irdma_nak_seq_err ]
	[ "$(breaches irdma2 'Nak Sequence Error Implied' 1000000)" = irdma_implied_nak_seq_err ]
	scan | nicview | grep -q -F ' Nak Sequence Error=1000000 Nak Sequence Error Implied=1000000'
}

# check - run niccheck on the node without GPU metadata
check() {
	run --separate-stderr timeout 60 niccheck --sysfs-root "$NODE/sys" --metadata-path auto \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route" \
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --node-name n1 --settle 0s
}

# finds STATUS REGEX - check niccheck's exit code and first line
finds() {
	check
	status_is "$1"
	grep -q -E -- "$2" <<<"${lines[0]}" || { echo "$output" >&2; false; }
}

@test "niccheck finds each vendor's nodes healthy, and each single fault of a NIC" {
	[ ! -e "$FILE" ] || skip "this machine has $FILE"
	local node device pci
	while read -r node device pci; do
		look_at "$node"
		finds 0 '^n1: healthy: '
		sim unplug "$device/1"
		if [ "$node" = e810-storage ]; then
			# Nothing shows that a port is cabled that was never up.
			finds 0 '^n1: healthy: .* 2 up'
		else
			finds 1 "^n1: FATAL: RoCE port $device port 1: state DOWN"
		fi
		sim up "$device/1"
		sim remove "$device"
		if [ "$node" = e810-storage ]; then
			finds 0 '^n1: healthy: .*: 2 up'
		else
			finds 1 "^n1: FATAL: NIC $pci has no driver, and it is in the place of a GPU NIC on the PCI bus"
			scan | topoclass --sysfs-root "$NODE/sys" --route "$NODE/proc/net/route" \
				--route6 "$NODE/proc/net/ipv6_route" | nicview >"$T/table"
			grep -q -E "^!! $pci +- .*no driver bound$" "$T/table"
		fi
	done <<-'END'
		mi300x-bnxt bnxt_re3 0000:5e:00.0
		mi355x-ionic ionic_7 0000:e1:00.0
		e810-storage irdma2 -
	END
}

@test "nhm status shows each NIC of another vendor that lost its driver, even if none is left" {
	look_at mi300x-bnxt
	rm "$NODE/var/lib/nvsentinel/gpu_metadata.json"
	local device
	for device in "$NODE"/sys/class/infiniband/*; do
		echo "remove ${device##*/}"
	done >"$T/commands"
	mapfile -t commands <"$T/commands"
	sims "${commands[@]}"
	run --separate-stderr nhm --root "$NODE" status
	status_is 0
	[ "$(grep -c -E '^!! 0000:[0-9a-f]{2}:00\.0 .*no driver bound$' <<<"$output")" -eq 8 ]
}

@test "an unknown vendor exits 78 with the list of known vendors" {
	configure 'vendors: [nvidia, mellanox]'
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 78 "^ctreval: error: $T/config.yaml:1:19: unknown vendor \"mellanox\"; known: nvidia, amazon, amd, broadcom, intel$"
	configure 'vendors: amd'
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 78 "^ctreval: error: $T/config.yaml:1:10: "
	configure 'vendors: [intel, nvidia]'
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 0
	grep -qx 'vendors: \[nvidia, intel\]' <<<"$output"
	configure 'vendors: []'
	run --separate-stderr ctreval --check-config --config "$T/config.yaml"
	status_is 0
	grep -qx 'vendors: \[\]' <<<"$output"
}
