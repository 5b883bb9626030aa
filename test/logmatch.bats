#!/usr/bin/env bats
# logmatch: its events, their data from sysfs, its options and its configuration.
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2034 # finds() reads SHOW

load lib/common
load lib/logmatch

FATAL="mlx5_core 0000:18:00.0: poll_health:833:(pid 0): device's health compromised - reached miss count"

# log TEXT... - write each TEXT as a line of $BATS_TEST_TMPDIR/log
log() { printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/log"; }

# find_here [OPTION]... - run logmatch on that log, with the simulated sysfs if there is one
find_here() { find_in "$BATS_TEST_TMPDIR/log" --sysfs-root "${SYS:-$BATS_TEST_TMPDIR}" "$@"; }

@test "an event is a HealthEvent with every field of the contract" {
	functions
	log "[  665.123456] $FATAL"
	find_here --node n1
	status_is 0
	[ -z "$stderr" ]
	jq -e --arg s "$(jq -r .source <<<"$output")" --arg m "$FATAL" \
		'. == {kind: "event", id: "\($s)-1", version: 1, agent: "syslog-health-monitor",
		componentClass: "NIC", checkName: "SysLogsNICDriverError", isFatal: true,
		isHealthy: false, message: $m, recommendedAction: "REPLACE_VM",
		errorCode: ["health_poll_failed"],
		entitiesImpacted: [{entityType: "NIC", entityValue: "mlx5_0"}],
		metadata: {evidence: "text", pci: "0000:18:00.0", card: "0000:18:00"},
		generatedTimestamp: "2020-04-23T19:04:25.123456Z", nodeName: "n1",
		processingStrategy: "STORE_ONLY", source: $s, seq: 1}' <<<"$output"
	[[ "$(jq -r .source <<<"$output")" =~ ^[0-9a-f]{16}$ ]]
}

@test "the same log makes the same events, byte for byte" {
	log "[  665.123456] $FATAL" \
		"[  700.000000] mlx5_core 0000:18:00.1 eth0: TX timeout detected"
	find_here
	cp "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/first"
	find_here
	cmp "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/events"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/first")" -eq 2 ]
}

@test "events of a log file have the times of their lines, even if the newest lines come first" {
	log "[  700.000000] $FATAL" "[  665.000000] $FATAL"
	echo "[   10.000000] $FATAL" >"$BATS_TEST_TMPDIR/log.1"
	match --boot-time "$BOOT_TIME" --sysfs-root "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/log" \
		"$BATS_TEST_TMPDIR/log.1"
	SHOW='"\(.generatedTimestamp) \(.metadata.observed)"' finds \
		'2020-04-23T19:05:00.000000Z null' '2020-04-23T19:04:25.000000Z null' \
		'2020-04-23T18:53:30.000000Z null'
	# A log that is followed is delivered as it grows: receivers must not sort a later event
	# before an earlier one.
	printf '4,%s,-;%s\n SUBSYSTEM=pci\n DEVICE=+pci:0000:18:00.0\n' 0,700000000 "$FATAL" \
		1,10000000 "$FATAL" >"$BATS_TEST_TMPDIR/kmsg"
	mkfifo "$BATS_TEST_TMPDIR/pipe" && { cat "$BATS_TEST_TMPDIR/kmsg" \
		>"$BATS_TEST_TMPDIR/pipe" & }
	match --kmsg="$BATS_TEST_TMPDIR/pipe" --boot-time "$BOOT_TIME" \
		--sysfs-root "$BATS_TEST_TMPDIR"
	SHOW='"\(.generatedTimestamp) \(.metadata.observed)"' finds \
		'2020-04-23T19:05:00.000000Z null' \
		'2020-04-23T19:05:00.000001Z 2020-04-23T18:53:30.000000Z'
}

@test "severity, action and strategy of every pattern match logmatch --list" {
	functions
	# A recovery has the strategy of the fault that it ends: make it end none.
	cut -f 3 "$SAMPLES/samples.tsv" |
		sed 's/ 0000:18:00.0: health recovery succeeded/ 0000:19:00.0: health recovery succeeded/' >"$BATS_TEST_TMPDIR/log"
	find_here --trust-text
	diff <(logmatch --list | sed -n -E 's/^([a-z0-9_]+) \((core|extended), (.*)\)$/\1 \2 \3/p' |
		sed 's/fatal on a physical function/function/' | sort) \
		<({
			found '[.errorCode[0],
				(if .processingStrategy == "STORE_ONLY"
					then "extended" else "core" end),
				(if .metadata.function then "function"
					elif .isHealthy then "healthy"
					elif .isFatal then "fatal"
					else "non-fatal" end)] | join(" ")'
			logmatch --list | sed -n \
				-E 's/^(mlx5_[a-z_]*(lockup|stall|hung)) \((core|extended), (.*)\)$/\1 \3 \4/p'
		} | sort -u)
	[ "$(found 'select((.recommendedAction == "NONE") != .isHealthy
		and (.isFatal != (.recommendedAction == "REPLACE_VM"))).errorCode[0]' |
		wc -l)" -eq 0 ]
}

