#!/usr/bin/env bats
# correlate on the events of a cluster over days: it finds all that happened there, and nothing
# else.
# SPDX-License-Identifier: Apache-2.0

load lib/common

T=$BATS_TEST_TMPDIR

# finds CLUSTERSTREAM-OPTION... - what correlate finds in such a stream is what is to be found, and
# that is as many things as $AT_LEAST.
finds() {
	"$BATS_TEST_DIRNAME/fleet/clusterstream" --truth "$T/truth" "$@" >"$T/stream"
	[ "$(wc -l <"$T/truth")" -ge "$AT_LEAST" ]
	run --separate-stderr bash -c 'correlate <"$1" | grep -F "health-events-analyzer" >"$2"' _ \
		"$T/stream" "$T/found"
	status_is 0
	[ -z "$stderr" ]
	jq -n -c '[inputs | [.nodeName, .checkName, (.entitiesImpacted[0].entityValue // null),
			(if .isHealthy then "OVER" else .recommendedAction end)]]
		| group_by(.)[] | .[0] + [length]' "$T/found" | sort |
		diff <(jq -c . "$T/truth" | sort) - >&2
}

@test "what happens in a small cluster is found, all of it and nothing else, whoever is late" {
	local seed
	AT_LEAST=1000
	for seed in 1 2 3; do
		finds --nodes 100 --days 3 --seed "$seed" --shuffle 50
	done
	[ "$(jq -r .checkName "$T/found" | sort -u | wc -l)" -eq 7 ]
}

# Thorough: tools
@test "the same of 10,000 nodes in a week" {
	AT_LEAST=10000
	finds --nodes 10000 --days 7 --shuffle 50
}
