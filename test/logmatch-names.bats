#!/usr/bin/env bats
# logmatch-names: the references of events to other events.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

HEALTH="device's health compromised - reached miss count"

@test "events whose ids change because the state cannot be stored refer to each other by the new ids" {
	printf '[  100.%d] mlx5_core 0000:18:00.%d: %s\n' 0 0 "$HEALTH" 1 1 "$HEALTH" 2 1 \
		"health recovery succeeded" >"$BATS_TEST_TMPDIR/log"
	# The limit would also apply to a file on stderr: send stderr to the same pipe.
	run --separate-stderr timeout 60 bash -c 'ulimit -f 0; exec "$@" 2>&1' _ \
		logmatch --state "$BATS_TEST_TMPDIR/state.json" --boot-time "$BOOT_TIME" \
		--sysfs-root "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/log"
	status_is 0
	# shellcheck disable=SC2154 # run sets it
	[[ $output == *"File too large"* ]]
	[ "$(jq -R 'fromjson?' <<<"$output" |
		jq -s '[.[0].id, .[1].id] == [.[1].metadata.group, .[2].metadata.answers]
			and .[0].id == .[2].metadata.group')" = true ]
}

@test "a completion that names no command softens a timeout only if a single command timed out" {
	{
		echo "[  100.0] mlx5_core 0000:18:00.0: ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource"
		echo "[  101.0] mlx5_core 0000:18:00.0: Command completion arrived after timeout (entry idx = 3)."
		echo "[  200.0] mlx5_core 0000:18:00.0: ACCESS_REG(0x805) timeout. Will cause a leak of a command resource"
		echo "[  201.0] mlx5_core 0000:18:00.0: Command completion arrived after timeout (entry idx = 3)."
	} >"$BATS_TEST_TMPDIR/log"
	find_in "$BATS_TEST_TMPDIR/log" --sysfs-root "$BATS_TEST_TMPDIR"
	status_is 0
	[ "$(jq -s '.[1].metadata.softens == .[0].id and .[3].metadata.softens == null' \
		<<<"$output")" = true ]
}
