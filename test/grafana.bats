#!/usr/bin/env bats
# grafana: both dashboards in dist/grafana are generated from dashboards.yaml, complete, and query
# only series that exist; the picture shows one of them. (grafana-live.bats runs the queries.)
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	DASHBOARDS=("$ROOT"/dist/grafana/{node,fleet}.json)
}

# panels JQ-FILTER - apply the filter to the panels of both dashboards, without row headings.
panels() { jq -r ".panels[] | select(.type != \"row\") | $1" "${DASHBOARDS[@]}"; }

# expressions - print all queries of both, with values for the variables, one per line.
expressions() {
	panels '.targets[].expr | gsub("\\[\\$__[a-z_]+\\]"; "[1m]") | gsub("\\$[a-z]+"; "x")'
}

@test "generate makes exactly these dashboards from dashboards.yaml" {
	"$ROOT/dist/grafana/generate" "$T"
	diff "$T/node.json" "$ROOT/dist/grafana/node.json" >&2
	diff "$T/fleet.json" "$ROOT/dist/grafana/fleet.json" >&2
}

@test "each panel has a title, a description, a unit and queries, and line panels have legends" {
	panels 'select([.title, .description, .fieldConfig.defaults.unit, .targets[0].expr]
		| any(. == null or . == "")) | .id' >"$T/lacking"
	panels 'select(.description | endswith(".") | not) | .title' >>"$T/lacking"
	panels 'select(.type == "timeseries" or .type == "state-timeline")
		| select(any(.targets[]; .legendFormat == "")) | .title' >>"$T/lacking"
	diff /dev/null "$T/lacking" >&2
}

@test "numbers and tables show the present, and never the last values of a monitor that is gone" {
	# Of a range Grafana would show the last value that is not null, hours old as it may be.
	panels 'select(.type == "stat" or .type == "table")
		| select(any(.targets[]; .range or (.instant | not))) | .title' >"$T/lacking"
	diff /dev/null "$T/lacking" >&2
}

@test "panels have unique ids, lie within 24 columns, and do not overlap" {
	local file
	for file in "${DASHBOARDS[@]}"; do
		jq -e '[.panels[].id] | . == unique and length > 0' "$file" >/dev/null
		# Each grid field that a panel covers.
		jq -r '.panels[].gridPos | range(.x; .x + .w) as $x | range(.y; .y + .h) as $y
			| "\($x) \($y)"' "$file" | sort >"$T/covered"
		diff /dev/null <(uniq -d "$T/covered") >&2
		awk '$1 >= 24' "$T/covered" | diff /dev/null - >&2
	done
}

@test "dashboards have fixed uids, the data source is a variable, and every variable in use is defined" {
	local file
	for file in "${DASHBOARDS[@]}"; do
		jq -e --arg name "$(basename "$file" .json)" '(has("id") | not)
			and .uid == "nic-health-monitor-\($name)" and .schemaVersion >= 36' \
			"$file" >/dev/null
		jq -e '.templating.list[0] | .name == "datasource" and .type == "datasource"
			and .query == "prometheus"' "$file" >/dev/null
		jq -e '[.. | objects | .datasource? // empty | .uid] | unique == ["${datasource}"]' \
			"$file" >/dev/null
		# Each variable in use is defined.
		diff <(jq -r '[.panels[].targets[]?.expr, .templating.list[].query.query?]
			| map(. // "" | scan("\\$[a-z]+")) | unique[]' "$file") \
			<(jq -r '.templating.list[1:] | map("$" + .name) | sort[]' "$file") >&2
	done
}

@test "promtool accepts each query" {
	command -v promtool >/dev/null ||
		skip "left out: no promtool (dist/install-deps installs it)"
	expressions | jq -R '{record: "x", expr: .}' | jq -s '{groups: [{name: "x",
		rules: (to_entries | map(.value.record += "\(.key)" | .value))}]}' >"$T/rules.yaml"
	promtool check rules "$T/rules.yaml" >"$T/said" 2>&1 || { cat "$T/said" >&2 && false; }
	grep -q 'SUCCESS: [4-9][0-9] rules found' "$T/said"
}

@test "each series in the queries is in a manual or recorded by recording.yaml" {
	local name
	jq -r --yaml-input '.groups[].rules[].record' "$ROOT/dist/prometheus/recording.yaml" \
		>"$T/recorded"
	{
		expressions
		jq -r '.templating.list[].query.query? // empty' "${DASHBOARDS[@]}"
	} | sed 's/"[^"]*"//g' | grep -o -E '([a-z_]+:)?nic_[a-z_]+(:[a-z0-9_]+)?' |
		sort -u >"$T/names"
	[ "$(wc -l <"$T/names")" -gt 30 ]
	while read -r name; do
		if [[ $name = *:* ]]; then
			grep -q -x -F "$name" "$T/recorded"
		else
			grep -q -w -F "${name%_bucket}" "$ROOT/doc/nic-health-monitor-metrics.5" \
				"$ROOT/tools/ibscan/ibscan.1" || is_counter "$name"
		fi || {
			echo "$name is in no manual" >&2
			return 1
		}
	done <"$T/names"
}

# is_counter NAME - return success if it is named after a counter file in lib/counters.c or a
# traffic counter.
is_counter() {
	[[ $1 = nic_port_*_total ]] || return 1
	local file=${1#nic_port_}
	file=${file%_total}
	grep -q -E "/(port_)?$file\"" "$ROOT/lib/counters.c" ||
		[[ $file = @(rcv_data|xmit_data|hw_rx_bytes|hw_tx_bytes) ]]
}

@test "the picture shows panels of the node dashboard, is self-contained, and has less than 60 kB" {
	local title
	/usr/bin/python3 - "$ROOT/doc/dashboard.svg" >"$T/text" <<-'END'
		import sys, xml.etree.ElementTree as tree
		for element in tree.parse(sys.argv[1]).iter():
		    assert not any("href" in name or "url(" in value for name, value in element.items())
		    if element.get("class") == "title":
		        print("".join(element.itertext()))
	END
	[ "$(stat -c %s "$ROOT/doc/dashboard.svg")" -lt 60000 ]
	[ "$(wc -l <"$T/text")" -ge 9 ]
	while IFS= read -r title; do
		jq -e --arg title "$title" 'any(.panels[]; .title == $title)' "${DASHBOARDS[0]}" \
			>/dev/null
	done <"$T/text"
}
