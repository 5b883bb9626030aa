#!/usr/bin/env bats
# logmatch-standing: the state file lists the standing faults, and every receiver agrees with it.
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2034 # finds() reads SHOW

load lib/common
load lib/logmatch

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	boot 1
	BOOTED=$BOOT_TIME
	STRATEGY=EXECUTE_REMEDIATION
}

A=0000:18:00.0 B=0000:18:00.1 C=0000:3a:00.0

# boot N - set the kernel's boot id
boot() { echo "0000000$1-0000-4000-8000-000000000000" >boot_id; }

# follow [OPTION]... - run logmatch with its state on a kernel log made of the lines on stdin, to
# its end
follow() {
	kmsg_records 0 >log
	follow_on "$@"
}

# follow_on [OPTION]... - run it on the existing log
follow_on() {
	rm -f pipe && mkfifo pipe && { cat log >pipe & }
	match --kmsg=pipe --state state.json --boot-id-file boot_id --boot-time "$BOOTED" \
		--sysfs-root "${SYS:-.}" "$@"
}

poll_failed() { echo "mlx5_core $1: poll_health:833:(pid 0): device's health compromised - reached miss count"; }
sensor() { echo "mlx5_core $1: poll_health:802:(pid 0): Fatal error 1 detected"; }
power() { echo "mlx5_core $1: Detected insufficient power on the PCIe slot (27W)."; }
recovery() { echo "mlx5_core $1: health recovery succeeded"; }
rename_nic() { mv "$SYS/bus/pci/devices/$1/infiniband"/* "$SYS/bus/pci/devices/$1/infiniband/$2"; }

SHORT='[(if .isHealthy then "healthy" elif .isFatal then "fatal" else "note" end),
	(.entitiesImpacted | map(.entityValue) | join("+")), (.errorCode | join(",")),
	.processingStrategy] | join(" ")'
SAID='[(if .isHealthy then "healthy" elif .isFatal then "fatal" else "note" end),
	(.entitiesImpacted | map(.entityValue) | join("+")), (.errorCode | join(","))] | join(" ")'

# stands LINE... - check that exactly these stand in the state file: severity, NICs, pattern
stands() {
	diff <(jq -r '.memory.standing[] | [(if .fatal then "fatal" else "note" end),
		(.nics | join("+")), .pattern]
		| join(" ")' state.json) <([ $# -eq 0 ] || printf '%s\n' "$@")
}

# --- baselines ---

@test "after a boot, one baseline reset clears earlier faults, before other events and with an older time" {
	{ poll_failed "$A" && power "$C"; } | follow_lines
	stands "fatal  health_poll_failed" "note  pci_power_insufficient"
	boot 2
	BOOTED=2020-04-24T00:00:00Z
	follow < <(poll_failed "$C")
	status_is 0
	SHOW=$SHORT finds "healthy   EXECUTE_REMEDIATION" \
		"fatal  health_poll_failed EXECUTE_REMEDIATION"
	jq -e -s --arg s "$(jq -r .source state.json)" \
		'.[0] == {kind: "event", id: "\($s)-4", version: 1, agent: "syslog-health-monitor",
			componentClass: "NIC",
		checkName: "SysLogsNICDriverError", isFatal: false, isHealthy: true,
		message: "Baseline reset: earlier conditions of SysLogsNICDriverError on this node are cleared", recommendedAction: "NONE", errorCode: [],
		entitiesImpacted: [], metadata: {},
		generatedTimestamp: "2020-04-24T00:00:00.000000Z", nodeName: .[1].nodeName,
		processingStrategy: "EXECUTE_REMEDIATION", source: $s, seq: 4}
		and .[1].generatedTimestamp > .[0].generatedTimestamp' events
	stands "fatal  health_poll_failed"
	# This happens once in a boot, even if the log is silent.
	follow_on
	[ -z "$output" ]
	boot 3
	BOOTED=2020-04-25T00:00:00Z
	follow </dev/null
	SHOW=$SHORT finds "healthy   EXECUTE_REMEDIATION"
	stands
}

# follow_lines - as follow, for use at the end of a pipe
follow_lines() { kmsg_records 0 >log && follow_on; }

@test "a node without a state file begins with a baseline reset, as another program may have watched it" {
	follow < <(poll_failed "$A")
	SHOW=$SHORT finds "healthy   EXECUTE_REMEDIATION" \
		"fatal  health_poll_failed EXECUTE_REMEDIATION"
}

# Thorough: tools
@test "without a reason for a baseline reset there is none" {
	# Without --state nothing is remembered, by intent.
	kmsg_records 0 < <(poll_failed "$A") >log
	rm -f pipe && mkfifo pipe && { cat log >pipe & }
	match --kmsg=pipe --boot-id-file boot_id --sysfs-root .
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
	# A log read from stdin is not this boot's.
	match --state other.json --boot-id-file boot_id --sysfs-root . \
		- < <(poll_failed "$A" | kmsg_records)
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
	# A state file that is invalid may have had standing faults of this boot.
	echo 'not JSON' >state.json
	follow_on
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
	# The same boot continues.
	follow_on
	[ -z "$output" ]
	# An unknown boot id does not mean another boot.
	: >boot_id
	follow_on
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
	boot 1
	follow_on
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
	stands "fatal  health_poll_failed"
	# The configuration can disable the reset.
	boot 2
	echo 'baseline: {clearCheck: false}' >config.yaml
	follow_on --config config.yaml
	SHOW=$SHORT finds "fatal  health_poll_failed EXECUTE_REMEDIATION"
}

@test "a log that cannot be read clears nothing" {
	match --kmsg=none --state state.json --boot-id-file boot_id --sysfs-root .
	status_is 66
	[ -z "$output" ]
	follow < <(poll_failed "$A")
	SHOW=$SHORT finds "healthy   EXECUTE_REMEDIATION" \
		"fatal  health_poll_failed EXECUTE_REMEDIATION"
}

@test "a baseline reset has the strongest strategy of the earlier events" {
	follow --strategy STORE_AND_ANALYSE < <(poll_failed "$A")
	SHOW=$SHORT finds "healthy   STORE_AND_ANALYSE" \
		"fatal  health_poll_failed STORE_AND_ANALYSE"
	boot 2
	follow --strategy STORE_ONLY </dev/null
	SHOW=$SHORT finds "healthy   STORE_AND_ANALYSE"
	boot 3
	follow --strategy STORE_ONLY </dev/null
	SHOW=$SHORT finds "healthy   STORE_ONLY"
}

@test "standing faults are kept while the boot id is unknown" {
	follow < <(poll_failed "$A" && poll_failed "$C")
	: >boot_id
	follow </dev/null
	stands "fatal  health_poll_failed" "fatal  health_poll_failed"
	boot 1
	follow < <(recovery "$A" && recovery "$C")
	stands
}

@test "an older version's state is completed from the log, and its unacknowledged events are not lost" {
	follow < <(poll_failed "$A")
	jq -c '.memory.standing = [["0000:18:00.0", "health_poll_failed", .source + "-2", ""]]' \
		state.json >older
	mv older state.json
	echo "mlx5_core $A: health recovery succeeded" | kmsg_records 1 >>log
	follow_on
	[ -z "$stderr" ]
	SHOW=$SAID finds "fatal  health_poll_failed" \
		"healthy  recovery_succeeded,health_poll_failed"
	[ "$(jq -s '.[-1].seq' events)" -eq 4 ]
}

# --- recoveries ---

@test "a recovery names NICs as their faults did, even after a rename, in one event for each set of NICs" {
	functions
	follow < <(poll_failed "$A" && poll_failed "$B")
	SHOW=$SAID finds "healthy  " "fatal mlx5_0 health_poll_failed" \
		"fatal mlx5_1 health_poll_failed"
	rename_nic "$A" rdmap24s0
	kmsg_records 2 < <(sensor "$A" && power "$A") >>log
	follow_on
	rename_nic "$A" ibp24s0
	kmsg_records 4 < <(recovery "$A") >>log
	follow_on
	SHOW=$SAID finds "healthy mlx5_0 recovery_succeeded,health_poll_failed" \
		"healthy rdmap24s0 recovery_succeeded,fatal_sensor"
	stands "fatal mlx5_1 health_poll_failed" "note rdmap24s0 pci_power_insufficient"
	# A recovery from nothing clears nothing.
	kmsg_records 5 < <(recovery "$A") >>log
	follow_on
	SHOW=$SAID finds "healthy ibp24s0 recovery_succeeded"
}

@test "a recovery of a NIC without a name clears no fault of other NICs" {
	functions
	follow < <(poll_failed "$A" && poll_failed "$C" && recovery "$C")
	# The fault was reported without a name, and a healthy event without one would also clear
	# mlx5_0.
	SHOW=$SAID finds "healthy  " "fatal mlx5_0 health_poll_failed" "fatal  health_poll_failed" \
		"healthy $C recovery_succeeded,health_poll_failed"
	stands "fatal mlx5_0 health_poll_failed" "fatal  health_poll_failed"
	kmsg_records 3 < <(recovery "$A") >>log
	follow_on
	# When the last named fault has ended, the unnamed one can be cleared.
	SHOW=$SAID finds "healthy mlx5_0 recovery_succeeded,health_poll_failed" \
		"healthy  recovery_succeeded,health_poll_failed"
	stands
}

@test "an older recovery clears no newer fault when the newest log file comes first" {
	functions
	echo "[ 2000.000000] $(poll_failed "$A")" >kern.log
	printf '[ 1%s.000000] %s\n' 000 "$(poll_failed "$A")" 060 "$(recovery "$A")" >kern.log.1
	match --boot-time "$BOOTED" --sysfs-root "$SYS" kern.log kern.log.1
	SHOW=$SAID finds "fatal mlx5_0 health_poll_failed" "fatal mlx5_0 health_poll_failed" \
		"healthy mlx5_0 recovery_succeeded"
	match --boot-time "$BOOTED" --sysfs-root "$SYS" kern.log.1 kern.log
	SHOW=$SAID finds "fatal mlx5_0 health_poll_failed" \
		"healthy mlx5_0 recovery_succeeded,health_poll_failed" "fatal mlx5_0 health_poll_failed"
}

@test "a recovery has the strategy of its fault even if the strategy has changed since" {
	functions
	follow < <(poll_failed "$A")
	kmsg_records 1 < <(recovery "$A") >>log
	follow_on --strategy STORE_ONLY
	SHOW=$SHORT finds "healthy mlx5_0 recovery_succeeded,health_poll_failed EXECUTE_REMEDIATION"
}

@test "switching a pattern off clears what it has reported" {
	functions
	follow < <(poll_failed "$A" && sensor "$A" && sensor "$B")
	echo 'nicDriverDetection: {patterns: [{name: fatal_sensor, enabled: false}]}' >config.yaml
	kmsg_records 3 < <(power "$A") >>log
	follow_on --config config.yaml
	diff <(found "$SHORT" | sort) - <<-END
	healthy mlx5_0 fatal_sensor STORE_ONLY
	healthy mlx5_1 fatal_sensor STORE_ONLY
	note mlx5_0 pci_power_insufficient EXECUTE_REMEDIATION
	END
	[ "$(jq -r 'select(.isHealthy).message' events | sort -u)" = \
		"No longer monitored: fatal_sensor" ]
	stands "fatal mlx5_0 health_poll_failed" "note mlx5_0 pci_power_insufficient"
	follow_on --config config.yaml
	[ -z "$output" ]
}

# Thorough: tools
@test "a fault that is not fatal stands for an hour of the log's time" {
	functions
	local at
	for at in 0 1 3599 3600; do
		rm -f state.json
		{ power "$A" | kmsg_records && printf '6,1,%d,-;ordinary\n' \
			$(((at + 1) * 1000000)); } >log
		follow_on
		if [ "$at" -lt 3600 ]; then
			stands "note mlx5_0 pci_power_insufficient"
		else
			stands
		fi
	done
	# On the running kernel, time goes on by itself. The machine may have booted a minute ago:
	# add two hours.
	rm -f state.json pipe && mkfifo pipe
	exec 7<>pipe
	started a unshare --map-root-user --time --monotonic 7200 --boottime 7200 --fork \
		--kill-child \
		logmatch --kmsg=pipe --state state.json --boot-id-file boot_id --sysfs-root "$SYS"
	printf '4,0,%.0f,-;%s\n SUBSYSTEM=pci\n DEVICE=+pci:%s\n' \
		"$(awk '{ print ($1 + 7200 - 3598) * 1000000 }' /proc/uptime)" "$(power "$A")" \
		"$A" >&7
	wait_until 20 has_lines 1 a.out pci_power_insufficient
	wait_until 20 has_lines 1 state.json '"standing":\[\{'
	wait_until 30 has_lines 1 state.json '"standing":\[\]'
	exec 7>&-
	ends_with 0 "$PID"
}

# Thorough: tools
@test "in random stories with kills, renames, boots and double deliveries, receivers agree with the state file" {
	run "$BATS_TEST_DIRNAME/lib/logstories" --stories "${NHM_LOG_STORIES:-60}" \
		${NHM_STORY_SEED:+--seed "$NHM_STORY_SEED"}
	echo "$output"
	[ "$status" -eq 0 ]
}
