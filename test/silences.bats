#!/usr/bin/env bats
# silences: emit --silences: the events that a silence covers, how they are stored, and what is sent
# when the silence ends.
# shellcheck disable=SC2154 # bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/kept
	export SILENCES=$T/silences.ndjson
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# silence TARGET OPTION... - silence it for an hour unless an option says otherwise; print the
# silence's id
silence() {
	nicsilence --file "$SILENCES" --sysfs-root "$T" --for 1h --why repair --by alice "$@" \
		2>/dev/null
}

unsilence() { nicsilence --file "$SILENCES" --end "$1"; }

# begun [OPTION]... - start emit with the silences in the background
# shellcheck disable=SC2120 # most give none
begun() { fed_emit --spool "$SPOOL" --acks "$ACKS" --silences "$SILENCES" "$@"; }

# in_boot ID - the same on node gpu-1 in the boot with that id
in_boot() {
	echo "$1" >"$T/boot_id"
	begun --node gpu-1 --boot-id-file "$T/boot_id"
}

# mark SEQ - write a mark, as fleetread does: events are no longer counted by their numbers
mark() { printf '{"kind":"mark","v":1,"source":"m","after":0,"seq":%d}\n' "$1" >&8; }

# ended - end emit, and check that it printed nothing
ended() {
	end_feed
	ends_with 0 "$EMIT"
	[ ! -s "$T/emit.err" ]
}

# killed_and_begun - kill emit and start it again
killed_and_begun() {
	killed "$EMIT"
	exec 8>&-
	cp "$T/taken" "$T/taken.before"
	begun
	cp "$T/taken.before" "$T/taken"
}

# covered N - return success if silences cover N standing conditions
covered() {
	local where="closed IS NULL AND silence <> ''"
	[ "$(query "SELECT count(*) FROM condition WHERE $where")" -eq "$1" ]
}

# delivered - print of each delivered event: id, strategy, and the silence that it is marked with or
# follows
delivered() {
	jq -r '[.id, .processingStrategy, (.metadata | .silence // .afterSilence // "-")] | @tsv' \
		"$T/taken"
}

@test "a silenced event is stored and sent as STORE_ONLY with its silence; its recovery is unchanged" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	feed 3 3 "$HEALTHY"
	ended
	diff <(delivered) <(printf '%s\t%s\t%s\n' t-1 STORE_ONLY "$id" t-2 EXECUTE_REMEDIATION - \
		t-3 EXECUTE_REMEDIATION -)
	jq -e -s --arg id "$id" '.[0].metadata == { pci: "0000:18:00.0", silence: $id,
		silenceBy: "alice", silenceWhy: "repair",
		silenceStrategy: "EXECUTE_REMEDIATION" }' \
		"$T/taken"
	diff <(query 'SELECT record FROM event ORDER BY number') "$T/taken"
}

@test "a silence of a port or of a code covers no other port or code" {
	silence mlx5_0/1
	silence mlx5_0 --code link_downed
	begun
	feed 1 1 '.entitiesImpacted[1].entityValue = "2"'
	feed 2 2 '.entitiesImpacted[1].entityValue = "2" | .errorCode = ["link_downed"]'
	feed 3 3 .
	ended
	[ "$(delivered | cut -f 2 | xargs)" = "EXECUTE_REMEDIATION STORE_ONLY STORE_ONLY" ]
}

@test "a card's event about a silenced device that is down is silenced, too" {
	silence mlx5_0/1
	begun
	local card='.entitiesImpacted = [{ entityType: "NIC", entityValue: "0000:18:00" }]
		| .errorCode = ["card_ports"]'
	feed 1 1 "$FATAL | $card | .metadata.devices = \"mlx5_0,mlx5_1\""
	feed 2 2 "$FATAL | $card | .metadata.devices = \"mlx5_1,mlx5_2\""
	ended
	[ "$(delivered | cut -f 2 | xargs)" = "STORE_ONLY EXECUTE_REMEDIATION" ]
}

