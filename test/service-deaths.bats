#!/usr/bin/env bats
# The whole service when its processes are killed while ports fail and the kernel complains:
# everything arrives, in order, and nothing is left running.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

STAGES=(ibevent ibscan topoclass ctreval logmatch correlate emit)
# Monitored ones, each on a card of its own.
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

# told N DEVICE REGEX - so many events about a port's state with such a message are in the spool.
told() { [ "$(in_spool "SELECT message FROM event WHERE device = '$2' AND code = 'port_state'
		AND agent = 'nic-health-monitor'" |
	between_files | grep -c -E "$3")" -ge "$1" ]; }

# fail_and_recover - one port after another goes down, and up as soon as the former has been decided
# and stored; with each the kernel complains. Until there is a file `enough`. Who recovered is a
# line of `faults`.
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
			# the first was the baseline
			wait_until 60 told $((round + 1)) "$device" 'healthy' || return
			echo "$device" >>"$T/faults"
		done
	done
}

# faults_go_on - in the background.
faults_go_on() {
	fail_and_recover 3>&- &
	FAULTS=$!
	BACKGROUND+=("$FAULTS")
}

# another_fault - one that begins and ends after this.
another_fault() {
	local so_far
	so_far=$(wc -l <"$T/faults")
	wait_until 60 has_lines $((so_far + 2)) "$T/faults"
}

# --- what came ---

# faults_end - those that are under way; the service ends, and all that happened has arrived.
faults_end() {
	touch "$T/enough"
	ends_with 0 "$FAULTS" 60
	wait_until 60 all_delivered
	stopped
	complete
	all_told_once
}

# should_tell DEVICE - what the connector should know of its port's state.
should_tell() {
	local text="Port $1 port 1:" count
	count=$(grep -c -x -- "$1" "$T/faults") || true
	echo "$text healthy (ACTIVE, LinkUp)"
	for ((; count > 0; count--)); do
		printf '%s\n' "$text state DOWN, phys_state Disabled" \
			"$text healthy (ACTIVE, LinkUp)"
	done
}

# all_told_once - of each port its failures and recoveries by turns, of the kernel's log each line,
# and of the rest what a baseline has, and that links flap.
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

# none_runs PID... - none of these processes is left.
none_runs() {
	local pid
	for pid; do
		is_gone "$pid" || return 1
	done
}

# kill_service - the service alone, outright; none of its stages is there 2 s later.
kill_service() {
	local stages
	mapfile -t stages < <(stages)
	[ ${#stages[@]} -eq ${#STAGES[@]} ]
	kill -KILL "$SERVICE"
	wait_until 1 none_runs "$SERVICE" "${stages[@]}"
	wait "$SERVICE" || true
}

@test "each stage killed in turn while faults go on: every event arrives, once by its id, and in order" {
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
	# nobody else died of it
	[ "$(grep -c ': warning: stage .*: starting it again in ' "$T/service.err")" \
		-eq ${#STAGES[@]} ]
}

@test "all stages killed at once, and again, while faults go on: every event arrives, once by its id, and in order" {
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
	says "warning: stage .*: killed by SIGKILL: starting it again in " $((2 * ${#STAGES[@]}))
}

# kill_and_launch TIMES - the service is killed outright, between one fault and the next, and
# started again.
kill_and_launch() {
	local life
	for ((life = 0; life < $1; life++)); do
		another_fault
		wait_until 10 all_stages_run
		kill_service
		launch_service
	done
}

@test "the service killed outright, and again, while faults go on: no process is left after 2 s, and after a restart everything arrives, and is stored once" {
	connect
	launch_service
	faults_go_on
	kill_and_launch 3
	another_fault
	faults_end
}

@test "the service killed outright, and again, while the connector is down: what happened in each life arrives once, in order" {
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
