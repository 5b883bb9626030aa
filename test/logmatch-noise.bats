#!/usr/bin/env bats
# logmatch-noise: repeated lines are counted, events of a card are grouped, and a recovery names the
# events that it ends.
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2034 # finds() reads SHOW

load lib/common
load lib/logmatch

# at SECONDS TEXT - print a line with that time
at() { printf '[%5d.000000] %s\n' "$1" "$2"; }

# report_on [OPTION]... - run logmatch on the lines of stdin
report_on() { match --boot-time "$BOOT_TIME" --sysfs-root "$BATS_TEST_TMPDIR" "$@"; }

A=0000:18:00.0 B=0000:18:00.1 C=0000:3a:00.0

watchdog() { echo "mlx5_core $1 eth0: NETDEV WATCHDOG: CPU: $2: transmit queue $2 timed out 50$2 ms"; }
timeout_of() { echo "mlx5_core $1: wait_func:1176:(pid $3): $2 timeout. Will cause a leak of a command resource"; }
recovery_of() { echo "mlx5_core $1: health recovery succeeded"; }

# three_of NAME - print three lines of the pattern, as RepeatedNICDriverError needs, in as many
# wordings as the kernel has
three_of() {
	awk -F '\t' -v name="$1" '$1 == name { text[n++] = $3 } END { for (i = 0; i < 3; i++) print text[i % n] }' "$SAMPLES/samples.tsv" |
		sed "s/0000:18:00.0/$A/" | while read -r text; do at "$((second += 4))" "$text"; \
		done
}

# Thorough: tools
@test "three equal lines within ten seconds are three events, so that receivers can count repetitions" {
	local pattern
	for pattern in netdev_watchdog port_module_high_temp pci_power_insufficient \
		module_unplugged mlx5_tx_timeout_detected mlx5_rx_timeout_detected; do
		report_on < <(three_of "$pattern")
		SHOW='.errorCode[0] + " " + (.metadata.repeats // "-")' finds \
			"$pattern -" "$pattern -" "$pattern -"
	done
}

@test "every matching line is an event, even if several lines are one report of the kernel" {
	SHOW='.errorCode[0] + " " + (.message | sub("^[^ ]* [^ ]* "; ""))'
	report_on < <(
		at 10 "mlx5_core $A: print_health_info:415:(pid 0): Health issue observed, unrecoverable hardware error, severity(2) CRITICAL:"
		at 10 "mlx5_core $A: print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error"
		at 11 "mlx5_core $A: health recovery failed"
		at 11 "mlx5_core $A: health recovery failed"
		at 12 "mlx5_core $A: cmd[1]: ENABLE_HCA(0x104) timed out while waiting for a slot"
		at 12 "mlx5_core $A: ENABLE_HCA(0x104) timeout while waiting for command semaphore"
	)
	finds "unrecoverable_err print_health_info:415:(pid 0): Health issue observed, unrecoverable hardware error, severity(2) CRITICAL:" \
		"unrecoverable_err print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error" \
		"recovery_failed health recovery failed" "recovery_failed health recovery failed" \
		"cmd_queue_timeout cmd[1]: ENABLE_HCA(0x104) timed out while waiting for a slot" \
		"cmd_queue_timeout ENABLE_HCA(0x104) timeout while waiting for command semaphore"
}

# A window lasts 60 s from its first event. Ten events are written in it, and the first event after
# it has the number of the others.
@test "in a storm each pattern and device has ten events a minute, and the next event counts the rest" {
	SHOW='.generatedTimestamp[11:19] + " " + .errorCode[0] + " " + .metadata.pci + " " + (.metadata.repeats // "-")'
	{
		for second in {0..12} 59; do
			at "$second" "$(watchdog $A "$((second % 7))")"
			at "$second" "$(timeout_of $A 'MANAGE_PAGES(0x108)' "$second")"
		done
		at 59 "$(watchdog $C 1)"
		at 60 "$(watchdog $A 9)"
		at 61 "$(watchdog $A 9)"
		at 61 "$(timeout_of $A 'MANAGE_PAGES(0x108)' 61)"
	} >"$BATS_TEST_TMPDIR/log"
	report_on "$BATS_TEST_TMPDIR/log"
	status_is 0
	local told=()
	for second in {0..9}; do
		told+=("18:53:2$second netdev_watchdog $A -" "18:53:2$second cmd_exec_timeout $A -")
	done
	finds "${told[@]/18:53:210/18:53:30}" "18:54:19 netdev_watchdog $C -" \
		"18:54:20 netdev_watchdog $A 4" "18:54:21 netdev_watchdog $A -" \
		"18:54:21 cmd_exec_timeout $A 4"
	# --count counts all of them.
	match --count "$BATS_TEST_TMPDIR/log"
	[ "$output" = $'cmd_exec_timeout 15\nnetdev_watchdog 17' ]
}