@test "when a silence is ended, each standing fault is sent once, with its own time and strategy" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1 "$FATAL | .processingStrategy = \"STORE_AND_ANALYSE\""
	feed 2 2 "$FATAL | .errorCode = [\"link_downed\", \"saturated\"]"
	feed 3 3 '.entitiesImpacted[0].entityValue = "mlx5_1"'
	wait_until 10 covered 2
	unsilence "$id"
	wait_until 20 has_lines 5 "$T/taken"
	ended
	diff <(delivered | tail -n 2) <(printf '%s\t%s\t%s\n' "$id-1" STORE_AND_ANALYSE "$id" \
		"$id-2" EXECUTE_REMEDIATION "$id")
	jq -c -s --arg id "$id" '.[4] | [.agent, .checkName, .isFatal, .isHealthy, .message,
		.recommendedAction, .errorCode, .nodeName, .source, .seq, .entitiesImpacted,
		.generatedTimestamp, .metadata] == ["nic-health-monitor",
		"InfiniBandDegradationCheck", true, false, "event 2", "REPLACE_VM",
		["link_downed", "saturated"], "gpu-1", $id, 2,
		[{ entityType: "NIC", entityValue: "mlx5_0" },
		{ entityType: "NICPort", entityValue: "1" }], "2026-01-02T03:04:05.678902Z",
		{ afterSilence: $id, pci: "0000:18:00.0" }]' "$T/taken" | grep -x true
	covered 0
	# A restart does not send them again.
	begun
	feed 4 4
	ended
	[ "$(jq -r .id "$T/taken")" = t-4 ]
}

@test "when a silence ends, each of its faults is sent, whether the events come with marks or not" {
	local id
	id=$(silence mlx5_0 --for 4s)
	begun
	mark 0
	feed 1 3 "$FATAL | .nodeName = \"n\\(.seq)\""
	mark 3
	wait_until 30 has_lines 6 "$T/taken"
	ended
	diff <(delivered) <(printf '%s\tSTORE_ONLY\t%s\n' t-1 "$id" t-2 "$id" t-3 "$id"
		printf '%s\tEXECUTE_REMEDIATION\t%s\n' "$id-1" "$id" "$id-2" "$id" "$id-3" "$id")
	covered 0
}

@test "what is sent at a silence's end has a number that the spool does not have, after a restart, too" {
	local id
	id=$(silence mlx5_0)
	cp -p "$SILENCES" "$T/silence"
	begun
	mark 0
	feed 1 2 "$FATAL | .nodeName = \"n\\(.seq)\""
	wait_until 10 covered 2
	unsilence "$id"
	wait_until 20 has_lines 4 "$T/taken"
	killed "$EMIT"
	exec 8>&-
	# A crash between the events and the numbers of their streams, which come last.
	sqlite3 "$SPOOL" "DELETE FROM source WHERE name = '$id'"
	rm "$ACKS"
	mv "$T/silence" "$SILENCES"
	begun
	mark 0
	feed 3 4 "$FATAL | .nodeName = \"n\\(.seq)\""
	wait_until 10 covered 4
	unsilence "$id"
	wait_until 20 has_lines 6 "$T/taken"
	ended
	[ "$(delivered | cut -f 1 | tail -n 4 | xargs)" = "$id-3 $id-4 $id-5 $id-6" ]
	covered 0
}

