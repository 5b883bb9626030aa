#!/usr/bin/env bats
# platforms: from sysfs to events, the first scan of each platform has the result that its
# description expects.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/platforms

# first_scan PLATFORM OPTION... - run one scan of it through the pipeline; writes `events` and
# `notes` to $BATS_TEST_TMPDIR
first_scan() {
	node "$1" "$1"
	scan | classify | ctreval "${@:2}" >"$BATS_TEST_TMPDIR/events" 2>"$BATS_TEST_TMPDIR/notes"
	rm -rf "$NODE"
}

# compare PLATFORM KEYS - compare these keys of first_poll with the description
compare() { compare_first_scan "$1" "$2" "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/notes"; }

@test "there are ten platforms" {
	[ "$(every_platform | wc -l)" -eq 10 ]
}

@test "with a baseline due, the first scan of every platform makes exactly the expected events" {
	for platform in $(every_platform); do
		echo "# $platform"
		first_scan "$platform" --state "$BATS_TEST_TMPDIR/$platform.state"
		compare "$platform" \
			clear,healthy_ports,healthy_cards,fatal_cards,port_events,suppressed_ports
	done
}

@test "without a baseline due, the first scan of every platform reports only faults" {
	for platform in $(every_platform); do
		echo "# $platform"
		first_scan "$platform"
		compare "$platform" fatal_cards,port_events,suppressed_ports
		jq -s -e 'all(.isHealthy | not)' "$BATS_TEST_TMPDIR/events"
	done
}

@test "a baseline has a healthy event for every counter of every monitored port, under the check of its breach" {
	first_scan h100-oci-one-port-down --state "$BATS_TEST_TMPDIR/state"
	jq -s -r '.[] | select(.message | startswith("Counter "))
		| .checkName + " " + .errorCode[0]' "$BATS_TEST_TMPDIR/events" |
		sort | uniq -c | awk '{print $1, $2, $3}' >"$BATS_TEST_TMPDIR/counters"
	diff "$BATS_TEST_TMPDIR/counters" - <<-END
		17 EthernetDegradationCheck carrier_changes
		17 EthernetDegradationCheck link_error_recovery
		17 EthernetDegradationCheck local_ack_timeout_err
		17 EthernetDegradationCheck out_of_sequence
		17 EthernetDegradationCheck port_rcv_errors
		17 EthernetDegradationCheck port_xmit_discards
		17 EthernetDegradationCheck port_xmit_wait
		17 EthernetDegradationCheck roce_slow_restart
		17 EthernetDegradationCheck symbol_error
		17 EthernetStateCheck excessive_buffer_overrun_errors
		17 EthernetStateCheck link_downed
		17 EthernetStateCheck local_link_integrity_errors
		17 EthernetStateCheck rnr_nak_retry_err
		17 EthernetStateCheck symbol_error_fatal
	END
}

@test "a baseline starts with events that clear and ends with events that report faults" {
	first_scan h100-oci-one-port-down --state "$BATS_TEST_TMPDIR/state"
	# Shorten runs of: c (clear), p (port healthy), k (card healthy), n (counter), K (card
	# fatal), P (port fatal).
	run command jq -s -r '[.[] | select(.checkName == "EthernetStateCheck")
		| if .entitiesImpacted == [] then "c" elif (.message | startswith("Counter")) then
		"n"
		  elif (.message | startswith("Card")) then (if .isHealthy then "k" else "K" end)
		  else (if .isHealthy then "p" else "P" end) end] | join("")
		| gsub("(?<x>.)\\1*"; "\(.x)") | [scan("(.)")|.[0]]
		| reduce .[] as $x (""; if endswith($x) then . else . + $x end)' \
			"$BATS_TEST_TMPDIR/events"
	[ "$output" = cpknKP ]
	# A check's clear event is older than its other events, in whatever order they arrive.
	jq -s -e 'group_by(.checkName)
		| all((map(select(.entitiesImpacted == []).generatedTimestamp) | max) as $clear
		| map(select(.entitiesImpacted != []).generatedTimestamp) | all(. > $clear))' \
			"$BATS_TEST_TMPDIR/events"
}

@test "clearCheck: false clears each NIC and card instead of whole checks, and changes nothing else" {
	echo 'baseline: {clearCheck: false}' >"$BATS_TEST_TMPDIR/config"
	first_scan dgx-h100 --state "$BATS_TEST_TMPDIR/a"
	jq -c 'select(.entitiesImpacted != [] or .checkName == "NICPollStallCheck")
		| [.checkName, .message]' "$BATS_TEST_TMPDIR/events" >"$BATS_TEST_TMPDIR/with"
	first_scan dgx-h100 --state "$BATS_TEST_TMPDIR/b" --config "$BATS_TEST_TMPDIR/config"
	[ "$(jq -r 'select(.entitiesImpacted == []).checkName' "$BATS_TEST_TMPDIR/events")" \
		= NICPollStallCheck ]
	local clear='(.message | startswith("Baseline reset"))'
	diff "$BATS_TEST_TMPDIR/with" <(jq -c "select($clear | not) | [.checkName, .message]" \
		"$BATS_TEST_TMPDIR/events")
	# Each NIC and each of its cards has one under each check. None has a code, which would
	# clear only that code.
	jq -s -e "map(select($clear)) | length > 0 and all(.isHealthy and .errorCode == [])
		and (map([.checkName, .entitiesImpacted]) | length == (unique | length))
		and (map(.checkName) | unique | length) == 5" "$BATS_TEST_TMPDIR/events"
}
