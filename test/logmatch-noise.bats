#!/usr/bin/env bats
# logmatch: what is said again is counted, what belongs together is said to, what recovers names what it recovers from.

# shellcheck disable=SC2034 # finds() reads SHOW

load lib/common
load lib/logmatch

# at SECONDS TEXT - a line of that time.
at() { printf '[%5d.000000] %s\n' "$1" "$2"; }

# report_on [OPTION]... - logmatch on the lines of standing input.
report_on() { match --boot-time "$BOOT_TIME" --sysfs-root "$BATS_TEST_TMPDIR" "$@"; }

A=0000:18:00.0 B=0000:18:00.1 C=0000:3a:00.0

watchdog() { echo "mlx5_core $1 eth0: NETDEV WATCHDOG: CPU: $2: transmit queue $2 timed out 50$2 ms"; }
timeout_of() { echo "mlx5_core $1: wait_func:1176:(pid $3): $2 timeout. Will cause a leak of a command resource"; }
recovery_of() { echo "mlx5_core $1: health recovery succeeded"; }

# A window is of 60 s from the event that was reported; the one after it says how many there were.
@test "repetitions within a minute are counted, and the next event says how many there were" {
	SHOW='.generatedTimestamp[11:19] + " " + .metadata.pci + " " + (.metadata.repeats // "-")'
	report_on < <(
		for second in 0 1 30 59; do
			at "$second" "$(watchdog $A "$((second % 7))")"
		done
		at 59 "$(watchdog $C 1)"
		at 60 "$(watchdog $A 9)"
		at 119 "$(watchdog $A 9)"
		at 300 "$(watchdog $A 9)"
		at 400 "$(watchdog $A 9)"
	)
	status_is 0
	finds "18:53:20 $A -" "18:54:19 $C -" "18:54:20 $A 3" "18:58:20 $A 1" "19:00:00 $A -"
}

@test "another text, another device and another pattern are no repetitions" {
	report_on < <(
		at 1 "mlx5_core $A: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, Unknown identifier"
		at 2 "mlx5_core $A: port_module:259:(pid 7): Port module event[error]: module 1, Cable error, Unknown identifier"
		at 3 "mlx5_core $A: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, Power budget exceeded"
		at 4 "mlx5_core $C: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, Power budget exceeded"
		at 5 "mlx5_core $A: port_module:259:(pid 0): Port module event[error]: module 0, Cable error, High Temperature"
	)
	finds port_module_error port_module_error port_module_error port_module_high_temp
}

@test "the window is as long as asked for: none at all, ten minutes" {
	seq 0 30 599 | while read -r second; do at "$second" "$(watchdog $A 1)"; done >"$BATS_TEST_TMPDIR/log"
	report_on "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 10 ]
	report_on --dedup-window 0 "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 20 ]
	report_on --dedup-window 10m "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 1 ]
	at 600 "$(watchdog $A 1)" >>"$BATS_TEST_TMPDIR/log"
	report_on --dedup-window 10m "$BATS_TEST_TMPDIR/log"
	[ "$(found '.metadata.repeats // "-"' | xargs)" = "- 19" ]
}

@test "what is fatal is reported every time" {
	for window in 60s 10m 0; do
		report_on --dedup-window "$window" < <(for second in 1 1 2 3; do at "$second" "$(timeout_of $A 'MANAGE_PAGES(0x108)' 5)"; done)
		finds cmd_exec_timeout cmd_exec_timeout cmd_exec_timeout cmd_exec_timeout
	done
}

@test "one report that the kernel makes in two lines is one event, unless everything is asked for" {
	{
		at 10 "mlx5_core $A: print_health_info:415:(pid 0): Health issue observed, unrecoverable hardware error, severity(2) CRITICAL:"
		at 10 "mlx5_core $A: print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error"
		at 11 "mlx5_core $C: print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error"
		at 900 "mlx5_core $A: print_health_info:434:(pid 0): synd 0x8: unrecoverable hardware error"
	} >"$BATS_TEST_TMPDIR/log"
	SHOW='.errorCode[0] + " " + .metadata.pci'
	report_on "$BATS_TEST_TMPDIR/log"
	finds "unrecoverable_err $A" "unrecoverable_err $C" "unrecoverable_err $A"
	report_on --dedup-window 0 "$BATS_TEST_TMPDIR/log"
	[ "$(found | wc -l)" -eq 4 ]
}

@test "lines out of order are in the window, too, and a log that jumps back by an hour begins anew" {
	SHOW='.metadata.repeats // "-"'
	report_on < <(
		at 7200 "$(watchdog $A 1)"
		at 7195 "$(watchdog $A 1)"
		at 3000 "$(watchdog $A 1)"
		at 3001 "$(watchdog $A 1)"
		at 3100 "$(watchdog $A 1)"
	)
	finds - 1 1
}

