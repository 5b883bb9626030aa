#!/usr/bin/env bats
# logmatch-forged: forged lines: names of programs, files and devices in the kernel's log, lines
# that programs write there, perfect copies of driver messages.
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2034 # finds() reads SHOW

load lib/common
load lib/logmatch

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >texts
	# The driver, or the PCI core, names the device of these in the record's dictionary.
	grep -E '^([a-z0-9_.]+ (mlx5_core\.|[0-9a-f]+:)|infiniband )' texts >of_devices
	[ "$(wc -l <of_devices)" -gt 100 ]
}

GENUINE="mlx5_core 0000:18:00.0: health recovery failed"
PERFECT="mlx5_core 0000:18:00.0: poll_health:833:(pid 0): device's health compromised - reached miss count"

# read_all [OPTION]... - run logmatch on `log`, reporting every match
read_all() { find_in log --sysfs-root "$SYS" "$@"; }

# live [OPTION]... - do the same with `log` as a log of this node
live() { match --dedup-window 0 --sysfs-root "$SYS" "$@" log; }

@test "driver messages inside another kernel message make no event, in any form" {
	local form
	forgeries >forged
	[ "$(wc -l <forged)" -ge 1500 ]
	echo "$GENUINE" >>forged
	# In the form of a syslog file, a second blank behind the tag may be the writer's.
	grep -v -E '^ [^ ]' forged >forged_in_file
	for form in $(logforms --list); do
		case $form in
		journal-short | journal-precise | journal-full | journal-nameless)
			logforms "$form" <forged_in_file >log ;;
		journal-iso | journal-iso-precise) logforms "$form" <forged_in_file >log ;;
		*) logforms "$form" <forged >log ;;
		esac
		echo "$form" >&2
		read_all
		status_is 0
		SHOW=.message finds "$GENUINE" >&2
	done
}

# Thorough: tools
@test "a line feed inside a message does not end the line, in records, JSON entries and entries of bytes" {
	local form
	for form in kmsg json bytes; do
		forgeries --feeds "$form" >log
		[ "$(wc -l <log)" -ge 1500 ]
		echo "$form" >&2
		read_all
		status_is 0
		finds >&2
		[ -z "$stderr" ]
	done
}

@test "a recovery forged after a line feed clears nothing" {
	{
		echo "$PERFECT" | kmsg_records
		printf '6,1,2000000,-;a.out[7]: segfault at 0 in \\x0amlx5_core 0000:18:00.0: health recovery succeeded\n SUBSYSTEM=pci\n DEVICE=+pci:0000:18:00.0\n'
	} >log
	match --format kmsg --state state.json --sysfs-root "$SYS" log
	finds health_poll_failed
	jq -e '.memory.standing | length == 1' state.json
}

# Thorough: tools
@test "perfect copies that programs write into the kernel's log are no events, as their facility differs" {
	local form
	for form in kmsg level level-uptime syslog syslog-5424 dmesg-decoded level-words \
		level-words-short journal-json journal-json-bytes; do
		logforms "$form" <texts >copies
		sed -E -e 's/^4,/12,/; s/^<4>/<12>/; s/^kern  :/user  :/; s/^kern\./user./' \
			-e 's/ kern\.warning / user.warning /' \
			-e 's/"SYSLOG_FACILITY":"0"/"SYSLOG_FACILITY":"1"/' copies >log
		none cmp -s copies log
		echo "$form" >&2
		read_all
		status_is 0
		finds >&2
	done
}

@test "journal entries of another source than the kernel are no events, whatever their identifier" {
	local change
	logforms journal-json <texts >copies
	for change in 's/"_TRANSPORT":"kernel"/"_TRANSPORT":"syslog"/' \
		's/"_TRANSPORT":"kernel"/"_TRANSPORT":"journal"/' \
		's/"_TRANSPORT":"kernel"/"_TRANSPORT":"stdout"/' \
		's/"_TRANSPORT":"kernel"/"_TRANSPORT":"audit"/' \
		's/"SYSLOG_IDENTIFIER":"kernel"/"SYSLOG_IDENTIFIER":"kernel2"/' \
		's/"_TRANSPORT":"kernel",/"_PID":"7",/'; do
		sed "$change" copies >log
		none cmp -s copies log
		echo "$change" >&2
		read_all
		status_is 0
		finds >&2
	done
}

