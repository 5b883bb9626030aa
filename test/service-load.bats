#!/usr/bin/env bats
# service-load: the whole service on a busy node, with far more runnable processes than processors.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
	node h100-oci
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || what_is_there >&2
	nothing_left
}

# evaluated N - return success if N scans were evaluated
evaluated() { [ "$(metric nic_health_monitor_scans_evaluated_total)" -ge "$1" ]; }

@test "with 14 busy processes per processor 18 NICs are read, no stage is killed and a fault is reported" {
	local n before
	connect
	launch_service --interval 1s
	before=$(stages | sort)
	for ((n = 0; n < 14 * $(nproc); n++)); do
		started "busy-$n" bash -c 'while :; do :; done'
	done
	wait_until 600 evaluated 300
	sim down mlx5_1/1
	wait_until 60 arrived 1 'mlx5_1 port 1: state DOWN'
	sim up mlx5_1/1
	wait_until 60 arrived 2 'mlx5_1 port 1: healthy'
	diff <(echo "$before") <(stages | sort)
	none says 'warning: |error: '
	# Apart from the baseline there is no other event.
	[ "$(accepted 'select(.isHealthy | not).message' | wc -l)" -eq 1 ]
	stopped 60
	complete
}