@test "an event sent at the end of a silence has role, cause and runbook, and goes to its role's sinks" {
	local id
	id=$(silence mlx5_0)
	begun --runbook-url 'https://w/{page}' --sink "file:$T/compute" --only-roles compute \
		--sink "file:$T/storage" --only-roles storage
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | .metadata += { role: \"storage\", cause: \"t-1\" }
		| .errorCode = [\"link_downed\"]"
	wait_until 10 covered 2
	unsilence "$id"
	wait_until 20 has_lines 4 "$T/taken"
	ended
	jq -c 'select(.metadata.afterSilence) | .metadata' "$T/taken" >"$T/released"
	jq -e -s --arg id "$id" '.[1] | (.runbook | startswith("https://w/")) and
		del(.runbook) == { afterSilence: $id, pci: "0000:18:00.0", role: "storage",
		cause: "t-1" }' "$T/released"
	[ "$(jq -r .id "$T/compute" | xargs)" = "t-1 $id-1" ]
	[ "$(jq -r .id "$T/storage" | xargs)" = "t-1 t-2 $id-1 $id-2" ]
}

@test "an event sent at the end of a silence has a runbook even if the spool lost the original" {
	local id
	id=$(silence mlx5_0)
	begun --runbook-url 'https://w/{page}'
	feed 1 1 "$FATAL"
	wait_until 10 grep -q "$id" "$ACKS"
	killed "$EMIT"
	exec 8>&-
	rm "$SPOOL"*
	begun --runbook-url 'https://w/{page}'
	wait_until 10 covered 1
	unsilence "$id"
	wait_until 20 grep -q "\"$id-1\".*https://w/" "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
}

@test "a silenced event of another program, longer than any of ours, is sent again when the silence ends" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1 "$FATAL | .agent = \"x\" * 9000"
	feed 2 2 "$FATAL"
	# Another program's idea of a silence.
	feed 3 3 "$FATAL | .errorCode = [] | .entitiesImpacted[0].entityValue = \"mlx5_1\"
		| .metadata.silence = \"maintenance of the whole row\""
	wait_until 10 covered 3
	unsilence "$id"
	wait_until 20 has_lines 6 "$T/taken"
	ended
	covered 0
	[ "$(jq -r 'select(.metadata.afterSilence) | .agent[:1], .processingStrategy' "$T/taken" |
		sort | uniq -c | xargs)" = "3 EXECUTE_REMEDIATION 2 n 1 x" ]
}

@test "a silence's end that nothing can be sent about holds up no other" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1 "$FATAL | .agent = \"x\" * 9000"
	feed 2 2 "$FATAL"
	wait_until 10 covered 2
	end_feed
	ends_with 0 "$EMIT"
	sqlite3 "$SPOOL" 'DELETE FROM event WHERE number = 1'
	unsilence "$id"
	begun
	wait_until 20 has_lines 1 "$T/taken"
	ended
	covered 0
	[ "$(delivered | cut -f 1)" = "$id-1" ]
}

@test "a silence ends at its time" {
	silence mlx5_0 --for 2s
	begun
	feed 1 1
	wait_until 20 has_lines 2 "$T/taken"
	ended
	[ "$(delivered | cut -f 2 | xargs)" = "STORE_ONLY EXECUTE_REMEDIATION" ]
}

@test "a fault that ends during its silence is not sent when the silence ends" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1
	feed 2 2 "$HEALTHY"
	unsilence "$id"
	feed 3 3 '.entitiesImpacted[0].entityValue = "mlx5_1"'
	ended
	[ "$(delivered | cut -f 1 | xargs)" = "t-1 t-2 t-3" ]
}

@test "a silence covers a fault that stood before it, and the fault is sent when the silence ends" {
	local id
	begun
	feed 1 1
	covered 0
	id=$(silence mlx5_0)
	wait_until 10 covered 1
	unsilence "$id"
	wait_until 20 has_lines 2 "$T/taken"
	ended
	[ "$(delivered | cut -f 1,2 | xargs)" = "t-1 EXECUTE_REMEDIATION $id-1 EXECUTE_REMEDIATION" ]
}

@test "silences that cp writes into the file, or that mv takes away, are noticed at once" {
	# In a directory where emit itself writes nothing, and without acks, for which it wakes up.
	SILENCES=$T/own/silences.ndjson
	mkdir "$T/own"
	silence mlx5_0
	mv "$SILENCES" "$T/copy"
	fed_emit --spool "$SPOOL" --silences "$SILENCES"
	local began=$SECONDS
	feed 1 1 "$FATAL"
	cp "$T/copy" "$SILENCES"
	wait_until 10 covered 1
	mv "$SILENCES" "$T/copy"
	wait_until 10 covered 0
	# Otherwise emit would look at the file once a minute.
	[ "$((SECONDS - began))" -lt 45 ]
	ended
}

@test "events that a sink has not received when a silence starts are sent to it as STORE_ONLY" {
	local id
	begun --sink "unix:$S"
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	id=$(silence mlx5_0)
	wait_until 10 covered 1
	listen_unix late "$S"
	wait_until 60 has_lines 2 "$T/late.got"
	[ "$(jq -r '.id + " " + .processingStrategy' "$T/late.got" | xargs)" = \
		"t-1 STORE_ONLY t-2 EXECUTE_REMEDIATION" ]
	# The other sink has the event without the silence, and gets it again when the silence ends.
	[ "$(jq -r .processingStrategy "$T/taken" | sort -u)" = EXECUTE_REMEDIATION ]
	unsilence "$id"
	wait_until 20 has_lines 3 "$T/late.got"
	wait_until 20 has_lines 3 "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
}

