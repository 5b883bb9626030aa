#!/usr/bin/env bats
# logmatch-hostile: input that no kernel writes does not crash logmatch, harms no terminal and hides
# no later fault.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/logmatch

FAULT="mlx5_core 0000:18:00.0: health recovery failed"

# feed - run logmatch on stdin, with the events in $output
feed() { match --dedup-window 0 --boot-time "$BOOT_TIME" --sysfs-root "$BATS_TEST_TMPDIR"; }

# are_safe - check that each event is one line of at most 4096 bytes of UTF-8 JSON, without control
# characters in its message
are_safe() {
	[ "$(LC_ALL=C awk '{ if (length($0) + 1 > most) most = length($0) + 1 } END { print most + 0 }' "$BATS_TEST_TMPDIR/events")" -le 4096 ]
	[ "$(tail -c 1 "$BATS_TEST_TMPDIR/events" | od -An -tx1 | tr -d ' ')" = 0a ]
	iconv -f UTF-8 -t UTF-8 "$BATS_TEST_TMPDIR/events" >/dev/null
	jq -e -s 'length > 0 and all(.message | test("[\\x00-\\x1f\\x7f-\\x9f]") | not)' \
		"$BATS_TEST_TMPDIR/events" >/dev/null
}

@test "NUL, escape sequences and invalid UTF-8 are escaped, and faults around them are found" {
	local i
	for i in 0 1 7 8 9 13 27 127 128 155 192 237 255; do
		printf "%b" "$FAULT a\\0$(printf %03o "$i")b \\0$(printf %03o "$i")\n"
	done >"$BATS_TEST_TMPDIR/log"
	printf '%s \033[31mred\033[0m \033]0;title\a \xc2\x9b1m \xe2\x80\xae \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80 \xf0\x9f\x98\x80\n' "$FAULT" >>"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	[ "$(found | wc -l)" -eq 14 ]
	are_safe
	# Colours are removed, other sequences stay visible.
	[[ $(found .message | tail -n 1) = "$FAULT "'red \x1b]0;title\x07'* ]]
}

@test "logmatch survives every byte at every position of a fault" {
	/usr/bin/python3 - "$FAULT" >"$BATS_TEST_TMPDIR/log" <<-'END'
		import sys
		fault = sys.argv[1].encode()
		for place in range(len(fault) + 1):
		    for byte in range(256):
		        sys.stdout.buffer.write(b"[   12.000001] " + fault[:place] + bytes([byte]) + fault[place:] + b"\n")
	END
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	are_safe
	# A byte after the driver's text does no harm; inside it, the line no longer matches.
	[ "$(found 'select(.message | startswith("'"$FAULT"'")) | 1' | wc -l)" -gt 250 ]
	[ "$(found | wc -l)" -lt 1500 ]
}

@test "faults after a megabyte without a line feed and after a line of three megabytes are found" {
	{
		echo "$FAULT"
		head -c 1000000 /dev/zero | tr '\0' a
		echo
		echo "$FAULT"
		head -c 3000000 /dev/zero | tr '\0' '\001'
		echo "$FAULT"
		echo "$FAULT"
		printf 'mlx5_core 0000:18:00.0: '
		head -c 1000000 /dev/zero
	} >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0 'a line of more than 1 MiB: skipped'
	[ "$(found | wc -l)" -eq 3 ]
	are_safe
}

# Thorough: tools
@test "long messages are cut between characters and end with an ellipsis" {
	/usr/bin/python3 - "$FAULT" >"$BATS_TEST_TMPDIR/log" <<-'END'
		import sys
		for length in list(range(3200, 3300)) + [4000, 4096, 8192, 60000]:
		    for filler in ("a", "é", "😀", '"', "\\", "\x01"):
		        print(sys.argv[1], filler * length)
	END
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	[ "$(found | wc -l)" -eq 624 ]
	are_safe
	[ "$(found .message | tail -n 6 | grep -c '…$')" -eq 6 ]
}

