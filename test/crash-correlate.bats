#!/usr/bin/env bats
# crash-correlate: kill correlate, and emit, whose spool it reads, at random moments; every pattern
# is found once.
#
# Each test is a subshell:
# shellcheck disable=SC2030,SC2031
# Thorough: crash
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/kept

KILLS=$((${NHM_CRASH_KILLS:-20} < 200 ? ${NHM_CRASH_KILLS:-20} : 200))
# Each NIC degrades three times, which is one pattern.
NICS=$((KILLS + 5))

setup() {
	mkdir "$T/state"
	mkfifo "$T/pipe"
	exec 7<>"$T/pipe"
	echo 'rules: [{name: Thrice, match: {errorCode: symbol_error}, group: [entity.NIC], count: 3, within: 1h}]' \
		>"$T/rules"
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" --argjson now "$(date +%s.%6N)" \
		--argjson nics "$NICS" 'include "events"; ($now - 1700000000) as $now
		| range($nics * 3) as $i | worse($now + $i / 1000; "mlx5_\($i % $nics)")
		| .source = "raw" | .seq = $i + 1 | .id = "raw-\($i + 1)"' >"$T/events"
}

teardown() { end_background; }

# run_emit, run_correlate - start them in the background, as the service does. Set EMIT and
# CORRELATE.
run_emit() {
	started emit emit --spool "$SPOOL" --acks "$ACKS" --sink "file:$T/delivered" <"$T/pipe"
	EMIT=$PID
}
run_correlate() {
	started correlate bash -c 'exec correlate --rules "$1/rules" --late 1h --spool "$2" \
		--state "$1/state/f" --acks "$3" 7>&- >"$1/pipe"' _ "$T" "$SPOOL" "$ACKS"
	CORRELATE=$PID
}

# write - write the events one by one, some milliseconds apart.
write() {
	local event
	while read -r event; do
		printf '%s\n' "$event" >&7
		pause 0.00$((RANDOM % 8 + 1))
	done <"$T/events"
}

# in_spool SQL - print the number of events in the spool that match.
in_spool() { query "SELECT count(*) FROM event WHERE $1" 2>/dev/null || echo 0; }
THRICE="check_name = 'Thrice' AND is_healthy = 0"
all_stored() { [ "$(in_spool "source = 'raw'")" -eq $((NICS * 3)) ]; }
all_found() { [ "$(in_spool "$THRICE")" -ge "$NICS" ]; }

@test "correlate and emit, killed repeatedly, find and deliver each pattern once" {
	local kill
	run_emit
	run_correlate
	wait_until 20 test -e "$T/state/f"
	# Write all events again and again, as ctreval would after emit has lost some.
	while true; do write; done &
	BACKGROUND+=($!)
	for ((kill = 0; kill < KILLS; kill++)); do
		if ((RANDOM % 3 > 0)); then
			kill -KILL "$CORRELATE"
			wait "$CORRELATE" 2>/dev/null || true
			run_correlate
		else
			kill -KILL "$EMIT"
			wait "$EMIT" 2>/dev/null || true
			run_emit
		fi
		pause "0.$((RANDOM % 3))$((RANDOM % 10))"
	done
	wait_until 60 all_stored
	wait_until 60 all_found
	kill "$CORRELATE"
	ends_with 0 "$CORRELATE"
	kill "$EMIT"
	ends_with 0 "$EMIT"
	# Each pattern is there once, with its three events.
	[ "$(in_spool "$THRICE")" -eq "$NICS" ]
	[ "$(query "SELECT count(DISTINCT device) FROM event WHERE $THRICE")" -eq "$NICS" ]
	query "SELECT record FROM event WHERE $THRICE" | jq -s -e --argjson nics "$NICS" 'all(.[];
		(.metadata.evidence / "," | sort) == (
			(.entitiesImpacted[0].entityValue[5:] | tonumber) as $nic
			| [1, 2, 3] | map("raw-\(1 + $nic + (. - 1) * $nics)") | sort))'
	# Every stored event was delivered, except baselines: a correlate without state reports that
	# nothing stands, which receivers do not need.
	diff <(query "SELECT id FROM event WHERE record NOT LIKE '%\"baseline\":\"true\"%'" | sort) \
		<(jq -r 'select(.metadata.baseline == null) | .id' "$T/delivered" | sort -u)
}