@test "an efa line names its adapter by address or by the name in the line; an ena line makes no event" {
	functions
	printf '%s: Admin queue is closed\n' 'efa 0000:4f:00.0 rdmap79s0' 'infiniband efa_0' \
		'efa 0000:18:00.0' 'ena 0000:4f:00.0' 'infiniband mlx5_0' 'infiniband rdmap99s0' |
		kmsg_records >"$BATS_TEST_TMPDIR/log"
	find_here
	# A device that now belongs to mlx5_core is no EFA adapter.
	SHOW='"\(.isFatal) \(.processingStrategy) \([.entitiesImpacted[].entityValue] | join(","))"' finds \
		'true STORE_ONLY rdmap79s0' 'true STORE_ONLY efa_0' 'true STORE_ONLY ' \
		'true STORE_ONLY rdmap99s0'
	# Text proves no more than that the adapter exists here.
	sed -n 's/^[^;]*;//p' "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/text"
	match --dedup-window 0 --sysfs-root "$SYS" "$BATS_TEST_TMPDIR/text"
	SHOW='"\(.isFatal) \([.entitiesImpacted[].entityValue] | join(","))"' finds \
		'true rdmap79s0' 'true efa_0' 'false ' 'false rdmap99s0'
}

@test "messages recorded from mlx5_core of Linux 6.1 and 6.12 match once each, with the address" {
	local series
	for series in 6.1 6.12; do
		match --format kmsg --boot-time "$BOOT_TIME" --sysfs-root "$BATS_TEST_TMPDIR" \
			"$SAMPLES/mlx5-$series.kmsg"
		SHOW='.errorCode[0] + " " + .metadata.pci' finds 'fatal_sensor 0000:00:06.0' \
			'health_issue 0000:00:06.0' 'health_issue_fatal 0000:00:06.0' \
			'fw_syndrome_fatal 0000:00:06.0' \
			'init_one_failed 0000:00:06.0' 'probe_failed 0000:00:06.0' \
			'health_poll_failed 0000:00:07.0' 'cmd_exec_timeout 0000:00:07.0' \
			'init_one_failed 0000:00:07.0' \
			'probe_failed 0000:00:07.0'
		# No part of the records counts as a stray line.
		none grep -q skipped <<<"$stderr"
	done
	# The two versions word two of them differently.
	none grep -F 'probe with driver' "$SAMPLES/mlx5-6.1.kmsg"
	none grep -F 'probe of' "$SAMPLES/mlx5-6.12.kmsg"
}

# --- sysfs ---

@test "the NIC is named by its RDMA device, else by its interface" {
	functions
	SHOW='[.entitiesImpacted[] | .entityType + "=" + .entityValue] + [.metadata.pci] | join(" ")'
	log "$FATAL"
	find_here
	finds "NIC=mlx5_0 0000:18:00.0"
	rm -r "$SYS/bus/pci/devices/0000:18:00.0/infiniband"
	find_here
	finds "NIC=ibp24s0f0 0000:18:00.0"
	rm -r "$SYS/bus/pci/devices/0000:18:00.0/net"
	find_here
	finds "0000:18:00.0"
}

@test "without the driver, the function or sysfs the event is still written and names no NIC" {
	functions
	SHOW='"\(.isFatal) \(.entitiesImpacted) \(.metadata.pci)"'
	log "$FATAL"
	ln -sfn "$SYS/bus/pci/drivers/nvme" "$SYS/bus/pci/devices/0000:18:00.0/driver"
	find_here
	finds "true [] 0000:18:00.0"
	rm "$SYS/bus/pci/devices/0000:18:00.0"
	find_here
	finds "true [] 0000:18:00.0"
	find_here --sysfs-root "$BATS_TEST_TMPDIR/none"
	status_is 0 'none: No such file or directory: events will name no NIC'
	finds "true [] 0000:18:00.0"
	log "NETDEV WATCHDOG: ens108np0 (mlx5_core): transmit queue 3 timed out"
	find_here
	finds "false [] null"
}

@test "on a simulated node an event names the NIC until it is removed" {
	local pci
	node h100-oci
	pci=$(basename "$(readlink -f "$NODE/sys/class/infiniband/mlx5_0/device")")
	SHOW='.metadata.pci + " " + (.entitiesImpacted[0].entityValue // "-")'
	log "mlx5_core $pci: health recovery failed"
	find_here --sysfs-root "$NODE/sys"
	finds "$pci mlx5_0"
	sim remove mlx5_0
	find_here --sysfs-root "$NODE/sys"
	finds "$pci -"
}