@test "torn and malformed JSON is reported once, and faults after it are found" {
	{
		printf '{"MESSAGE":"%s"\n' "$FAULT"
		printf '{"MESSAGE":"%s\n' "$FAULT"
		printf '{"MESSAGE":[109,108,120,300,-1,1e99]}\n'
		printf '{"MESSAGE":null}\n{"MESSAGE":7}\n{"MESSAGE":{"a":[]}}\n{"MESSAGE":[]}\n'
		printf '{"kind":7}\n{"kind":\n{}\n{"a":1}x\n'
		head -c 100000 /dev/zero | tr '\0' '['
		echo
		printf '{"MESSAGE":%s\n' "$(head -c 100000 /dev/zero | tr '\0' '[')"
		printf '{"__REALTIME_TIMESTAMP":"1587668665123456","MESSAGE":"%s"}\n' "$FAULT"
	} >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	[ "$(found .generatedTimestamp | tail -n 1)" = 2020-04-23T19:04:25.123456Z ]
	# Two warnings per burst: for its first line and for its length.
	[ "$(wc -l <"$BATS_TEST_TMPDIR/errors")" -le 8 ]
	stderr_has 'not a JSON object: skipped'
	are_safe
}

@test "JSON with escapes, other spacing or repeated fields makes the same events" {
	{
		printf '{"__REALTIME_TIMESTAMP":"1587668665123456","MESSAGE":"mlx5_core 0000:18:00.0: device\\u0027s health compromised - reached miss count"}\n'
		printf '{ "MESSAGE" : "mlx5_core 0000:18:00.0: \\u0068ealth recovery failed" , "__REALTIME_TIMESTAMP" : "1587668665123456" }\n'
		printf '{"MESSAGE":"mlx5_core 0000:18:00.0: Port module event[error]: powered down due to insufficient\\/unadvertised power","PRIORITY":"4"}\n'
		# Repeated fields are one message, which begins with the first of them.
		printf '{"MESSAGE":["one","%s"]}\n{"MESSAGE":["%s","one"]}\n' "$FAULT" "$FAULT"
	} >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	finds health_poll_failed recovery_failed port_power_down recovery_failed
}

@test "impossible times count as no time, and logmatch survives times far away" {
	local stamp
	functions
	for stamp in '[99999999999999999999.999999]' '[18446744073.999999]' '[- 1.5]' \
		'2020-99-99T99:99:99 h kernel:' '0000-00-00T00:00:00Z h kernel:' \
		'9999-12-31T23:59:60Z h kernel:' \
		'Feb 30 10:00:00 h kernel:' '99999999999999999.000000 h kernel:' \
		'4,18446744073709551615,18446744073709551615,-;' '4,99999999999999999999,1,-;' \
		'<999>' '<-1>' \
		'{"__REALTIME_TIMESTAMP":"99999999999999999999","MESSAGE":"' \
		'{"__REALTIME_TIMESTAMP":-1,"MESSAGE":"' \
		'{"__REALTIME_TIMESTAMP":1e400,"MESSAGE":"'; do
		if [[ $stamp = "{"* ]]; then
			echo "$stamp$FAULT\"}"
		else
			echo "$stamp $FAULT"
		fi
	done >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	# A malformed time is part of the text, which then does not begin with the driver's name.
	finds recovery_failed recovery_failed
	[ "$(found .generatedTimestamp | grep -c -v \
		-E '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$')" -eq 0 ]
}

@test "carriage returns, empty lines and a missing line feed make no difference" {
	printf '\r\n\r\n[   12.500000] %s\r\n\n\n[   13.500000] %s' "$FAULT" \
		"$FAULT" >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	[ "$(found '.generatedTimestamp[14:23] + .message' | tr '\n' ';')" \
		= "53:32.500$FAULT;53:33.500$FAULT;" ]
}

