#!/usr/bin/env bats
# logmatch-forms: every pattern in every form of a kernel log, near misses, and reports of lock-ups.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

# in_every_form FILE - write the texts of FILE in each form to FORM.log
in_every_form() {
	local form
	for form in $(logforms --list); do
		logforms "$form" <"$1" >"$BATS_TEST_TMPDIR/$form.log"
	done
}

# resolution FORM - print the resolution of its times in microseconds; 0: no absolute time
resolution() {
	case $1 in
	plain | level | dmesg-delta) echo 0 ;;
	dmesg-reltime) echo 60000000 ;;
	*ctime | journal-short* | journal-full | journal-iso | journal-iso-uptime) echo 1000000 ;;
	syslog | level-words-short | journal-nameless) echo 1000000 ;;
	*) echo 1 ;;
	esac
}

# expected RESOLUTION - print pattern, time and message of each sample; logforms puts the first one
# at 2020-04-23T19:04:25.123456Z and the others 250 ms apart
expected() {
	command jq -R -r --argjson resolution "$1" 'split("\t") as [$pattern, $versions, $text]
		| (1587668665123456 + (input_line_number - 1) * 250000) as $at
		| (if $resolution == 0 then 1587686400000000
		else $at - $at % $resolution end) as $at
		| [$pattern, ($at / 1000000 | floor
		| todate[:-1]) + "." + ("00000\($at % 1000000)"[-6:]) + "Z", $text]
		| @tsv' "$SAMPLES/samples.tsv"
}

@test "every sample of every pattern matches once in every form, with its text and its time" {
	local form forms=0
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >"$BATS_TEST_TMPDIR/texts"
	in_every_form "$BATS_TEST_TMPDIR/texts"
	for form in $(logforms --list); do
		find_in "$BATS_TEST_TMPDIR/$form.log" --sysfs-root "$SYS" --now 2020-04-24T00:00:00Z
		status_is 0
		[ -z "$stderr" ]
		echo "$form" >&2
		diff <(expected "$(resolution "$form")") \
			<(jq -r '[.errorCode[0], .generatedTimestamp, .message] | @tsv' \
			<<<"$output") >&2
		forms=$((forms + 1))
	done
	[ "$forms" -ge 30 ]
}

@test "every sample matches with the colours of grep inside its words" {
	functions
	cut -f 3 "$SAMPLES/samples.tsv" | grep --color=always -E 'e|t|$' >"$BATS_TEST_TMPDIR/log"
	find_in "$BATS_TEST_TMPDIR/log" --sysfs-root "$SYS"
	status_is 0
	diff <(found .message) <(cut -f 3 "$SAMPLES/samples.tsv")
}

@test "every single-line pattern has samples" {
	diff <(logmatch --list | grep -v -E '^	' | cut -d ' ' -f 1 | grep -v \
		-E '^mlx5_.*(lockup|stall|hung)$' | sort) \
		<(cut -f 1 "$SAMPLES/samples.tsv" | sort -u)
}

# Thorough: tools
@test "lines of all forms in one log are told apart" {
	local form logs=0
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >"$BATS_TEST_TMPDIR/texts"
	in_every_form "$BATS_TEST_TMPDIR/texts"
	# A record of /dev/kmsg is three lines that must stay together.
	for form in $(logforms --list | grep -v -x kmsg); do
		cp "$BATS_TEST_TMPDIR/$form.log" "$BATS_TEST_TMPDIR/part.$logs"
		logs=$((logs + 1))
	done
	paste -d '\n' "$BATS_TEST_TMPDIR"/part.* >"$BATS_TEST_TMPDIR/all.log"
	find_in "$BATS_TEST_TMPDIR/all.log" --sysfs-root "$SYS"
	status_is 0
	diff <(found) <(cut -f 1 "$SAMPLES/samples.tsv" | awk -v "n=$logs" \
		'{ for (i = 0; i < n; i++) print }')
}

# Thorough: tools
@test "a named format accepts its own forms as auto does" {
	local format form forms
	functions
	cut -f 3 "$SAMPLES/samples.tsv" >"$BATS_TEST_TMPDIR/texts"
	in_every_form "$BATS_TEST_TMPDIR/texts"
	while read -r format forms; do
		for form in $forms; do
			find_in "$BATS_TEST_TMPDIR/$form.log" --sysfs-root "$SYS" \
				--now 2020-04-24T00:00:00Z
			cp "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/auto"
			find_in "$BATS_TEST_TMPDIR/$form.log" --sysfs-root "$SYS" \
				--now 2020-04-24T00:00:00Z --format "$format"
			status_is 0
			echo "$format $form" >&2
			diff "$BATS_TEST_TMPDIR/auto" "$BATS_TEST_TMPDIR/events" >&2
		done
	done <<-'END'
		kmsg kmsg
		dmesg plain uptime uptime-task uptime-cpu level level-uptime dmesg-ctime dmesg-delta dmesg-reltime dmesg-iso dmesg-decoded dmesg-decoded-ctime mail
		journal journal-short journal-short-uptime journal-precise journal-full journal-iso journal-iso-uptime journal-iso-precise journal-monotonic journal-delta journal-unix journal-nameless journal-nameless-unix journal-nameless-monotonic journal-json journal-json-bytes
		syslog syslog syslog-5424 level-words level-words-short journal-short
	END
}