@test "a driver that failed to initialize is fatal on a physical function only" {
	local text
	functions
	ln -s "$SYS/devices/pci0000:17/0000:17:01.0/0000:18:00.0" \
		"$SYS/bus/pci/devices/0000:18:00.1/physfn"
	SHOW='"\(.errorCode[0]) \(.isFatal) \(.metadata.function)"'
	for text in "init_one:1371:(pid 8): mlx5_load_one failed with error code -22" \
		"probe with driver mlx5_core failed with error -110" \
		"wait_fw_init:199:(pid 512): Firmware over 2000 MS in initializing state, aborting"; do
		log "mlx5_core 0000:18:00.0: $text" "mlx5_core 0000:18:00.1: $text" \
			"mlx5_core 0000:77:00.0: $text"
		find_here
		[ "$(found '"\(.isFatal) \(.metadata.function)"' | xargs)" \
			= "true PF false VF false unknown" ]
	done
}

@test "PCIe errors count only at a NIC or at a port above one" {
	functions
	SHOW='.metadata.pci + " " + ([.entitiesImpacted[].entityValue] | join(","))'
	log "pcieport 0000:17:01.0: AER: device recovery failed" \
		"pcieport 0000:27:01.0: AER: device recovery failed" \
		"nvme 0000:28:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)" \
		"mlx5_core 0000:18:00.1: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)" \
		"pcieport 0000:99:01.0: DPC: containment event, status:0x1f0b source:0x1800" \
		"AER: device recovery failed"
	find_here
	finds "0000:17:01.0 mlx5_0,mlx5_1" "0000:18:00.1 mlx5_1"
	find_here --sysfs-root "$BATS_TEST_TMPDIR/none"
	finds
}

# --- patterns and options ---

@test "disabled patterns make no events, and each pattern can have its own strategy" {
	cat >"$BATS_TEST_TMPDIR/c.yaml" <<-'END'
		nicDriverDetection:
		  patterns:
		    - {name: recovery_failed, enabled: false}
		    - {name: mlx5_tx_timeout_detected, processingStrategy: STORE_ONLY}
		    - {name: recovery_aborted, processingStrategy: EXECUTE_REMEDIATION}
		    - {name: mlx5_napi_soft_lockup, enabled: false}
	END
	log "$FATAL" "mlx5_core 0000:18:00.0: health recovery failed" \
		"mlx5_core 0000:18:00.0 eth0: TX timeout detected" \
		"mlx5_core 0000:18:00.0: health recovery flow aborted since" \
		"mlx5_core 0000:18:00.0: NIC IFC still 7 after 60000ms." \
		"watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [a:1]" \
		" mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]"
	SHOW='.errorCode[0] + " " + .processingStrategy'
	find_here --config "$BATS_TEST_TMPDIR/c.yaml" --strategy STORE_AND_ANALYSE --trust-text
	status_is 0
	finds "health_poll_failed STORE_AND_ANALYSE" "mlx5_tx_timeout_detected STORE_ONLY" \
		"recovery_aborted EXECUTE_REMEDIATION" "nic_ifc_stuck STORE_ONLY"
}

@test "--patterns accepts names, core, extended and all" {
	local wanted
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >"$BATS_TEST_TMPDIR/log"
	find_here --patterns module_unplugged,netdev_watchdog
	diff <(found | sort -u) <(printf '%s\n' module_unplugged netdev_watchdog)
	find_here --patterns core
	diff <(found | sort -u) <(logmatch --list | sed -n 's/ (core,.*//p' | grep -v lockup | sort)
	for wanted in all core,extended " core ,, extended,"; do
		find_here --patterns "$wanted"
		[ "$(found | wc -l)" -eq "$(wc -l <"$SAMPLES/samples.tsv")" ]
	done
	find_here --patterns extended,access_reg_failed
	diff <(found | grep -c access_reg_failed) <(echo 2)
	diff <(found | grep -c cmd_exec_timeout) <(echo 0)
}

# The order of the list decides which pattern a line belongs to, and no other pattern gets the line
# when that one is disabled.
@test "the first pattern in the list wins, and no other pattern gets its lines when it is disabled" {
	log "mlx5_core 0000:18:00.0: port_module:259:(pid 0): Port module event[error]: module 1, Cable error, High Temperature"
	find_here
	finds port_module_high_temp
	find_here --patterns extended
	finds
	find_here --patterns core
	finds port_module_high_temp
}