@test "empty input makes no event; a closed stdin and a failing stdout exit 74" {
	feed </dev/null
	status_is 0
	[ ! -s "$BATS_TEST_TMPDIR/events" ]
	run --separate-stderr bash -c 'logmatch <&-'
	status_is 74 'stdin: Bad file descriptor'
	run --separate-stderr bash -c 'echo "$1" | logmatch >/dev/full' _ "$FAULT"
	status_is 74 'stdout: No space left on device'
	run --separate-stderr bash -c 'echo "$1" | logmatch >&-' _ "$FAULT"
	status_is 74 'stdout: Bad file descriptor'
	run --separate-stderr bash -c 'echo "$1" | logmatch --count >/dev/full' _ "$FAULT"
	status_is 74 'stdout: No space left on device'
	run --separate-stderr bash \
		-c 'yes "$1" | timeout 20 logmatch --dedup-window 0 | head -n 5 | wc -l; echo "${PIPESTATUS[1]}"' _ "$FAULT"
	[ "$output" = "$(printf '5\n141')" ]
}

@test "records of other tools pass through byte for byte and in order" {
	local records='{"kind":"scan.begin","x":1.0,  "y":"\u00e9","z":1e2}'
	printf '%s\n' "$records" "[  12.000001] $FAULT" \
		'{"kind":"event","message":"mlx5_core x: health recovery failed"}' \
		"{\"kind\":\"port\",\"text\":\"$FAULT\"}" >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	diff <(sed 2d "$BATS_TEST_TMPDIR/log") <(sed 2d "$BATS_TEST_TMPDIR/events")
	[ "$(sed -n 2p "$BATS_TEST_TMPDIR/events" | jq -r .message)" = "$FAULT" ]
	match --format kmsg <(sed 2d "$BATS_TEST_TMPDIR/log")
	cmp <(sed 2d "$BATS_TEST_TMPDIR/log") "$BATS_TEST_TMPDIR/events"
	# A second logmatch behind the first adds nothing.
	feed <"$BATS_TEST_TMPDIR/log"
	cp "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/once"
	feed <"$BATS_TEST_TMPDIR/once"
	cmp "$BATS_TEST_TMPDIR/once" "$BATS_TEST_TMPDIR/events"
}

@test "passing the journal's JSON through jq changes no event" {
	cut -f 3 "$SAMPLES/samples.tsv" | logforms journal-json >"$BATS_TEST_TMPDIR/log"
	feed <"$BATS_TEST_TMPDIR/log"
	cp "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/plain"
	[ -s "$BATS_TEST_TMPDIR/plain" ]
	jq -c . "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/compact"
	feed <"$BATS_TEST_TMPDIR/compact"
	cmp "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/events"
	command jq -c -S -a . "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/sorted"
	feed <"$BATS_TEST_TMPDIR/sorted"
	cmp "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/events"
}

# A backtracking regular expression would take minutes or forever for each of these. Only the time
# limit of a test bounds this one.
@test "lines that make regular expressions backtrack are matched in time, and faults after them are found" {
	/usr/bin/python3 - "$FAULT" >"$BATS_TEST_TMPDIR/log" <<-'END'
		import sys
		for part in ("mlx5_core ", "mlx5_core Port module event ",
		             "NETDEV WATCHDOG mlx5_core ",
		             "mlx5_core NETDEV WATCHDOG transmit queue ",
		             "mlx5_cmd_out_err ACCESS_REG ", "pciehp Slot( ",
		             "mlx5_core Health issue observed severity( ",
		             "BUG: soft lockup - CPU#", "mlx5e_napi_poll+",
		             "mlx5_core device's health compromised ",
		             "mlx5_core : probe of ", "mlx5_core synd 0x1", "): Link Down",
		             "Firmware over 1 MS in mlx5_core "):
		    print(part * (900000 // len(part)))
		    print(sys.argv[1])
	END
	feed <"$BATS_TEST_TMPDIR/log"
	status_is 0
	[ "$(found 'select(.message == "'"$FAULT"'").errorCode[0]' | wc -l)" -eq 14 ]
	are_safe
}
