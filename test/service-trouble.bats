#!/usr/bin/env bats
# service-trouble: the whole service with a bad configuration, a hanging NIC, a full disk, an absent
# connector and very many NICs.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

# down_is_told DEVICE [SECONDS], up_is_told DEVICE [SECONDS] - take the port down, or up, and wait
# until the connector has the event
down_is_told() {
	local before
	before=$(told "$1" 'state DOWN')
	sim down "$1/1"
	wait_until "${2:-10}" told_more "$before" "$1" 'state DOWN'
}
up_is_told() {
	local before
	before=$(told "$1" 'healthy')
	sim up "$1/1"
	wait_until "${2:-10}" told_more "$before" "$1" 'healthy'
}
# told DEVICE REGEX - print how many events of its port match at the connector
told() { count_accepted "ort $1 port 1: $2"; }
told_more() { may_have_arrived $(($1 + 1)) "ort $2 port 1: $3" && [ "$(told "$2" "$3")" -gt "$1" \
	]; }

# pids NAME... - print the process ids of these stages
pids() {
	local name
	for name; do
		stage "$name" || return 1
	done
}

# --- the configuration ---

CONFIGURED=(ibscan logmatch topoclass ctreval)

# configure YAML - write the configuration
configure() { printf '%s\n' "$1" >"$T/config.yaml"; }
# are_replaced PIDS - return success if all stages but emit have other process ids now
are_replaced() {
	local now
	now=$(pids "${CONFIGURED[@]}") && [ -z "$(comm -12 <(sort <<<"$1") <(sort <<<"$now"))" ]
}

@test "a broken configuration is reported and the old one stays in force, even for a restarted stage" {
	local configured emit killed
	node l40s-onprem
	connect
	configure 'counterDetection: {counters: [{name: link_downed, enabled: false}]}'
	launch_service --config "$T/config.yaml"
	wait_until 20 all_delivered
	configured=$(pids "${CONFIGURED[@]}")
	emit=$(stage emit)

	configure $'counterDetection:\n  counters:\n    - {name: link_downed, enabled: maybe}\n    - {name: symbol_error, treshold: 3}'
	kill -HUP "$SERVICE"
	wait_until 10 says '^nic-health-monitor: error: SIGHUP: the configuration cannot be used: keeping the current configuration$'
	says "^nic-health-monitor: error: $T/config.yaml:3:[0-9]+: .*maybe"
	says "^nic-health-monitor: error: $T/config.yaml:4:[0-9]+: .*treshold"
	[ "$(pids "${CONFIGURED[@]}")" = "$configured" ]
	[ "$(stage emit)" = "$emit" ]
	# A stage that dies now restarts with the configuration in force.
	killed=$(stage ctreval)
	kill -KILL "$killed"
	sim add mlx5_1/1 counters/link_downed 1
	wait_until 10 stage_is_back ctreval "$killed"
	down_is_told mlx5_2
	up_is_told mlx5_2

	configured=$(pids "${CONFIGURED[@]}")
	configure 'counterDetection: {counters: [{name: port_xmit_wait, enabled: false}]}'
	kill -HUP "$SERVICE"
	wait_until 10 says '^nic-health-monitor: note: SIGHUP: configuration reloaded: restarting ibevent, ibscan, logmatch, topoclass, ctreval, correlate$'
	wait_until 10 are_replaced "$configured"
	down_is_told mlx5_3
	sim add mlx5_3/1 counters/link_downed 1
	wait_until 10 arrived 1 'mlx5_3 port 1: link_downed - Port'
	[ "$(stage emit)" = "$emit" ]
	stopped
	complete
	none_twice
	[ "$(accepted 'select(.errorCode == ["link_downed"]).message' | grep -c \
		-v '^Counter link_downed healthy after reboot')" -eq 1 ]
	# Only the killed stage has died.
	[ "$(grep -c ': warning: ' "$T/service.err")" -eq 1 ]
	[ "$(grep -c ': error: ' "$T/service.err")" -eq 3 ]
}

# evaluated_since N - return success if more than N scans were evaluated in total
evaluated_since() { [ "$(metric nic_health_monitor_scans_evaluated_total)" -gt "$1" ]; }

