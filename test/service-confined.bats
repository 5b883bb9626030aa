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
	wait_until 20 says "SIGHUP: sink file:$T/one.d2/a: the service has dropped the privilege to write there: restart it: keeping"
	configure "sinks: [\"file:$T/one.d/a\", \"exec:/bin/true\"]"
	kill -HUP "$SERVICE"
	wait_until 20 says 'SIGHUP: sink exec:/bin/true: the service has dropped the privilege to start programs: '
	reload 'interval: 100ms' "sinks: [\"file:$T/one.d/below/b\"]"
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one.d/below/b" '"message":"Port mlx5_1'
	end_service
}