@test "a storm of one device or pattern does not reduce the events of another one" {
	report_on < <(
		for _ in {1..300}; do
			at 1 "mlx5_core $A: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, Unknown identifier"
			at 1 "mlx5_core $C: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, Unknown identifier"
			at 1 "mlx5_core $A: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, High Temperature"
			at 1 "NETDEV WATCHDOG: ens1f0 (mlx5_core): transmit queue 3 timed out"
			at 1 "NETDEV WATCHDOG: ens2f0 (mlx5_core): transmit queue 3 timed out"
		done
	)
	diff <(found '.errorCode[0] + " " + (.metadata.pci // .message[17:23])' | sort | uniq -c |
		sed 's/^ *//') - <<-END
	10 netdev_watchdog ens1f0
	10 netdev_watchdog ens2f0
	10 port_module_error $A
	10 port_module_error $C
	10 port_module_high_temp $A
	END
}

# Thorough: tools
@test "--dedup-window sets the length of the window: none, or ten minutes" {
	seq 0 5 599 | while read -r second; do at "$second" "$(watchdog $A 1)"; \
		done >"$BATS_TEST_TMPDIR/log"
	report_on "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 100 ]
	report_on --dedup-window 0 "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 120 ]
	report_on --dedup-window 10m "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 10 ]
	at 600 "$(watchdog $A 1)" >>"$BATS_TEST_TMPDIR/log"
	report_on --dedup-window 10m "$BATS_TEST_TMPDIR/log"
	[ "$(found '.metadata.repeats // "-"' | xargs)" = "- - - - - - - - - - 110" ]
}

@test "lines out of order count in the window, and a log that jumps back by an hour starts a new window" {
	SHOW='.metadata.repeats // "-"'
	report_on < <(
		at 7200 "$(watchdog $A 1)"
		for _ in {1..12}; do at 7195 "$(watchdog $A 1)"; done
		at 3000 "$(watchdog $A 1)"
		for _ in {1..12}; do at 3001 "$(watchdog $A 1)"; done
		at 3100 "$(watchdog $A 1)"
	)
	# shellcheck disable=SC2046 # one word each
	finds $(printf -- '- %.0s' {1..10}) 3 $(printf -- '- %.0s' {1..9}) 3
}

# --- cards ---

@test "events of several functions of a card within five seconds name the first event" {
	report_on < <(
		at 1 "mlx5_core $A: health recovery failed"
		at 3 "mlx5_core $C: health recovery failed"
		at 6 "mlx5_core $B: health recovery failed"
		at 8 "mlx5_core $A: NIC IFC still 7 after 60000ms."
		at 14 "mlx5_core $B: NIC IFC still 7 after 60000ms."
		at 15 "mlx5_core $B: health recovery flow aborted"
	)
	jq -e -s 'map([.metadata.card, .metadata.group]) == [["0000:18:00", null],
		["0000:3a:00", null], ["0000:18:00", .[0].id], ["0000:18:00", .[0].id],
		["0000:18:00", null], ["0000:18:00", null]]' <<<"$output"
}

# --- recovery ---

@test "a recovery is a healthy event that names the faults of its function that it ends" {
	report_on < <(
		at 1 "mlx5_core $A: device's health compromised - reached miss count"
		at 2 "mlx5_core $A: poll_health:802:(pid 0): Fatal error 1 detected"
		at 3 "mlx5_core $B: poll_health:802:(pid 0): Fatal error 1 detected"
		at 4 "mlx5_core $A: Detected insufficient power on the PCIe slot (27W)."
		at 60 "$(recovery_of $A)"
		at 61 "$(recovery_of $A)"
	)
	jq -e -s '.[4] as $e | ($e.isHealthy and ($e.isFatal | not))
		and $e.recommendedAction == "NONE" and
		$e.errorCode == ["recovery_succeeded", "health_poll_failed", "fatal_sensor"]
		and $e.metadata.answers == .[0].id + "," + .[1].id' <<<"$output"
	# A recovery ends each fault once, and one without faults is still an event.
	jq -e -s 'length == 6 and .[5].errorCode == ["recovery_succeeded"]
		and .[5].metadata.answers == null' <<<"$output"
}