@test "a TOML file that is broken and then repaired is reloaded like a YAML file" {
	local configured scans
	node l40s-onprem
	connect
	echo 'nicExclusionRegex = "^mlx5_1$"' >"$T/config.toml"
	launch_service --config "$T/config.toml"
	wait_until 20 all_delivered
	echo 'nicExclusionRegex = ^mlx5_2$' >"$T/config.toml"
	kill -HUP "$SERVICE"
	wait_until 10 says '^nic-health-monitor: error: SIGHUP: the configuration cannot be used: keeping the current configuration$'
	says "^nic-health-monitor: error: $T/config.toml:1:21: "
	down_is_told mlx5_2

	configured=$(pids "${CONFIGURED[@]}")
	echo 'nicExclusionRegex = "^mlx5_3$"' >"$T/config.toml"
	# The content is valid, but another user may have written it.
	chmod 646 "$T/config.toml"
	kill -HUP "$SERVICE"
	wait_until 10 says "^nic-health-monitor: error: $T/config.toml: others may write to it \\(mode 0646\\): refusing to use it as the configuration$"
	chmod 644 "$T/config.toml"
	kill -HUP "$SERVICE"
	wait_until 10 says '^nic-health-monitor: note: SIGHUP: configuration reloaded: '
	wait_until 10 are_replaced "$configured"
	# A port that is down when first seen is not reported: wait until it was seen up.
	scans=$(metric nic_health_monitor_scans_evaluated_total)
	wait_until 10 evaluated_since "$((scans + 1))"
	# The configuration in force is the one that was accepted, not the file's current content.
	rm "$T/config.toml"
	down_is_told mlx5_1
	sim down mlx5_3/1
	down_is_told mlx5_4
	[ "$(told mlx5_3 'state DOWN')" -eq 0 ]
	stopped
}

# reloaded N - wait until N reloads are done in total. The service merges requests that arrive
# during a reload, which on a busy machine takes long enough for ports to go down and up.
reloaded() { wait_until 20 says '^nic-health-monitor: note: SIGHUP: configuration reloaded: ' "$1"; }

@test "reloads during port faults neither lose, repeat nor reorder events" {
	local round
	node l40s-onprem
	connect
	configure '{}'
	launch_service --config "$T/config.yaml"
	wait_until 20 all_delivered
	for round in 1 2 3 4; do
		sim down mlx5_1/1
		sim kmsg "$(complaint "$round")"
		kill -HUP "$SERVICE"
		sim down mlx5_2/1
		wait_until 20 told_more $((round - 1)) mlx5_1 'state DOWN'
		wait_until 20 told_more $((round - 1)) mlx5_2 'state DOWN'
		reloaded $((2 * round - 1))
		kill -HUP "$SERVICE"
		sim up mlx5_1/1
		sim up mlx5_2/1
		wait_until 20 told_more "$round" mlx5_1 healthy
		wait_until 20 told_more "$round" mlx5_2 healthy
		wait_until 20 arrived "$round" ENABLE_HCA
		reloaded $((2 * round))
	done
	wait_until 20 all_delivered
	stopped
	[ "$(grep -c 'SIGHUP: configuration reloaded' "$T/service.err")" -eq 8 ]
	complete
	none_twice
	# Each port has one more event, since its link went down for the third time.
	[ "$(told mlx5_1 '(state DOWN|healthy)')" -eq 9 ]
	[ "$(told mlx5_2 '(state DOWN|healthy)')" -eq 9 ]
	[ "$(told mlx5_1 flapping)" -eq 1 ]
	complaints_are 4
	none grep -E ': (warning|error): ' "$T/service.err"
}

# --- a NIC that hangs ---

# few_are_slow - return success if at most a fifth of all scans took more than a second
few_are_slow() {
	at_service /metrics | awk \
		-v bucket='nic_health_monitor_scan_duration_seconds_bucket{node="gpu-1",le=' '
		$1 == bucket "\"1\"}" { quick = $2 }
		$1 == bucket "\"+Inf\"}" { all = $2 }
		END { exit !(all > quick && all >= 5 * (all - quick)) }'
}