# kept_back - write event 2, which emit holds back because event 1 is missing, and wait until emit
# has read it: it delivers what another writer has written after it
kept_back() {
	begun
	nic_events 2 2 "$FATAL" >&8
	nic_events 1 1 '.source = "u" | .id = "u-1" | .entitiesImpacted[0].entityValue = "mlx5_1"' >&8
	wait_until 20 has_lines 1 "$T/taken"
}

@test "a fault that is held back until its silence is over is sent once more when it is stored" {
	local id
	id=$(silence mlx5_0)
	kept_back
	unsilence "$id"
	feed 1 1 "$HEALTHY"
	wait_until 20 has_lines 4 "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	diff <(delivered) <(printf '%s\t%s\t%s\n' u-1 EXECUTE_REMEDIATION - \
		t-1 EXECUTE_REMEDIATION - t-2 STORE_ONLY "$id" "$id-1" EXECUTE_REMEDIATION "$id")
}

@test "a silence covers a fault that was held back when it began" {
	local id
	kept_back
	id=$(silence mlx5_0)
	silence mlx5_1
	wait_until 10 covered 1
	feed 1 1 "$HEALTHY"
	wait_until 20 has_lines 3 "$T/taken"
	covered 2
	end_feed
	ends_with 0 "$EMIT"
	diff <(delivered) <(printf '%s\t%s\t%s\n' u-1 EXECUTE_REMEDIATION - \
		t-1 EXECUTE_REMEDIATION - t-2 STORE_ONLY "$id")
}

@test "of two silences of a fault the end of one sends nothing, and the end of both sends it once" {
	local device port
	device=$(silence mlx5_0)
	port=$(silence mlx5_0/1)
	begun
	feed 1 1
	unsilence "$device"
	wait_until 10 eval '[ "$(query "SELECT silence FROM condition")" = '"$port"' ]'
	has_lines 1 "$T/taken"
	unsilence "$port"
	wait_until 20 has_lines 2 "$T/taken"
	ended
	diff <(delivered) <(printf '%s\t%s\t%s\n' t-1 STORE_ONLY "$device" \
		"$port-1" EXECUTE_REMEDIATION "$port")
}

@test "a silence that is ended while emit is dead is over at its restart, and the fault is sent once" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1
	wait_until 10 covered 1
	killed_and_begun
	wait_until 10 grep -q receiver "$ACKS"
	covered 1
	killed "$EMIT"
	exec 8>&-
	unsilence "$id"
	begun
	wait_until 20 grep -q afterSilence "$T/taken"
	killed "$EMIT"
	exec 8>&-
	begun
	feed 2 2 '.entitiesImpacted[0].entityValue = "mlx5_1"'
	ended
	[ "$(query "SELECT count(*) FROM event WHERE id = '$id-1'")" -eq 1 ]
	[ "$(query 'SELECT count(*) FROM event')" -eq 3 ]
	covered 0
}

@test "a silence survives a reboot; a kernel log fault of the boot before is not sent when it ends" {
	local id
	id=$(silence mlx5_0)
	in_boot first
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | .checkName = \"SysLogsNICDriverError\" | .errorCode = [\"cmd_timeout\"]"
	wait_until 10 covered 2
	end_feed
	ends_with 0 "$EMIT"
	in_boot second
	wait_until 10 covered 1
	feed 3 3 "$FATAL"
	[ "$(jq -r .processingStrategy "$T/taken")" = STORE_ONLY ]
	unsilence "$id"
	wait_until 20 has_lines 2 "$T/taken"
	ended
	[ "$(jq -r 'select(.metadata.afterSilence) | .errorCode[0]' "$T/taken")" = symbol_error ]
}