@test "a recovery has the processing strategy of the fault that it ends" {
	SHOW='.errorCode[0] + " " + .processingStrategy'
	report_on --trust-text < <(
		at 1 "mlx5_core $A: poll_health:802:(pid 0): Fatal error 1 detected"
		at 2 "$(recovery_of $A)"
		at 3 "mlx5_core $A: device's health compromised - reached miss count"
		at 4 "$(recovery_of $A)"
	)
	finds "fatal_sensor STORE_ONLY" "recovery_succeeded STORE_ONLY" \
		"health_poll_failed EXECUTE_REMEDIATION" "recovery_succeeded EXECUTE_REMEDIATION"
}

@test "a fault right after a recovery is reported again" {
	SHOW='.errorCode[0] + " " + (.metadata.repeats // "-")'
	report_on < <(
		for _ in {1..12}; do at 1 \
			"mlx5_core $A: poll_health:825:(pid 0): Fatal error 3 detected"; done
		at 3 "$(recovery_of $A)"
		at 4 "mlx5_core $A: poll_health:825:(pid 0): Fatal error 3 detected"
	)
	diff <(found "$SHOW" | uniq -c | sed 's/^ *//') - <<-END
	10 nic_reset_sensor -
	1 recovery_succeeded -
	1 nic_reset_sensor 2
	END
}

@test "a recovery is always an event, however often it is repeated" {
	report_on < <(for _ in {1..25}; do at 1 "$(recovery_of $A)"; done)
	[ "$(found | sort | uniq -c | xargs)" = "25 recovery_succeeded" ]
}

@test "a late command completion names the event that reported the command as lost" {
	report_on < <(
		at 1 "$(timeout_of $A 'CREATE_MKEY(0x200)' 1)"
		at 2 "$(timeout_of $A 'MANAGE_PAGES(0x108)' 2)"
		at 3 "mlx5_core $A: wait_func_handle_exec_timeout:1101:(pid 9): cmd[5]: CREATE_MKEY(0x200) recovered after timeout"
		at 4 "mlx5_core $C: wait_func_handle_exec_timeout:1101:(pid 9): cmd[5]: MANAGE_PAGES(0x108) recovered after timeout"
		at 5 "mlx5_core $A: mlx5_cmd_comp_handler:1709:(pid 0): Command completion arrived after timeout (entry idx = 0)."
	)
	jq -e -s '.[2].metadata.softens == .[0].id and .[3].metadata.softens == null and
		.[4].metadata.softens == null' <<<"$output"
	[ "$(found .isFatal | xargs)" = "true true false false false" ]
	# It names no command, so it refers to a command only if there is a single one.
	report_on < <(
		at 1 "$(timeout_of $A 'CREATE_MKEY(0x200)' 1)"
		at 2 "$(timeout_of $C 'MANAGE_PAGES(0x108)' 2)"
		at 3 "mlx5_core $A: mlx5_cmd_comp_handler:1709:(pid 0): Command completion arrived after timeout (entry idx = 0)."
	)
	jq -e -s '.[2].metadata.softens == .[0].id' <<<"$output"
}

# --- gaps ---

@test "the driver's own count of suppressed messages is a gap; that of other functions is not" {
	report_on < <(
		at 1 "mlx5_core $A: health recovery failed"
		at 2 "mlx5_cmd_out_err: 17 callbacks suppressed"
		at 3 "kauditd_printk_skb: 21 callbacks suppressed"
		at 4 "mlx5_cmd_out_err: many callbacks suppressed"
		at 5 "mlx5_core $A: health recovery flow aborted"
	)
	[ "$(jq -r .kind <<<"$output" | xargs)" = "event gap event" ]
	jq -e -s '.[1] == {kind: "gap", v: 1, source: "mlx5_cmd_out_err", lost: 17,
		ts: "2020-04-23T18:53:22.000000Z", node: .[1].node}' <<<"$output"
}