# Thorough: tools
@test "a record that does not name its message's device is skipped with a warning" {
	local form change
	for form in kmsg journal-json; do
		logforms "$form" <of_devices >copies
		for change in '/^ (SUBSYSTEM|DEVICE)=/d; s/"_KERNEL_[A-Z]*":"[^"]*",//g' \
			'/^ DEVICE=/d; s/"_KERNEL_DEVICE":"[^"]*",//' \
			'/^ SUBSYSTEM=/d; s/"_KERNEL_SUBSYSTEM":"[^"]*",//' \
			's/(DEVICE"?[=:]"?\+[a-z_]+:)[0-9a-z_:.-]+/\10000:99:00.0/' \
			's/(DEVICE"?[=:]"?)\+/\1/' \
			's/(DEVICE"?[=:]"?\+)[a-z_]+:/\1usb:/' \
			's/(SUBSYSTEM"?[=:]"?)[a-z_]+/\1usb/'; do
			sed -E "$change" copies >log
			none cmp -s copies log
			echo "$form $change" >&2
			read_all
			status_is 0 \
				'a text like a driver.s in a record that does not name its device: skipped'
			finds >&2
		done
	done
}

@test "messages that the kernel writes without a dictionary match without one" {
	grep -v -x -F -f of_devices texts >log
	[ "$(wc -l <log)" -ge 5 ]
	logforms kmsg <log >records
	none grep -q DEVICE records
	mv records log
	read_all
	[ "$(found | sort -u | xargs)" = "netdev_watchdog probe_failed" ]
}

@test "records that arrive line by line are matched with their dictionaries" {
	logforms kmsg <of_devices >whole
	mkfifo log
	while IFS= read -r line; do echo "$line"; done <whole >log &
	read_all
	[ "$(found | wc -l)" -eq "$(wc -l <of_devices)" ]
}

# Thorough: tools
@test "events from text are STORE_ONLY, those from records are not, and --trust-text treats both alike" {
	local form
	SHOW='.processingStrategy + " " + (.metadata.evidence // "-")'
	for form in $(logforms --list); do
		echo "$PERFECT" | logforms "$form" >log
		echo "$form" >&2
		read_all
		case $form in
		kmsg | journal-json*) finds "EXECUTE_REMEDIATION -" >&2 ;;
		*) finds "STORE_ONLY text" >&2 ;;
		esac
		read_all --trust-text
		[ "$(found .processingStrategy)" = EXECUTE_REMEDIATION ]
	done
}

@test "records among lines of text count only as text" {
	SHOW='.processingStrategy + " " + (.metadata.evidence // "-")'
	{ echo "a.out[7]: segfault at 0 in " && echo "$PERFECT" | kmsg_records; } >log
	read_all
	finds "STORE_ONLY text"
	# Records before the first line of text are not affected.
	{ echo "$PERFECT" | logforms journal-json && echo text && echo "$PERFECT" | logforms \
		journal-json; } >log
	read_all
	finds "EXECUTE_REMEDIATION -" "STORE_ONLY text"
	# An entry that was reduced to its message is text, and so is one quoted in a mail.
	{ echo "{\"MESSAGE\":\"$PERFECT\"}" && echo "$PERFECT" | logforms journal-json |
		sed 's/^/> /'; } >log
	read_all
	finds "STORE_ONLY text" "STORE_ONLY text"
	echo "$PERFECT" | kmsg_records | sed 's/^/> /' >log
	read_all
	finds "STORE_ONLY text"
}

@test "in text of this node only faults of a NIC here are fatal; in records and in another boot's log all are" {
	SHOW='"\(.isFatal) \(.errorCode[0])"'
	printf '%s\n' "$PERFECT" "${PERFECT/18:00.0/99:00.0}" \
		"mlx5_core.sf mlx5_core.sf.4: wait_func:1:(pid 7): A(0x1) timeout. Will cause a leak of a command resource" >log
	live --trust-text
	finds "true health_poll_failed" "false health_poll_failed" "false cmd_exec_timeout"
	read_all
	finds "true health_poll_failed" "true health_poll_failed" "true cmd_exec_timeout"
	echo "${PERFECT/18:00.0/99:00.0}" | kmsg_records >log
	live
	finds "true health_poll_failed"
}

@test "a recovery from text clears only what text has reported" {
	SHOW='(.errorCode | join(",")) + " " + .processingStrategy'
	echo "$PERFECT" | kmsg_records >log
	live --state state.json
	echo "mlx5_core 0000:18:00.0: health recovery succeeded" >log
	live --state state.json
	finds "recovery_succeeded STORE_ONLY"
	jq -e '.memory.standing | map(.pattern) == ["health_poll_failed"]' state.json
	live --state state.json --trust-text
	finds "recovery_succeeded,health_poll_failed EXECUTE_REMEDIATION"
	printf '%s\n' "$PERFECT" "mlx5_core 0000:18:00.0: health recovery succeeded" >log
	live --state state.json
	finds "health_poll_failed STORE_ONLY" "recovery_succeeded,health_poll_failed STORE_ONLY"
}
