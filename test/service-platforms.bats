#!/usr/bin/env bats
# service-platforms: the whole service on every platform, with GPU metadata and without: the
# Platform Connector gets the expected baseline and roles and a fault of a monitored port, and no
# fault of a management NIC.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
	load lib/platforms
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

# expected JQ-FILTER - print the filter's result for the platform's description
expected() { jq -c -r "$1" "$PLATFORMS/$NAME.json"; }

# roles_are_right [DEVICE] - check that the baseline has exactly the monitored devices with their
# roles; ignore DEVICE
roles_are_right() {
	diff <(jq -r -s --arg other "${1-}" '[.[]
		| select(any(.entitiesImpacted[]; .entityType == "NICPort"))
		| select(.entitiesImpacted[0].entityValue != $other)
		| "\(.entitiesImpacted[0].entityValue) \(.metadata.role)"]
		| unique[]' "$T/baseline") \
		<(expected '[.expected.classification | to_entries[]
			| select(.value.role == ("compute", "storage"))
			| "\(.key) \(.value.role)"] | unique[]') >&2
}

# counters_are_whole - check that each port in the baseline has each counter of its link layer as
# healthy, once. EFA adapters have six, and one more with an interface.
counters_are_whole() {
	jq -s -e '[.[] | select(.message | startswith("Counter "))
		| [(.checkName | sub("(State|Degradation)Check$"; "")),
		[.entitiesImpacted[].entityValue]]]
		| group_by(.[0]) | all(.[0][0] as $layer | group_by(.[1]) | map(length) | unique
		| if $layer == "EFA" then . == [6, 7] else length == 1 and .[0] > 10 end)' \
		"$T/baseline" >/dev/null
	jq -s -e '[.[] | select(.message | startswith("Counter "))
		| [.entitiesImpacted[].entityValue, .errorCode[0]]]
		| length == (unique | length)' "$T/baseline" >/dev/null
}

# fault CHECK - print the events of PORT going down and coming back, as the connector gets them,
# without time, id and metadata
fault() {
	local device=${PORT%/*} port=${PORT#*/} words=Port phys=Disabled more=''
	[[ $1 != Ethernet* ]] || words='RoCE port'
	[[ $1 != EFA* ]] || words='EFA port' phys=LinkDown
	[ "$words" = Port ] || more=", operstate down ($(expected \
		".nics[] | select(.device == \"$device\").netdev"))"
	jq -n -c --arg check "$1" --arg device "$device" --arg port "$port" --arg text \
		"$words $device port $port: " --arg phys "$phys" --arg more "$more" '
		{agent: "nic-health-monitor", componentClass: "NIC", checkName: $check,
		nodeName: "gpu-1", processingStrategy: "EXECUTE_REMEDIATION",
		errorCode: ["port_state"],
			entitiesImpacted: [{entityType: "NIC", entityValue: $device},
			{entityType: "NICPort", entityValue: $port}]} |
		. + {isFatal: true, isHealthy: false, recommendedAction: "REPLACE_VM",
		message: ($text + "state DOWN, phys_state " + $phys + $more)},
		. + {isFatal: false, isHealthy: true, recommendedAction: "NONE",
		message: ($text + "healthy (ACTIVE, LinkUp)")}' | jq -c -S .
}

# since_baseline - print the events after it
since_baseline() {
	accepted | tail -n "+$(($(wc -l <"$T/baseline") + 1))"
}

# after_baseline N - return success if at least N events followed it
after_baseline() { may_have_arrived $(($(wc -l <"$T/baseline") + $1)) '^{"kind": "event",' &&
	[ "$(since_baseline | wc -l)" -ge "$1" ]; }

# watched OPTION... - start the service and wait until it has delivered the baseline
watched() {
	connect
	launch_service "$@"
	wait_until 20 all_delivered
	accepted >"$T/baseline"
}

