#!/usr/bin/env bats
# correlate-cluster: correlate and blastradius find everything that happened in a cluster over days,
# and nothing else.
# SPDX-License-Identifier: Apache-2.0

load lib/common

T=$BATS_TEST_TMPDIR

# finds CLUSTERSTREAM-OPTION... - check that both tools find exactly the stream's known patterns, at
# least $AT_LEAST, and that a rebooted switch leads to no replaced node.
finds() {
	"$BATS_TEST_DIRNAME/fleet/clusterstream" --truth "$T/truth" --topology "$T/topology" \
		"$@" >"$T/stream"
	[ "$(wc -l <"$T/truth")" -ge "$AT_LEAST" ]
	run --separate-stderr bash -c 'correlate <"$1" | blastradius --topology "$2" >"$3"' _ \
		"$T/stream" "$T/topology" "$T/all"
	status_is 0
	[ -z "$stderr" ]
	grep -F "health-events-analyzer" "$T/all" >"$T/found"
	jq -n -c '[inputs | [.nodeName, .checkName, (.entitiesImpacted[0].entityValue // null),
			(if .isHealthy then "OVER" else .recommendedAction end)]]
		| group_by(.)[] | .[0] + [length]' "$T/found" | sort |
		diff <(jq -c . "$T/truth" | sort) - >&2
	spares
}

# spares - check that no event replaces a node because of the ports of a switch while that switch is
# suspected.
spares() {
	jq -n --slurpfile all "$T/all" '
		[$all[] | select(.checkName == "FabricSuspect")] as [$new, $over]
		| ($new.nodeName | sub("leaf-0*(?<n>.)"; "\(.n)") | tonumber * 32) as $first
		| [$all[] | select(.recommendedAction == "REPLACE_VM"
				and .generatedTimestamp >= $new.generatedTimestamp[:-11]
				and .generatedTimestamp < $over.generatedTimestamp
				and (.nodeName[5:] | tonumber? // -1
					| . >= $first and . < $first + 32))]
		| length >= 256 and all(.processingStrategy == "STORE_ONLY"
			and .metadata.heldBy == $new.id)' | grep -x true
}

@test "correlate and blastradius find exactly what happened in a small cluster, even if events come late" {
	local seed
	AT_LEAST=1000
	for seed in 1 2 3; do
		finds --nodes 100 --days 3 --seed "$seed" --shuffle 50
	done
	[ "$(jq -r .checkName "$T/found" | sort -u | wc -l)" -eq 8 ]
}

# Thorough: tools
@test "correlate and blastradius find exactly what happened on 10,000 nodes in a week" {
	AT_LEAST=10000
	finds --nodes 10000 --days 7 --shuffle 50
}
