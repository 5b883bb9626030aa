# platforms - what the description of a platform expects of the first scan. After common.
# shellcheck shell=bash

every_platform() { find "$PLATFORMS" -name '*.json' -exec basename -s .json {} + | sort; }

# compare_first_scan PLATFORM KEYS EVENTS NOTES - what came (two files: records, and stderr) and what was expected, of these keys of first_poll. The order of the lists is the
# description's own.
compare_first_scan() {
	diff <(jq -S -s -L "$ROOT/test/lib" --rawfile notes "$4" "include \"firstpoll\";
			{InfiniBandStateCheck: first_poll(\"InfiniBandStateCheck\"), EthernetStateCheck: first_poll(\"EthernetStateCheck\")}
			| map_values({$2} | map_values(arrays |= sort))" "$3") \
		<(jq -S ".expected.checks | map_values(.first_poll | {$2} | map_values(arrays |= sort))" "$PLATFORMS/$1.json")
}
