#!/usr/bin/env bats
# service-stalls: the whole service when a stage is alive and does nothing, and what systemd and
# health probes get meanwhile.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
	node l40s-onprem
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

# stalls NAME OLD-PID [SECONDS] - check that the stage is reported as stalled within that time,
# killed and restarted
stalls() {
	wait_until "${3:-30}" says \
		"^nic-health-monitor: warning: stage $1: has made no progress for [0-9]+ s: killing it$"
	wait_until 10 stage_is_back "$1" "$2"
	says "^nic-health-monitor: warning: stage $1: killed by SIGKILL: restarting it in 1 s$"
	[ "$(metric "nic_health_monitor_stage_stalls_total{stage=\"$1\"}")" -eq 1 ]
}

@test "each stopped stage is reported, killed and restarted; no event is lost or delivered twice" {
	local name old logmatch port
	connect
	launch_service
	wait_until 20 all_delivered
	# logmatch has 30 s, since a kernel may log nothing: stop the other stages meanwhile.
	logmatch=$(stage logmatch)
	kill -STOP "$logmatch"
	sim kmsg 'mlx5_core 0000:18:00.0: wait_func:1176:(pid 1): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource'
	port=0
	for name in ibscan topoclass ctreval emit; do
		port=$((port + 1))
		old=$(stage "$name")
		kill -STOP "$old"
		sim down "mlx5_$port/1"
		stalls "$name" "$old"
		wait_until 10 arrived 1 "mlx5_$port port 1: state DOWN"
		wait_until 10 healthy
	done
	stalls logmatch "$logmatch" 45
	wait_until 10 arrived 1 ENABLE_HCA
	stopped
	complete
	# The readers may miss the end of the scan in which another stage was stopped.
	[ "$(grep -c '^nic-health-monitor: warning: ' "$T/service.err")" -eq 10 ]
	[ "$(accepted 'select(.isHealthy | not).message' | wc -l)" -eq 5 ]
}

@test "an unreadable NIC state is one event for the node at the deadline, and one when it can be read again" {
	connect
	launch_service --poll-stall-deadline 3s
	wait_until 20 all_delivered
	sim hang mlx5_3/1 state
	wait_until 20 arrived 1 'NIC state cannot be observed: state poll in flight for 3s'
	stopped
	launch_service --poll-stall-deadline 3s
	sim mend mlx5_3/1 state
	# The first such event belongs to the baseline.
	wait_until 20 arrived 2 'NIC polls are completing'
	stopped
	[ "$(accepted 'select(.checkName == "NICPollStallCheck")
		| [.isHealthy, .isFatal, .processingStrategy, (.entitiesImpacted // [] | length),
		(.errorCode // [] | length)]' | xargs)" \
		= '[true,false,STORE_ONLY,0,0] [false,false,STORE_ONLY,0,0] [true,false,STORE_ONLY,0,0]' ]
}

# --- systemd ---

# told N REGEX - return success if N messages to systemd have a line that matches
told() { [ "$(logged systemd 'select(.text | split("\n") | any(test("'"$2"'"))) | 1' | wc -l)" -ge \
	"$1" ]; }

# milestones - print the messages to systemd without status and watchdog pings
milestones() { logged systemd 'select(.text | test("^(STATUS|WATCHDOG)=") | not).text | split("\n")[0]'; }

# is_silent SECONDS - return success if the last watchdog ping was that long ago
is_silent() {
	local last
	last=$(logged systemd 'select(.text == "WATCHDOG=1").time_ns' | tail -n 1)
	[ $(($(date +%s%N) - last)) -ge $(($1 * 1000000000)) ]
}

# launch_for_systemd OPTION... - start the service as systemd does, from its own directory $PROGRAMS
launch_for_systemd() {
	PROGRAMS=$T/programs
	mkdir -p "$PROGRAMS"
	cp -n "$NHM_BIN"/{nic-health-monitor,ibscan,topoclass,ctreval,emit} "$PROGRAMS"
	started systemd "$SERVERS/notified" --listen "unix:$T/notify.sock" --log "$T/systemd.log"
	wait_until 20 grep -q listening "$T/systemd.out"
	service_command --sink "file:$T/events" "$@"
	started service env NOTIFY_SOCKET="$T/notify.sock" WATCHDOG_USEC=2000000 \
		"$PROGRAMS/${COMMAND[0]}" "${COMMAND[@]:1}"
	SERVICE=$PID
}

@test "systemd is told READY after the first evaluated scan and each reload, RELOADING, and STOPPING" {
	mkdir "$T/programs"
	PROGRAMS=$T/programs
	cp "$NHM_BIN/ibscan" "$PROGRAMS/real-ibscan"
	# shellcheck disable=SC2016 # for the script
	replace ibscan <<<'until [ -e "${0%/*}/go" ]; do sleep 0.05; done; exec "${0%/*}/real-ibscan" "$@"'
	echo '{}' >"$T/config.yaml"
	launch_for_systemd --config "$T/config.yaml"
	wait_until 10 stage emit
	wait_until 10 told 2 '^WATCHDOG=1$'
	[ "$(milestones)" = "" ]
	answers 503 /readyz '^no scan has been evaluated yet$'
	touch "$PROGRAMS/go"
	wait_until 10 told 1 '^READY=1$'
	answers 200 /readyz
	wait_until 10 says 'ctreval: note: counters available'
	wait_until 10 told 1 '^STATUS=healthy: watching 4 ports'

	kill -HUP "$SERVICE"
	wait_until 10 told 2 '^READY=1$'
	echo '{nonsense: 1}' >"$T/config.yaml"
	kill -HUP "$SERVICE"
	wait_until 10 told 3 '^READY=1$'
	logged systemd 'select(.text | startswith("RELOADING=1")).text' | grep -c \
		-E '^MONOTONIC_USEC=[0-9]+$' | grep -qx 2
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	wait_until 10 told 1 '^STOPPING=1$'
	diff <(milestones) <(printf '%s\n' READY=1 RELOADING=1 READY=1 RELOADING=1 READY=1 \
		STOPPING=1) >&2
}

@test "the service pings systemd's watchdog only while scans are evaluated" {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	launch_for_systemd
	wait_until 20 told 1 '^READY=1$'
	wait_until 20 told 5 '^WATCHDOG=1$'
	wait_until 10 none is_silent 2
	# The scans end, and the new ibscan makes none.
	replace ibscan <<<'exec sleep 600'
	kill -KILL "$(stage ibscan)"
	wait_until 20 is_silent 3
	unhealthy '^no scan was evaluated for [0-9.]+ s$'
	cp "$NHM_BIN/ibscan" "$PROGRAMS/ibscan.new"
	mv "$PROGRAMS/ibscan.new" "$PROGRAMS/ibscan"
	wait_until 30 healthy
	wait_until 10 none is_silent 2
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
}
