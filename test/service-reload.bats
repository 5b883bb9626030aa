#!/usr/bin/env bats
# service-reload: a reload blocks nothing, even if reading the new configuration takes forever: here
# its disk hangs.
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

# launch_here - start the service on the disk that can hang, and wait until it is healthy
launch_here() {
	service_command --sink "file:$T/events" --config "$DISK/config.yaml"
	started service "${ON_HANGING[@]}" "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 30 says 'ctreval: note: counters available'
	wait_until 20 healthy
}

# checking - return success if the process runs that checks a configuration
checking() { stage check-config >/dev/null; }
not_checking() { none checking; }

# begin_check - start a reload that hangs
begin_check() {
	hang open
	kill -HUP "$SERVICE"
	wait_until 20 checking
}

LATE='^nic-health-monitor: error: SIGHUP: the configuration was not read and checked within 10 s: keeping the current configuration$'
TAKEN='^nic-health-monitor: note: SIGHUP: configuration reloaded: restarting ibevent, ibscan, logmatch, topoclass, ctreval, correlate$'

@test "a configuration that hangs for 10 s is rejected once while the service works, and the next is accepted" {
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

@test "a second SIGHUP during a reload reads the configuration once more" {
	launch_here
	begin_check
	kill -HUP "$SERVICE"
	unhang
	# On a slow machine the first reload may have timed out.
	wait_until 60 says "$TAKEN|$LATE" 2
	[ "$(grep 'SIGHUP' "$T/service.err" | tail -n 1)" = "$(grep -E "$TAKEN" "$T/service.err" |
		tail -n 1)" ]
	stopped
}

@test "SIGTERM during a hanging reload ends the service in order, with the process that reads" {
	launch_here
	begin_check
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	wait_until 10 none_of_ours
	says '^nic-health-monitor: note: SIGTERM: stopping$'
	none says "$TAKEN"
}

@test "a killed reload reports the signal, and the old configuration stays in force" {
	launch_here
	begin_check
	kill -KILL "$(stage check-config)"
	wait_until 20 says '^nic-health-monitor: error: SIGHUP: the configuration was not checked: killed by SIGKILL: keeping the current configuration$'
	healthy
	unhang
	stopped
}

@test "when the service is killed, the process that reads a new configuration dies, too" {
	launch_here
	begin_check
	kill -KILL "$SERVICE"
	wait_until 10 none_of_ours
}
