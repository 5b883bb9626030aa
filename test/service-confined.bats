#!/usr/bin/env bats
# service-confined: a reload in a service that has given up what its first configuration did not
# need.
# shellcheck disable=SC2154 # lib/configured sets SERVICE
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/configured
	node l40s-onprem
}

teardown() { nothing_left; }

@test "a reload that needs rights which the confined service has dropped is rejected with the reason" {
	mkdir "$T/one.d" "$T/one.d/below" "$T/one.d2"
	configure 'interval: 100ms' "sinks: [\"file:$T/one.d/a\"]"
	launch --confine=try
	configure "sinks: [\"file:$T/one.d2/a\"]"
	kill -HUP "$SERVICE"
	wait_until 20 says "sink file:$T/one.d2/a: the service has dropped the privilege to write there: restart it"
	wait_until 20 says 'SIGHUP: the configuration cannot be used: keeping the current configuration'
	configure "sinks: [\"file:$T/one.d/a\", \"exec:/bin/true\"]"
	kill -HUP "$SERVICE"
	wait_until 20 says 'sink exec:/bin/true: the service has dropped the privilege to start programs: '
	# The command of the alert about it shows the reason; --check-config knows none.
	nic-health-monitor "${NODE_OPTIONS[@]}" --config "$CONFIG" --check-config \
		--state-file "$T/run/state.json" --spool "$T/var/spool.db" \
		--metrics-port '' >/dev/null 2>"$T/checked"
	none grep error "$T/checked"
	jq -r --yaml-input '.groups[].rules[] | select(.alert == "NICMonitorConfigRefused")
		.annotations.description' "$ROOT/dist/prometheus/monitor-alerts.yaml" |
		grep -q 'journalctl -u nic-health-monitor shows'
	reload 'interval: 100ms' "sinks: [\"file:$T/one.d/below/b\"]"
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one.d/below/b" '"message":"Port mlx5_1'
	end_service
}

@test "a reload accepts a file below the directory of the spool, and no way out of one that is kept" {
	mkdir "$T/one.d" "$T/two.d"
	configure 'interval: 100ms' "sinks: [\"file:$T/one.d/a\"]"
	launch --confine=try
	touch "$T/two.d/there"
	ln -s ../two.d/there "$T/one.d/link"
	local name
	for name in "$T/one.d/../two.d/a" "$T/one.d/link"; do
		configure "sinks: [\"file:$name\"]"
		kill -HUP "$SERVICE"
		wait_until 20 says "error: sink file:$name: the service has dropped the privilege to write there"
	done
	reload 'interval: 100ms' "sinks: [\"file:$T/var/b\"]"
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/var/b" '"message":"Port mlx5_1'
	end_service
}