@test "a hanging NIC delays neither other NICs' events nor /healthz, and its hang and its end are reported" {
	local round
	node h100-oci
	connect
	launch_service
	wait_until 20 all_delivered
	wait_until 10 healthy
	sim hang mlx5_3/1 counters/link_downed
	wait_until 20 arrived 1 'NIC mlx5_3 cannot be read \(timeout\)'
	for round in 1 2 3 4 5; do
		down_is_told mlx5_4
		healthy
		up_is_told mlx5_4
	done
	# One scan waits 2 s for the NIC, not every scan.
	few_are_slow
	sim mend mlx5_3/1 counters/link_downed
	wait_until 10 arrived 1 'NIC mlx5_3 can be read again'
	healthy
	stopped
	complete
	[ "$(accepted 'select(.entitiesImpacted[0].entityValue == "mlx5_3" and .errorCode == ["nic_unreadable"]).message' | wc -l)" -eq 2 ]
}

# --- a renamed NIC ---

@test "a NIC renamed by udev has not disappeared, and its later faults have its new name" {
	node h100-oci
	connect
	launch_service
	wait_until 20 all_delivered
	sim rename mlx5_3 rocep42s0
	wait_until 10 says '^ctreval: note: NIC mlx5_3 \(0000:2a:00\.0\) was renamed to rocep42s0: '
	down_is_told mlx5_4
	up_is_told mlx5_4
	sim unplug rocep42s0/1
	wait_until 10 told_more 0 rocep42s0 'state DOWN'
	up_is_told rocep42s0
	wait_until 20 all_delivered
	healthy
	stopped
	complete
	none_twice
	# Only the two ports that were taken down have events, each once.
	[ "$(accepted 'select(.isHealthy | not) | [.isFatal, .entitiesImpacted[0].entityValue] | join(" ")')" = $'true mlx5_4\ntrue rocep42s0' ]
	none grep -E ': (warning|error): ' "$T/service.err"
}

# --- a full disk ---

disks_fail() {
	says '^ctreval: warning: .*/run/ctreval/state.json: .*: new state is lost if this process ends before it can be written again$' &&
		says '^emit: warning: spool .*: until it works again, events are kept in memory and delivered, but not acknowledged$'
}
disks_work() {
	says '^ctreval: note: .*/run/ctreval/state.json: can be written again$' &&
		says '^emit: note: spool .*: works again$'
}

@test "on a full disk events still arrive, and none is lost while the connector is down, even if emit is killed" {
	local server emit
	node l40s-onprem
	connect
	server=$PID
	small_disk
	launch_service
	wait_until 20 all_delivered
	full
	down_is_told mlx5_1
	wait_until 20 disks_fail
	up_is_told mlx5_1
	sim kmsg "$(complaint 1)"
	wait_until 10 arrived 1 "$(complaint 1 | sed 's/[()]/./g')"
	disconnect "$server"
	sim down mlx5_2/1
	sim kmsg "$(complaint 2)"
	wait_until 10 says 'emit: warning: sink .*: retrying'
	emit=$(stage emit)
	kill -KILL "$emit"
	wait_until 10 stage_is_back emit "$emit"
	sim down mlx5_3/1
	wait_until 10 says ': until it works again, events are kept in memory' 2
	roomy
	wait_until 30 disks_work
	wait_until 20 spooled 1 "message LIKE 'Port mlx5_3 port 1: state %, phys_state Disabled%'"
	connect
	wait_until 40 all_delivered
	stopped
	complete
	[ "$(told mlx5_1 .)" -eq 3 ]
	[ "$(told mlx5_2 'state DOWN')" -eq 1 ]
	[ "$(told mlx5_3 'state DOWN')" -eq 1 ]
	complaints_are 2
}

# --- an absent connector ---

LINES=300

@test "hundreds of events wait for an absent connector over a restart, and all arrive once and in order" {
	local number
	node l40s-onprem
	launch_service
	for ((number = 1; number <= LINES; number++)); do
		echo "0s kmsg \"$(complaint "$number")\""
		# Put the port faults between log lines, so that both sources have events.
		[ $((number % 100)) -ne 0 ] || echo "0s down mlx5_$((number / 100))/1"
	done >"$T/faults"
	sim run "$T/faults" --fast >"$T/done"
	wait_until 30 spooled "$LINES" "check_name = 'SysLogsNICDriverError'"
	wait_until 10 spooled 3 "message LIKE '%state %, phys_state Disabled%'"
	wait_until 10 acknowledged
	stopped
	says "^emit: note: sink grpc:unix://${CONNECTOR}: [0-9]+ events not delivered yet: kept in the spool$"
	launch_service
	sim up mlx5_1/1
	wait_until 10 spooled 2 "message LIKE '%mlx5_1 port 1: healthy%'"
	connect
	# The next attempt may be 30 s away.
	wait_until 60 all_delivered
	stopped
	complete
	none_twice
	complaints_are "$LINES"
	[ "$(told mlx5_1 .)" -eq 3 ]
}