# Thorough: tools
@test "invalid options are rejected with 64" {
	local options
	match --patterns core,module_unpluged </dev/null
	status_is 64 "^logmatch: error: --patterns 'core,module_unpluged': unknown pattern \"module_unpluged\" \(did you mean \"module_unplugged\"\?\); known: core, extended, all, cmd_exec_timeout, "
	match --strategy STORE </dev/null
	status_is 64 "^logmatch: error: --strategy 'STORE': unknown strategy \"STORE\"; known: EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE"
	while read -r options; do
		# shellcheck disable=SC2086 # each line is a list
		match $options </dev/null
		echo "$options: $status $stderr" >&2
		status_is 64 '^logmatch: error: '
	done <<-'END'
		--patterns nosuch
		--patterns ,
		--patterns=
		--strategy NOW
		--acks a
		--kmsg=/dev/null file
		--kmsg=/dev/null --format journal
		--count --state s
		--format xml
		--dedup-window -1
		--dedup-window 8d
		--dedup-window x
		--now yesterday
		--boot-time 1970
		--node=
		--state=
		--kmsg=
		--nosuch
	END
	match --node "$(printf '%0300d' 0)" </dev/null
	status_is 64
}

@test "help, version, pattern list and configuration go to stdout" {
	match --help
	status_is 0
	grep -q -- --dedup-window <<<"$output"
	match --version
	status_is 0
	match --list
	status_is 0
	[ "$(grep -c -E '^[a-z0-9_]+ \((core|extended), ' <<<"$output")" -ge 38 ]
	match --check-config
	status_is 0
	grep -q nicDriverDetection <<<"$output"
	match --list >/dev/null
	run --separate-stderr bash -c 'logmatch --list >/dev/full'
	status_is 74 'stdout: No space left on device'
}

@test "a missing or unreadable file and a directory are reported, and other files are still read" {
	log "$FATAL"
	match "$BATS_TEST_TMPDIR/none"
	status_is 66 'none: No such file or directory'
	match "$BATS_TEST_TMPDIR/none" "$BATS_TEST_TMPDIR/log"
	status_is 66 'none: No such file or directory'
	finds health_poll_failed
	match "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR" \
		- < <(echo "mlx5_core 0000:18:00.0: health recovery failed")
	[ "$status" -ne 0 ]
	stderr_has ': Is a directory'
	finds health_poll_failed recovery_failed
	match --kmsg="$BATS_TEST_TMPDIR/none"
	status_is 66
	match --kmsg="$BATS_TEST_TMPDIR"
	status_is 66
	match --config "$BATS_TEST_TMPDIR/none"
	status_is 66
	chmod 000 "$BATS_TEST_TMPDIR/log"
	run --separate-stderr setpriv --bounding-set=-dac_override,-dac_read_search \
		--inh-caps=-all logmatch "$BATS_TEST_TMPDIR/log"
	status_is 77 'log: Permission denied'
}

@test "a configuration with mistakes exits 78, and each mistake is reported with its position" {
	echo 'nicDriverDetection: {patterns: [{name: nosuch}, {name: netdev_watchdog, severity: fatal}]}' >"$BATS_TEST_TMPDIR/c.yaml"
	match --config "$BATS_TEST_TMPDIR/c.yaml" </dev/null
	status_is 78 'c.yaml:1:[0-9]+: unknown pattern "nosuch"'
	stderr_has 'c.yaml:1:[0-9]+: .*severity'
}

@test "the configuration sets the path of sysfs unless --sysfs-root does" {
	functions
	mkdir "$BATS_TEST_TMPDIR/empty"
	echo "sysClassNetPath: $SYS/class/net" >"$BATS_TEST_TMPDIR/c.yaml"
	echo "mlx5_core 0000:18:00.0: device's health compromised - reached miss count" \
		>"$BATS_TEST_TMPDIR/log"
	match --config "$BATS_TEST_TMPDIR/c.yaml" "$BATS_TEST_TMPDIR/log"
	SHOW='.entitiesImpacted[0].entityValue' finds mlx5_0
	match --config "$BATS_TEST_TMPDIR/c.yaml" --sysfs-root "$BATS_TEST_TMPDIR/empty" \
		"$BATS_TEST_TMPDIR/log"
	SHOW='.entitiesImpacted | length' finds 0
}

@test "--count prints how often each pattern matched, repeats included, and no events" {
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >"$BATS_TEST_TMPDIR/log"
	cat "$BATS_TEST_TMPDIR/log" "$SAMPLES/near-misses.txt" "$BATS_TEST_TMPDIR/log" \
		>"$BATS_TEST_TMPDIR/twice"
	match --count --sysfs-root "$SYS" "$BATS_TEST_TMPDIR/twice"
	status_is 0
	diff <(cut -f 1 "$SAMPLES/samples.tsv" | sort | uniq -c | awk '{ print $2, 2 * $1 }' |
		sort) <(sort <<<"$output")
	match --count </dev/null
	status_is 0
	[ -z "$output" ]
}
