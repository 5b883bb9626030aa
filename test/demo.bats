#!/usr/bin/env bats
# demo: test/demo, which .ci/run runs, on a terminal, and its recording.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { T=$BATS_TEST_TMPDIR; }

# told - print what the demo says before each event.
told() { sed -n "s/^say \"\$bold\" [\"'\\\\\$]*\(.*\)[\"']\$/\1/p" "$ROOT/test/demo/demo"; }

# ends_well FILE - check that the demo's last line reports no lost event.
ends_well() { grep -q -E '([0-9]+) faults and repairs, \1 events reported, \1 stored: none lost' \
	"$1"; }

@test "the recording shows this demo on a screen of 100 x 30 in about a minute" {
	local line
	local cast=$ROOT/doc/demo.cast
	[ "$(head -n 1 "$cast" | jq -c '[.version, .width, .height]')" = '[2,100,30]' ]
	tail -n +2 "$cast" | jq -j '.[2]' >"$T/shown"
	[ "$(tail -n 1 "$cast" | jq '.[0] > 40 and .[0] < 80')" = true ]
	[ "$(told | wc -l)" -ge 6 ]
	while IFS= read -r line; do
		grep -q -F -- "$line" "$T/shown"
	done < <(told)
	ends_well "$T/shown"
}

@test "the picture is the recording's last screen" {
	/usr/bin/python3 - "$ROOT/doc/demo.svg" >"$T/text" <<-'END'
		import sys, xml.etree.ElementTree as tree
		for text in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
		    print("".join(text.itertext()).replace("\u00a0", " "))
	END
	ends_well "$T/text"
	# The hash is from this recording.
	local hash
	hash=$(grep -m 1 -o -E '[0-9a-f]{40}' "$T/text")
	grep -q -F "$hash" "$ROOT/doc/demo.cast"
}

@test "a demo that is terminated halfway leaves no process and no file behind" {
	mkdir "$T/tmp"
	TMPDIR=$T/tmp started demo "$ROOT/test/demo/demo"
	wait_until 20 grep -q 'FATAL .* mlx5_3' "$T/demo.out"
	kill -TERM "$PID"
	wait_until 20 is_gone "$PID"
	[ -z "$(ls -A "$T/tmp")" ]
	left() { pgrep -f -- "$T/tmp"; }
	wait_until 20 none left
}

# Thorough: tools
@test "on a terminal the demo stays on its screen and ends without a lost event" {
	TERM=xterm script -q -e -c "stty rows 30 cols 100; exec '$ROOT/test/demo/demo'" "$T/typed" \
		</dev/null
	ends_well "$T/typed"
	# It never writes below the last row.
	[ "$(grep -o -a -E $'\e\\[[0-9]+;1H' "$T/typed" | tr -dc '0-9;\n' | cut -d ';' -f 1 |
		sort -n | tail -n 1)" -eq 30 ]
}

@test "on a terminal that is too small the demo prints one line after the other" {
	local screen=$ROOT/test/demo/screen.bash
	mkdir "$T/work"
	script -q -e -c "stty rows 29 cols 100; work='$T/work'; . '$screen'; screen_begin title
		say '' text; breathe 60; screen_end" "$T/typed" </dev/null
	[ "$(grep -a -c -E '^(title|text)' "$T/typed")" = 2 ]
}