# --- very many NICs ---

@test "with 512 NICs the baseline and one NIC's events arrive, and the service is healthy" {
	export NODE=$T/node
	nicsim --generate 512 >"$T/many.json"
	sim create "$T/many.json"
	connect
	launch_service --interval 1s
	down_is_told mlx5_300 30
	# On a busy machine a scan of so many NICs may take longer than /healthz allows.
	wait_until 20 healthy
	up_is_told mlx5_300 30
	sim add mlx5_511/1 counters/link_downed 1
	wait_until 30 arrived 1 'mlx5_511 port 1: link_downed - Port'
	wait_until 60 all_delivered
	wait_until 20 healthy
	stopped
	complete
	none_twice
	# On a busy machine a scan may miss one of so many NICs.
	scan_is_complete() {
		scan | classify >"$T/scan"
		jq -s -e 'last.complete' "$T/scan"
	}
	wait_until 60 scan_is_complete
	# All NICs have one, except virtual functions, management NICs and ports that are down from
	# the start.
	diff <(accepted 'select(.message
		| endswith("healthy (ACTIVE, LinkUp)")).entitiesImpacted[0].entityValue' | sort) \
		<((jq -r 'select(.kind == "port" and .monitored and .state == "ACTIVE").device' "$T/scan"
			echo mlx5_300) | sort) >&2
	[ "$(accepted 'select(.isHealthy | not).message' | wc -l)" -eq 2 ]
}

# --- the state's directories ---

@test "directories of the state that cannot be made at the start are made later, and the state and the acks are kept" {
	few l40s-onprem mlx5_1
	# As on a disk that is full: nothing can be made there yet.
	ln -s later "$T/run"
	launch_service --sink "file:$T/events"
	wait_until 20 says "^emit: warning: $T/run/emit/acks.json: .*: events are stored but not acknowledged$"
	mkdir "$T/later"
	wait_until 20 says "^emit: note: $T/run/emit/acks.json: can be written again$"
	wait_until 20 says "^ctreval: note: $T/run/ctreval/state.json: can be written again$"
	wait_until 20 says "^logmatch: note: $T/run/logmatch/logmatch.json: can be written again$"
	[ -s "$T/later/emit/acks.json" ]
	[ "$(stat -c %a "$T/later/ctreval")" = 750 ]
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
}

# --- health probes ---

@test "a flood of connections from this machine does not keep health probes from being answered" {
	local where number
	node l40s-onprem
	launch_service --sink "file:$T/events"
	wait_until 20 healthy
	where=$(sed -n 's/^nic-health-monitor: note: metrics: listening on //p' "$T/service.err")
	for number in 1 2; do started "flood.$number" "$ROOT/test/lib/flood" "$where"; done
	# Probe like kubelet, which gives up after three failures in a row: on a busy machine the
	# flood may come between a connection and its request.
	probe() { healthy || healthy || healthy; }
	for ((number = 0; number < 6; number++)); do
		probe || { echo "probe $number was not answered" >&2 && return 1; }
	done
	stopped
}

@test "a user who takes every connection slot does not crowd out another user, however slow that one is" {
	local where
	[ "$(id -u)" -eq 0 ] || skip "left out: nobody else can become another user"
	node l40s-onprem
	launch_service --sink "file:$T/events"
	wait_until 20 healthy
	where=$(sed -n 's/^nic-health-monitor: note: metrics: listening on //p' "$T/service.err")
	run --separate-stderr timeout 200 "$ROOT/test/lib/crowded" "$where" /healthz
	status_is 0
	[ "$output" = 'HTTP/1.1 200 OK' ]
	stopped
}
