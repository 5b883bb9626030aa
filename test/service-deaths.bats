#!/usr/bin/env bats
# service-deaths: the whole service while its processes are killed, ports fail and the kernel logs
# faults: every event arrives in order, and no process is left.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

STAGES=(ibevent ibscan topoclass ctreval logmatch correlate emit)
# Monitored devices, each on a card of its own.
DEVICES=(mlx5_1 mlx5_2 mlx5_3 mlx5_4)

setup() {
	load lib/servers
	load lib/service
	node l40s-onprem
	: >"$T/faults"
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

# --- faults ---

# told N DEVICE REGEX - return success if the spool has N events of the port's state that match
told() { [ "$(in_spool "SELECT message FROM event WHERE device = '$2' AND code = 'port_state'
		AND agent = 'nic-health-monitor'" |
	between_files | grep -c -E "$3")" -ge "$1" ]; }

# fail_and_recover - until the file `enough` exists, take one port after another down, and up as
# soon as its fault is stored, with a kernel log line for each. Adds a line to `faults` for each
# port that recovered.
fail_and_recover() {
	local round device number=0
	for ((round = 1; ; round++)); do
		for device in "${DEVICES[@]}"; do
			[ ! -e "$T/enough" ] || return 0
			number=$((number + 1))
			sim kmsg "$(complaint "$number")"
			sim down "$device/1"
			wait_until 60 told "$round" "$device" 'state DOWN' || return
			sim up "$device/1"
			# The first one was the baseline.
			wait_until 60 told $((round + 1)) "$device" 'healthy' || return
			echo "$device" >>"$T/faults"
		done
	done
}

# faults_go_on - do this in the background
faults_go_on() {
	fail_and_recover 3>&- &
	FAULTS=$!
	BACKGROUND+=("$FAULTS")
}

# another_fault - wait until a fault has started and ended
another_fault() {
	local so_far
	so_far=$(wc -l <"$T/faults")
	wait_until 60 has_lines $((so_far + 2)) "$T/faults"
}

# --- results ---

# faults_end - let the current faults end, stop the service, and check that all events arrived
faults_end() {
	touch "$T/enough"
	ends_with 0 "$FAULTS" 60
	wait_until 60 all_delivered
	stopped
	complete
	all_told_once
}

# should_tell DEVICE - print the messages of its port's state that the connector should have
should_tell() {
	local text="Port $1 port 1:" count
	count=$(grep -c -x -- "$1" "$T/faults") || true
	echo "$text healthy (ACTIVE, LinkUp)"
	for ((; count > 0; count--)); do
		printf '%s\n' "$text state DOWN, phys_state Disabled" \
			"$text healthy (ACTIVE, LinkUp)"
	done
}

# all_told_once - check that each port's faults and recoveries arrived in turns, each log line
# arrived, and the rest is baseline and flapping links
all_told_once() {
	local device
	for device in "${DEVICES[@]}"; do
		diff <(accepted "select(.entitiesImpacted[0].entityValue == \"$device\"
			and .checkName == \"InfiniBandStateCheck\"
			and .errorCode == [\"port_state\"]).message") \
			<(should_tell "$device") >&2
	done
	complaints_are "$(wc -l <"$T/faults")"
	accepted 'select(.errorCode != [] and .errorCode != ["port_state"]
		and (.message | test("^Counter [a-z_]+ healthy after reboot on |"
			+ "^Card [0-9a-f:]+ healthy: |: flapping - the link went down 3 times, ")) == false
		and .checkName != "SysLogsNICDriverError").message' >"$T/others"
	[ ! -s "$T/others" ] || { cat "$T/others" >&2; return 1; }
}

# --- deaths ---

# none_runs PID... - return success if none of these processes is left
none_runs() {
	local pid
	for pid; do
		is_gone "$pid" || return 1
	done
}

# kill_service - kill the service alone, and check that its stages are gone within 2 s
kill_service() {
	local stages
	mapfile -t stages < <(stages)
	[ ${#stages[@]} -eq ${#STAGES[@]} ]
	kill -KILL "$SERVICE"
	wait_until 1 none_runs "$SERVICE" "${stages[@]}"
	wait "$SERVICE" || true
}

@test "with each stage killed in turn during faults every event arrives once by its id, and in order" {
	local name old
	connect
	launch_service
	wait_until 10 all_stages_run
	faults_go_on
	for name in "${STAGES[@]}"; do
		another_fault
		old=$(stage "$name")
		kill -KILL "$old"
		wait_until 10 stage_is_back "$name" "$old"
	done
	another_fault
	faults_end
	# No other stage died.
	[ "$(grep -c ': warning: stage .*: restarting it in ' "$T/service.err")" \
		-eq ${#STAGES[@]} ]
}

@test "with all stages killed at once, twice, during faults every event arrives once by its id, and in order" {
	local old
	connect
	launch_service
	faults_go_on
	for _ in 1 2; do
		another_fault
		wait_until 10 all_stages_run
		mapfile -t old < <(stages)
		kill -KILL "${old[@]}"
		wait_until 1 none_runs "${old[@]}"
		wait_until 20 all_stages_run
	done
	another_fault
	faults_end
	says "warning: stage .*: killed by SIGKILL: restarting it in " $((2 * ${#STAGES[@]}))
}

# kill_and_launch TIMES - kill the service between two faults and start it again
kill_and_launch() {
	local life
	for ((life = 0; life < $1; life++)); do
		another_fault
		wait_until 10 all_stages_run
		kill_service
		launch_service
	done
}

@test "after kills of the service no process is left within 2 s, and a restart delivers every event once" {
	connect
	launch_service
	faults_go_on
	kill_and_launch 3
	another_fault
	faults_end
}

@test "with the service killed twice while the connector is down, every event arrives once, in order" {
	local connector
	connect
	connector=$PID
	launch_service
	wait_until 20 all_delivered
	disconnect "$connector"
	faults_go_on
	kill_and_launch 2
	another_fault
	connect
	faults_end
	none_twice
}
