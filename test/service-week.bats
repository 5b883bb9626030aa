#!/usr/bin/env bats
# service-week: a node's week with the whole service in less than a minute: the cluster gets exactly
# the story's events.
#
# Backquotes are the story's; each test is a subshell, and bats sets stderr:
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/service
	export NODE=$T/node
}

teardown() { nothing_left; }

STORY=$BATS_TEST_DIRNAME/service/story

# play FILE - play the story with the service and the configuration in $T/config.yaml; print the
# differences
play() {
	service_command --config "$T/config.yaml"
	command timeout -k 5 220 "$STORY" --directory "$T" "$1" -- "${COMMAND[@]}"
}

# told LINE... - write a story of these lines
told() { printf '%s\n' 'platform l40s-onprem' "$@" >"$T/story"; }

@test "a week of faults, reloads, outages, a hung NIC, a reboot and a new NIC makes exactly the story's events" {
	play "$BATS_TEST_DIRNAME/service/week" || {
		cat "$T/service.err" >&2
		return 1
	}
	complete
	none_twice
}

@test "a missing event and an extra one both fail a story, which prints both" {
	told 'Mon 08:00  service starts' '  baseline' 'Mon 08:01  down mlx5_1/1' \
		'  degraded InfiniBandStateCheck mlx5_1/1 port_state "Port mlx5_1 port 1: *"' \
		'Mon 08:02  up mlx5_1/1 and add mlx5_2/1 counters/link_downed 1' \
		'  healthy InfiniBandStateCheck mlx5_1/1 port_state "Port mlx5_1 port 1: healthy (ACTIVE, LinkUp)"' \
		'  fatal InfiniBandStateCheck mlx5_2/1 link_downed "*"' 'Mon 08:03  down mlx5_3/1' \
		'Mon 08:04  service stops'
	run --separate-stderr play "$T/story"
	status_is 1
	diff - <(between_files <<<"$stderr") <<-'END'
		line 4: Mon 08:01  down mlx5_1/1
		  - expected  degraded InfiniBandStateCheck mlx5_1/1 port_state "Port mlx5_1 port 1: *"
		  + came      fatal InfiniBandStateCheck mlx5_1/1 port_state "Port mlx5_1 port 1: state DOWN, phys_state Disabled"
		line 9: Mon 08:03  down mlx5_3/1
		  + came      fatal InfiniBandStateCheck mlx5_3/1 port_state "Port mlx5_3 port 1: state DOWN, phys_state Disabled"
	END
}

# refused LINE MESSAGE - check that a story with that line is rejected before it begins
refused() {
	told 'Mon 08:00  service starts' "$1"
	run --separate-stderr play "$T/story"
	status_is 65
	[ "$stderr" = "story: $T/story:3: $2" ] || { echo "$stderr" >&2; return 1; }
	[ ! -e "$NODE" ]
}

@test "a bad story makes one message with its line number before anything begins" {
	refused 'Monday  service stops' \
		'expected `DAY HH:MM  WHAT HAPPENS`, or an event below it, further in'
	refused 'Mon 08:01  down mlx5_9/1' 'down: no such device: mlx5_9'
	refused 'Mon 08:01  service sings' 'unknown command: service'
	refused '  fatal NoCheck mlx5_1/1 "text"' \
		'expected fatal|degraded|healthy CHECK ENTITY [ERRORCODE,...] "MESSAGE" [devices LIST], or baseline'
}
