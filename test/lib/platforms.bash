# platforms - the first scan that the description of a platform expects. Load after common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

every_platform() { find "$PLATFORMS" -name '*.json' -exec basename -s .json {} + | sort; }

# compare_first_scan PLATFORM KEYS EVENTS NOTES - compare these keys of first_poll with the result
# of a scan (two files: records and stderr), ignoring the order in lists
compare_first_scan() {
	diff <(jq -S -s -L "$ROOT/test/lib" --rawfile notes "$4" \
		--slurpfile platform "$PLATFORMS/$1.json" "include \"firstpoll\";
			. as \$events | \$platform[0].expected.checks
			| with_entries(.key as \$check | .value = (\$events | first_poll(\$check)))
			| map_values({$2} | map_values(arrays |= sort))" "$3") \
		<(jq -S ".expected.checks | map_values(.first_poll | {$2} | map_values(arrays |= sort))" "$PLATFORMS/$1.json")
}

# matrix PLATFORM - print the node's metadata in the format of nvidia-smi
matrix() {
	jq -r '(.nic_topology | to_entries) as $nics
		| (["", (.gpus[] | "GPU\(.gpu_id)"), ($nics | keys[] | "NIC\(.)"), "CPU Affinity",
		"NUMA Affinity", "GPU NUMA ID"] | join("\t")),
		(.gpus as $gpus | $gpus | to_entries[] | .key as $i
			| ["GPU\(.value.gpu_id)", ($gpus | keys[] | if . == $i then " X "
			else "NV18" end), ($nics[] | .value[$i]), "0-63", "\(.value.numa_node)", "",
			"N/A"] | join("\t")),
		"", "NIC Legend:", "", ($nics | to_entries[] | "  NIC\(.key): \(.value.key)")' \
			"$PLATFORMS/$1.json"
}