# --- cards ---

@test "events of several functions of a card within five seconds name the first of them" {
	report_on < <(
		at 1 "mlx5_core $A: health recovery failed"
		at 3 "mlx5_core $C: health recovery failed"
		at 6 "mlx5_core $B: health recovery failed"
		at 8 "mlx5_core $A: NIC IFC still 7 after 60000ms."
		at 14 "mlx5_core $B: NIC IFC still 7 after 60000ms."
		at 15 "mlx5_core $B: health recovery flow aborted"
	)
	jq -e -s 'map([.metadata.card, .metadata.group]) == [["0000:18:00", null], ["0000:3a:00", null], ["0000:18:00", .[0].id], ["0000:18:00", .[0].id],
		["0000:18:00", null], ["0000:18:00", null]]' <<<"$output"
}

# --- recovery ---

@test "a recovery is a healthy event that names what it answers, of its own function" {
	report_on < <(
		at 1 "mlx5_core $A: device's health compromised - reached miss count"
		at 2 "mlx5_core $A: poll_health:802:(pid 0): Fatal error 1 detected"
		at 3 "mlx5_core $B: poll_health:802:(pid 0): Fatal error 1 detected"
		at 4 "mlx5_core $A: Detected insufficient power on the PCIe slot (27W)."
		at 60 "$(recovery_of $A)"
		at 61 "$(recovery_of $A)"
	)
	jq -e -s '.[4] as $e | ($e.isHealthy and ($e.isFatal | not)) and $e.recommendedAction == "NONE" and
		$e.errorCode == ["recovery_succeeded", "health_poll_failed", "fatal_sensor"] and $e.metadata.answers == .[0].id + "," + .[1].id' <<<"$output"
	# What is answered is answered, and a recovery from nothing is one all the same.
	jq -e -s 'length == 6 and .[5].errorCode == ["recovery_succeeded"] and .[5].metadata.answers == null' <<<"$output"
}

@test "a recovery is as binding as what it answers" {
	SHOW='.errorCode[0] + " " + .processingStrategy'
	report_on < <(
		at 1 "mlx5_core $A: poll_health:802:(pid 0): Fatal error 1 detected"
		at 2 "$(recovery_of $A)"
		at 3 "mlx5_core $A: device's health compromised - reached miss count"
		at 4 "$(recovery_of $A)"
	)
	finds "fatal_sensor STORE_ONLY" "recovery_succeeded STORE_ONLY" "health_poll_failed EXECUTE_REMEDIATION" "recovery_succeeded EXECUTE_REMEDIATION"
}

@test "what happens again right after a recovery is news" {
	SHOW='.errorCode[0] + " " + (.metadata.repeats // "-")'
	report_on < <(
		at 1 "mlx5_core $A: poll_health:825:(pid 0): Fatal error 3 detected"
		at 2 "mlx5_core $A: poll_health:825:(pid 0): Fatal error 3 detected"
		at 3 "$(recovery_of $A)"
		at 4 "mlx5_core $A: poll_health:825:(pid 0): Fatal error 3 detected"
	)
	finds "nic_reset_sensor -" "recovery_succeeded -" "nic_reset_sensor 1"
}

@test "a command that came back names the event that said it was lost" {
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
	# It names no command: only where there is but one is it known which.
	report_on < <(
		at 1 "$(timeout_of $A 'CREATE_MKEY(0x200)' 1)"
		at 2 "$(timeout_of $C 'MANAGE_PAGES(0x108)' 2)"
		at 3 "mlx5_core $A: mlx5_cmd_comp_handler:1709:(pid 0): Command completion arrived after timeout (entry idx = 0)."
	)
	jq -e -s '.[2].metadata.softens == .[0].id' <<<"$output"
}

# --- gaps ---

@test "messages that the driver left out are a gap, where it says so; those of others are none" {
	report_on < <(
		at 1 "mlx5_core $A: health recovery failed"
		at 2 "mlx5_cmd_out_err: 17 callbacks suppressed"
		at 3 "kauditd_printk_skb: 21 callbacks suppressed"
		at 4 "mlx5_cmd_out_err: many callbacks suppressed"
		at 5 "mlx5_core $A: health recovery flow aborted"
	)
	[ "$(jq -r .kind <<<"$output" | xargs)" = "event gap event" ]
	jq -e -s '.[1] == {kind: "gap", v: 1, source: "mlx5_cmd_out_err", lost: 17, ts: "2020-04-23T18:53:22.000000Z", node: .[1].node}' <<<"$output"
}