# tells_of_a_fault [DEVICE] - check that a port that goes down and comes back makes one event each,
# and that management NICs, except DEVICE, make none
tells_of_a_fault() {
	# Start with the management NICs: when the port's events arrive, theirs would have, too.
	local management
	for management in $(expected \
		'.expected.classification | to_entries[] | select(.value.role == "management").key'); do
		[ "$management" != "${1-}" ] || continue
		sim down "$management/1"
		sim add "$management/1" counters/link_downed 1
	done
	read -r PORT CHECK < <(expected \
		'.expected.checks | to_entries[] | "\(.value.first_poll.healthy_ports[]) \(.key)"')
	sim down "$PORT"
	wait_until 10 after_baseline 1
	sim up "$PORT"
	wait_until 10 after_baseline 2
	stopped
	complete
	none_twice
	diff <(since_baseline | jq -c -S 'del(.id, .version, .generatedTimestamp, .metadata)') \
		<(fault "$CHECK") >&2
	[ "$(since_baseline | jq -r .metadata.role | sort -u)" = \
		"$(expected ".expected.classification[\"${PORT%/*}\"].role")" ]
	none grep -E ': (warning|error): ' "$T/service.err"
}

# works PLATFORM - check the platform with GPU metadata
works() {
	NAME=$1
	node "$NAME"
	watched
	compare_first_scan "$NAME" \
		clear,healthy_ports,healthy_cards,fatal_cards,port_events,suppressed_ports \
		"$T/baseline" "$T/service.err"
	roles_are_right
	counters_are_whole
	tells_of_a_fault
}

# works_without_metadata PLATFORM - check the platform with roles from its PCI bus
works_without_metadata() {
	NAME=$1
	local other='' metadata
	# The matrix of a Grace node has SYS for devices of one NUMA node, and only this tells that
	# its BlueField is for management.
	[ "$NAME" != gb200-nvl4 ] || other=roceP22p3s0
	node "$NAME"
	metadata=$NODE/var/lib/nvsentinel/gpu_metadata.json
	rm "$metadata"
	watched --metadata "auto:$metadata"
	[ "$(grep -c "note: no $metadata: taking the places of the GPUs from the PCI bus$" \
		"$T/service.err")" = 1 ]
	roles_are_right "$other"
	tells_of_a_fault "$other"
}

@test "every platform has its tests in this file" {
	diff <(every_platform) <(sed -n 's/^@test ".*{ works \([^;]*\); }$/\1/p' \
		"$BATS_TEST_FILENAME" | sort)
	diff <(every_platform) <(sed -n \
		's/^@test ".*{ works_without_metadata \([^;]*\); }$/\1/p' \
		"$BATS_TEST_FILENAME" | sort)
}

@test "a100-oci: baseline, roles, a fault and its recovery; no event about the management NICs" { works a100-oci; }
@test "aws-p5: EFA adapters with and without an interface: baseline, roles, a fault and its recovery" { works aws-p5; }
@test "dgx-a100: baseline, roles, a fault and its recovery; no event about the management NICs" { works dgx-a100; }
@test "dgx-h100: InfiniBand and Ethernet on one node: baseline, roles, a fault and its recovery" { works dgx-h100; }
@test "gb200-nvl4: NIC names other than mlx5_N: baseline, roles, a fault and its recovery; no event about the management NICs" { works gb200-nvl4; }
@test "h100-oci: baseline, roles, a fault and its recovery; no event about the management NIC" { works h100-oci; }
@test "h100-oci-one-port-down: a card faulty from the start: baseline, roles, a fault and its recovery; no event about the management NIC" { works h100-oci-one-port-down; }
@test "l40s-oci: storage NICs only: baseline, roles, a fault and its recovery; no event about the management NIC" { works l40s-oci; }
@test "l40s-onprem: baseline, roles, a fault and its recovery; no event about the management NIC" { works l40s-onprem; }
@test "l40s-onprem-polling: a port polling from the start: baseline, roles, a fault and its recovery; no event about the management NIC" { works l40s-onprem-polling; }
@test "a100-oci without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata a100-oci; }
@test "aws-p5 without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata aws-p5; }
@test "dgx-a100 without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata dgx-a100; }
@test "dgx-h100 without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata dgx-h100; }
@test "gb200-nvl4 without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata gb200-nvl4; }
@test "h100-oci without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata h100-oci; }
@test "h100-oci-one-port-down without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata h100-oci-one-port-down; }
@test "l40s-oci without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata l40s-oci; }
@test "l40s-onprem without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata l40s-onprem; }
@test "l40s-onprem-polling without metadata: the PCI bus gives the same roles, a fault and its recovery" { works_without_metadata l40s-onprem-polling; }