@test "near misses make no event, in any form" {
	local form
	functions
	in_every_form "$SAMPLES/near-misses.txt"
	for form in $(logforms --list); do
		find_in "$BATS_TEST_TMPDIR/$form.log" --sysfs-root "$SYS"
		status_is 0
		echo "$form" >&2
		finds >&2
	done
}

# Thorough: tools
@test "100,000 ordinary kernel lines make no event" {
	functions
	ordinary 100000 >"$BATS_TEST_TMPDIR/raw.log"
	find_in "$BATS_TEST_TMPDIR/raw.log" --sysfs-root "$SYS"
	status_is 0
	[ -z "$output" ]
	[ -z "$stderr" ]
	# Append a fault and check that it is found: this proves that logmatch reads the log.
	echo "[99999.000000] mlx5_core 0000:18:00.0: health recovery failed" \
		>>"$BATS_TEST_TMPDIR/raw.log"
	find_in "$BATS_TEST_TMPDIR/raw.log" --sysfs-root "$SYS"
	finds recovery_failed
}

@test "ordinary lines make no event as JSON, as records and as syslog" {
	local form
	functions
	ordinary --texts 20000 7 >"$BATS_TEST_TMPDIR/texts"
	for form in journal-json kmsg syslog; do
		logforms "$form" <"$BATS_TEST_TMPDIR/texts" >"$BATS_TEST_TMPDIR/log"
		find_in "$BATS_TEST_TMPDIR/log" --sysfs-root "$SYS"
		status_is 0
		echo "$form: $output" >&2
		[ -z "$output" ]
	done
}

@test "logmatch reads every form of the journal's JSON that has an entry per line" {
	local form format
	cd "$BATS_TEST_TMPDIR" || return
	functions
	echo "mlx5_core 0000:18:00.0: health recovery failed" | logforms journal-json >json
	sed 's/^/\x1e/' json >json-seq
	sed 's/^/data: /; G' json >json-sse
	for form in json json-seq json-sse; do
		for format in auto journal; do
			find_in "$form" --format "$format" --sysfs-root "$SYS"
			status_is 0
			SHOW='"\(.errorCode[0]) \(.metadata.evidence)"' finds 'recovery_failed null'
			[ -z "$stderr" ]
		done
	done
}

@test "a form with several lines per entry is rejected with 65, and other logs are still read" {
	local form format
	cd "$BATS_TEST_TMPDIR" || return
	functions
	echo "mlx5_core 0000:18:00.0: health recovery failed" >plain
	logforms journal-json <plain | jq . >json-pretty
	jq -s . json-pretty | sed 's/$/\r/' >json-array
	printf '{\n   "dmesg": [\n      {\n         "pri": 3,\n         "time":    65.700000,\n' \
		>json-dmesg
	printf '         "msg": "%s"\n      }\n   ]\n}' "$(cat plain)" >>json-dmesg
	printf '__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1587668665123456\nMESSAGE=%s\n\n' \
		"$(cat plain)" >exported
	printf 'Thu 2020-04-23 19:04:25.123456 UTC [s=1;i=1]\n    MESSAGE=%s\n' \
		"$(cat plain)" >verbose
	for form in json-pretty json-array json-dmesg exported verbose; do
		for format in auto dmesg; do
			match --format "$format" --sysfs-root "$SYS" "$form" plain
			status_is 65 "^logmatch: error: $form: entries of several lines are not supported: "
			finds recovery_failed
		done
	done
}

