#!/usr/bin/env bats
# A reload keeps nobody waiting, however long the new configuration takes to be read: here its disk
# hangs.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup_file() {
	load lib/hangs
	make_hangs
}

setup() {
	load lib/hangs
	load lib/service
	node l40s-onprem
	echo 'homogeneity: {settleSeconds: 7}' >"$DISK/config.yaml"
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	unhang
	nothing_left
}

# launch_here - the service, which sees the disk that hangs; and waits until it is well.
launch_here() {
	service_command --sink "file:$T/events" --config "$DISK/config.yaml"
	started service "${ON_HANGING[@]}" "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 30 says 'ctreval: note: counters available'
	wait_until 20 healthy
}

# checking - a configuration is read and tried. Its process is named for it.
checking() { stage check-config >/dev/null; }
not_checking() { none checking; }

# begin_check - on SIGHUP, and it does not end.
begin_check() {
	hang open
	kill -HUP "$SERVICE"
	wait_until 20 checking
}

LATE='^nic-health-monitor: error: SIGHUP: the configuration was not read and checked within 10 s: going on with the one in force$'
TAKEN='^nic-health-monitor: note: SIGHUP: configuration reloaded: restarting ibevent, ibscan, logmatch, topoclass, ctreval, correlate$'

@test "while a new configuration takes for ever to read, /healthz answers and dead stages are started again; after 10 s it is refused in one line, and the next one is accepted" {
	local killed
	launch_here
	begin_check
	killed=$(stage emit)
	kill -KILL "$killed"
	wait_until 20 stage_is_back emit "$killed"
	healthy
	wait_until 20 says "$LATE"
	wait_until 10 not_checking
	[ "$(metric 'nic_health_monitor_config_reloads_total{result="refused"}')" -eq 1 ]
	none says "$TAKEN"

	unhang
	kill -HUP "$SERVICE"
	wait_until 20 says "$TAKEN"
	wait_until 20 answers 200 /metrics 'config_reloads_total.*result="taken".* 1$'
	[ "$(grep -c 'SIGHUP' "$T/service.err")" -eq 2 ]
	stopped
}

@test "a second SIGHUP while a new configuration is read has it read once more" {
	launch_here
	begin_check
	kill -HUP "$SERVICE"
	unhang
	# On a machine that takes its time the first one may have been too late.
	wait_until 60 says "$TAKEN|$LATE" 2
	[ "$(grep 'SIGHUP' "$T/service.err" | tail -n 1)" = "$(grep -E "$TAKEN" "$T/service.err" |
		tail -n 1)" ]
	stopped
}

@test "SIGTERM while a new configuration takes for ever to read ends the service in order, with the process that reads it" {
	launch_here
	begin_check
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	wait_until 10 none_of_ours
	says '^nic-health-monitor: note: SIGTERM: stopping$'
	none says "$TAKEN"
}

@test "whatever kills the process that reads a new configuration is named, and the one in force stays" {
	launch_here
	begin_check
	kill -KILL "$(stage check-config)"
	wait_until 20 says '^nic-health-monitor: error: SIGHUP: the configuration was not checked: killed by SIGKILL: going on with the one in force$'
	healthy
	unhang
	stopped
}

@test "when the service is killed outright, the process that reads a new configuration dies too" {
	launch_here
	begin_check
	kill -KILL "$SERVICE"
	wait_until 10 none_of_ours
}
