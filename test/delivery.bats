#!/usr/bin/env bats
# delivery: the service with a spool, from a fault on a simulated node to NVSentinel's Platform
# Connector; no event is lost, whichever process dies.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
	# mlx5_1 to mlx5_4 are monitored, each on a card of its own.
	node l40s-onprem
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

@test "a fault reaches the connector and the history and stands until its recovery" {
	connect
	launch_service
	sim down mlx5_3/1
	wait_until 10 arrived 1 'mlx5_3 port 1: state DOWN'
	run --separate-stderr emit --history --standing --since 1h --device mlx5_3 --fatal \
		--spool "$T/var/spool.db"
	status_is 0
	grep -q -E '^[0-9: -]+ +FATAL +mlx5_3/1 .* state (DOWN|ACTIVE)' <<<"$output"
	grep -q '^1 condition: 1 fatal$' <<<"$output"
	sim up mlx5_3/1
	# The first one is the baseline.
	wait_until 10 arrived 2 'mlx5_3 port 1: healthy'
	run --separate-stderr emit --standing --spool "$T/var/spool.db"
	grep -q 'no active conditions at' <<<"$output"
	stopped
	complete
	[ "$(in_spool "SELECT device || ' ' || closed_by FROM condition WHERE is_fatal")" \
		= "mlx5_3 recovery" ]
	[ "$(stat -c %a "$T/var")" = 750 ]
}

@test "the service passes --grpc-event-id to emit, which fills the messages' own id" {
	start_connector connector "unix:$CONNECTOR"
	launch_service --grpc-event-id
	sim down mlx5_3/1
	wait_until 10 arrived 1 'mlx5_3 port 1: state DOWN'
	logged connector 'select(.kind == "event")' | jq -s -e 'all(.event.id == .id and .id != "")'
	stopped
}

@test "a stage drops an event once the spool has it and every sink received it" {
	connect
	launch_service
	sim add mlx5_1/1 counters/link_downed 1
	wait_until 10 spooled 1 "message LIKE '%link_downed - Port%'"
	wait_until 10 acknowledged
	stopped
}

@test "when emit is killed repeatedly while events come, all arrive in order and are stored once" {
	local round
	connect
	launch_service
	for round in 1 2 3 4; do
		sim add mlx5_1/1 counters/link_downed 1
		kill -KILL "$(stage emit)"
		sim down mlx5_3/1
		wait_until 40 spooled "$round" \
			"message LIKE '%mlx5_3 port 1: state %, phys_state Disabled%'"
		sim up mlx5_3/1
		sim reset mlx5_1/1
		# The first one is the baseline.
		wait_until 40 spooled $((round + 1)) "message LIKE '%mlx5_3 port 1: healthy%'"
		wait_until 40 spooled "$round" \
			"message LIKE 'Counter link_downed recovered on port mlx5_1%'"
	done
	wait_until 20 acknowledged
	stopped
	complete
}

@test "when the supervisor is killed while the connector is down, no process stays, and all events arrive later" {
	launch_service
	sim down mlx5_3/1
	wait_until 10 spooled 1 "message LIKE '%mlx5_3 port 1: state %, phys_state Disabled%'"
	kill -KILL "$SERVICE"
	wait_until 5 none_of_ours
	sim down mlx5_2/1
	launch_service
	connect
	wait_until 40 arrived 1 'mlx5_3 port 1: state DOWN'
	wait_until 40 arrived 1 'mlx5_2 port 1: state DOWN'
	stopped
	complete
	# Both lives of ctreval are one stream; logmatch and correlate have their own.
	[ "$(in_spool "SELECT count(DISTINCT source) FROM event WHERE
		agent = 'nic-health-monitor' AND check_name <> 'SysLogsNICDriverError'")" -eq 1 ]
}

@test "a service stopped while the connector is down exits 0, reports what the spool keeps, and delivers it later" {
	launch_service
	sim down mlx5_3/1
	wait_until 10 spooled 1 "message LIKE '%mlx5_3 port 1: state %, phys_state Disabled%'"
	stopped
	grep -q -E "^emit: note: sink grpc:unix://$CONNECTOR: [0-9]+ events not delivered yet: kept in the spool$" "$T/service.err"
	connect
	launch_service
	wait_until 40 arrived 1 'mlx5_3 port 1: state DOWN'
	stopped
	complete
}

@test "after a reboot the previous boot's log faults no longer stand, and no event is lost" {
	connect
	sim kmsg "mlx5_core 0000:3a:00.0: cmd_exec:1:(pid 7): CREATE_MKEY(0x200) timeout. Will cause a leak of a command resource"
	launch_service
	wait_until 10 spooled 1 "check_name = 'SysLogsNICDriverError'"
	stopped
	[ "$(in_spool "SELECT count(*) FROM condition
		WHERE closed_ns IS NULL AND check_name = 'SysLogsNICDriverError'")" -eq 1 ]
	sim reboot
	rm -rf "$T"/run/*
	launch_service
	wait_until 10 spooled 2 "message LIKE 'Baseline reset%'"
	stopped
	[ "$(in_spool "SELECT closed_by FROM condition
		WHERE check_name = 'SysLogsNICDriverError'")" = reboot ]
	complete
}