@test "a log that is compressed or the journal's own is rejected with 65, and other logs are read" {
	local form size
	cd "$BATS_TEST_TMPDIR" || return
	functions
	echo "mlx5_core 0000:18:00.0: health recovery failed" >plain
	gzip -c plain >"zcat"
	printf '\xFD7zXZ\0' >xzcat
	printf '\x28\xB5\x2F\xFD\n' >zstdcat
	printf 'BZh91AY&SY\n\n' >bzcat
	printf '\x04\x22\x4D\x18\0' >lz4cat
	for form in zcat xzcat zstdcat bzcat lz4cat; do
		match --sysfs-root "$SYS" "$form" plain
		status_is 65 "^logmatch: error: $form: not text: read the output of '$form'$"
		finds recovery_failed
	done
	# More than the longest line without a line feed.
	for size in 1 3000000; do
		{ printf LPKSHHRH && head -c "$size" /dev/zero; } >journal
		match --sysfs-root "$SYS" journal plain
		status_is 65 "^logmatch: error: journal: not text: read the output of 'journalctl -o json "
		finds recovery_failed
	done
	# As a PowerShell on Windows writes it.
	for form in UTF-16LE UTF-16BE; do
		{ printf '\xEF\xBB\xBF' && sed 's/$/\r/' plain; } | iconv -f UTF-8 -t $form >windows
		match --sysfs-root "$SYS" windows plain
		status_is 65 "^logmatch: error: windows: not text: read the output of 'iconv -f UTF-16'$"
		finds recovery_failed
	done
	{ printf '\xEF\xBB\xBF' && cat plain; } >marked
	match --sysfs-root "$SYS" marked
	status_is 0
	finds recovery_failed
	# Text that begins like it.
	printf 'BZh\n%s\n' "$(cat plain)" >text
	match --sysfs-root "$SYS" text
	status_is 0
	finds recovery_failed
}

# --- lock-ups ---

# lockups FORM - print file, pattern, CPU and seconds of each report in the form (raw: unchanged)
lockups() {
	local file kept=$BATS_TEST_TMPDIR/lockups.$1
	mkdir "$kept"
	for file in "$SAMPLES"/lockups/*.log; do
		if [ "$1" = raw ]; then
			cp "$file" "$BATS_TEST_TMPDIR/log"
		else
			# In JSON and in records the time is not part of the text.
			sed -E 's/^\[ *[0-9.]+\](\[ *[TC][0-9]+\])? //' "$file" | logforms \
				--step 0 "$1" >"$BATS_TEST_TMPDIR/log"
		fi
		find_in "$BATS_TEST_TMPDIR/log"
		status_is 0
		# Report a file without events as a line, too.
		if [ -s "$BATS_TEST_TMPDIR/events" ]; then
			mv "$BATS_TEST_TMPDIR/events" "$kept/${file##*/}"
		else
			echo '{}' >"$kept/${file##*/}"
		fi
	done
	jq -r '[(input_filename | sub(".*/"; "")), .errorCode[0] // "-", .metadata.cpu // "-",
		.metadata.durationSeconds // "-"] | @tsv' "$kept"/*
}

lockups_are() { diff <(sort "$SAMPLES/lockups/expect.tsv") <(lockups "$1" | sort); }

# Thorough: tools
@test "the driver's lock-up reports match with CPU and duration, and those of others do not" {
	lockups_are raw
}

# Without times of their own the two reports of soft-quiet-for-30-minutes are one.
# Thorough: tools
@test "lock-up reports match as the journal's JSON and as records of /dev/kmsg" {
	local form
	for form in journal-json journal-json-bytes kmsg; do
		echo "$form" >&2
		diff <(grep -v -F '	8	24' "$SAMPLES/lockups/expect.tsv" | sort) \
			<(lockups "$form" | sort) >&2
	done
}

@test "the message of a soft lock-up has the CPU and the duration" {
	find_in "$SAMPLES/lockups/soft-6.12-build-id.log"
	status_is 0
	jq -e '.isFatal and .checkName == "SysLogsNICDriverError"
		and (.message | test("soft lockup - CPU#3 stuck for 27s!.*mlx5e_")) and
		(.entitiesImpacted == [])' <<<"$output"
}

@test "a frame counts up to 150 lines after the report's header, whatever is between, and not further" {
	local between
	for between in 149 150; do
		{
			echo "watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:40]"
			ordinary --texts "$between" 3
			echo " mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]"
		} >"$BATS_TEST_TMPDIR/$between.log"
	done
	find_in "$BATS_TEST_TMPDIR/149.log"
	finds mlx5_napi_soft_lockup
	find_in "$BATS_TEST_TMPDIR/150.log"
	finds
	# Empty lines do not count as the kernel's.
	sed 's/^/[ 1000.000001] /; s/$/\n/' "$BATS_TEST_TMPDIR/149.log" \
		>"$BATS_TEST_TMPDIR/wide.log"
	find_in "$BATS_TEST_TMPDIR/wide.log"
	finds mlx5_napi_soft_lockup
}

@test "faults inside a lock-up report are found, too" {
	{
		echo "watchdog: BUG: soft lockup - CPU#5 stuck for 24s! [ksoftirqd/5:40]"
		cut -f 3 "$SAMPLES/samples.tsv" | head -n 30
		echo " mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]"
	} >"$BATS_TEST_TMPDIR/log"
	find_in "$BATS_TEST_TMPDIR/log"
	diff <(found) <(cut -f 1 "$SAMPLES/samples.tsv" | head -n 30; echo mlx5_napi_soft_lockup)
}