@test "a fault of a NIC from before a boot is not sent when its silence ends, but what the node then reports" {
	local id other='.checkName = "OtherCheck"'
	id=$(silence mlx5_0)
	in_boot first
	feed 1 1 "$FATAL"
	feed 2 2 "$FATAL | $other"
	feed 3 3 "$FATAL | .nodeName = \"gpu-2\""
	wait_until 10 covered 3
	end_feed
	ends_with 0 "$EMIT"
	unsilence "$id"
	in_boot second
	wait_until 20 has_lines 2 "$T/taken"
	diff <(jq -r '[.nodeName, .checkName] | @tsv' "$T/taken") <(printf '%s\t%s\n' \
		gpu-1 OtherCheck gpu-2 InfiniBandDegradationCheck)
	covered 1
	feed 4 4 "$HEALTHY"
	feed 5 5 "$FATAL"
	ended
	[ "$(tail -n 2 "$T/taken" | jq -r '"\(.id) \(.processingStrategy)"' | xargs)" = \
		"t-4 EXECUTE_REMEDIATION t-5 EXECUTE_REMEDIATION" ]
	covered 0
}

@test "a lost spool loses no silenced condition: the acks file has them" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1
	wait_until 10 grep -q "$id" "$ACKS"
	killed "$EMIT"
	exec 8>&-
	rm "$SPOOL"*
	begun
	wait_until 10 covered 1
	unsilence "$id"
	wait_until 20 grep -q "\"$id-1\"" "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	covered 0
}

@test "a lost spool does not send a silenced fault from before a boot: the acks file has that, too" {
	local id
	id=$(silence mlx5_0)
	in_boot first
	feed 1 1 "$FATAL"
	wait_until 10 covered 1
	end_feed
	ends_with 0 "$EMIT"
	in_boot second
	wait_until 10 grep -q '"boot_id":"second"' "$ACKS"
	end_feed
	ends_with 0 "$EMIT"
	rm "$SPOOL"*
	unsilence "$id"
	begun --node gpu-1 --boot-id-file "$T/boot_id"
	feed 2 2 "$FATAL | .entitiesImpacted[0].entityValue = \"mlx5_1\""
	wait_until 20 grep -q '"t-2"' "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	none grep -q "$id" "$T/taken"
	covered 1
}

@test "an invalid silences file is reported, and the silences in force stay" {
	local id
	id=$(silence mlx5_0)
	begun
	feed 1 1
	echo '{"kind":"silence"}' >"$SILENCES.new"
	mv "$SILENCES.new" "$SILENCES"
	wait_until 10 says 1 "^emit: error: silences $SILENCES: line 1: silence record without \"id\"$"
	wait_until 10 says 1 "^emit: warning: silences $SILENCES: rejected: the previous silences stay in effect$"
	feed 2 2
	rm "$SILENCES"
	wait_until 20 has_lines 3 "$T/taken"
	end_feed
	ends_with 0 "$EMIT"
	[ "$(delivered | cut -f 2 | xargs)" = "STORE_ONLY STORE_ONLY EXECUTE_REMEDIATION" ]
}

@test "in random stories of faults, silences and kills a receiver believes what stands unsilenced" {
	run "$BATS_TEST_DIRNAME/belief/silenced" --stories 10
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} = "silenced: 10 passed, 0 failed, "* ]]
}

@test "nichist shows who silenced an event or condition, and why" {
	silence mlx5_0
	begun
	feed 1 1
	feed 2 2 '.entitiesImpacted[0].entityValue = "mlx5_1"'
	ended
	run --separate-stderr nichist --spool "$SPOOL" --history --standing --since 2020-01-01
	status_is 0
	[ "$(grep -c 'event 1 (silenced by alice: repair)$' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'event 1 (silenced, see nicsilence)$' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'event 2$' <<<"$output")" -eq 2 ]
	run nichist --spool "$SPOOL" --standing --format json
	jq -e -s --arg id "$(jq -r .id "$SILENCES")" \
		'map(select(.kind == "condition") | [.device, .silence]) | sort == [["mlx5_0", $id],
			["mlx5_1", null]]' <<<"$output"
}

@test "--silences needs --spool" {
	run --separate-stderr emit --silences "$SILENCES" </dev/null
	status_is 64 "^emit: error: --silences: it needs --spool, to send conditions that are still active when a silence ends \(try 'emit --help'\)$"
}
