#!/usr/bin/env bats
# dist/prometheus: the rules are valid, each alert fires when it should and not when it should not,
# says what it must, and asks for series that there are.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	command -v promtool >/dev/null || skip "left out: no promtool (dist/install-deps installs it)"
	T=$BATS_TEST_TMPDIR
	RULES=$ROOT/dist/prometheus
	CASES=$ROOT/test/prometheus
}

# rules JQ-FILTER FILE... - over each rule.
rules() { jq -r --yaml-input ".groups[].rules[] | $1" "${@:2}"; }

# alert_names [FILE]... - each once.
alert_names() { rules '.alert // empty' "${@:-"$RULES"/*-alerts.yaml}" | sort -u; }

# promtool_takes COMMAND FILE - its words are shown only when it does not.
promtool_takes() {
	# shellcheck disable=SC2086 # words
	promtool $1 "$2" >"$T/said" 2>&1 || {
		cat "$T/said" >&2
		return 1
	}
}

@test "Prometheus takes the rules and the example, and Alertmanager its own" {
	local file
	for file in "$RULES"/{recording,*-alerts}.yaml; do
		promtool_takes "check rules" "$file"
	done
	promtool_takes "check config" "$RULES/prometheus.yaml"
	amtool check-config "$RULES/alertmanager.yaml" >/dev/null
}

@test "each alert fires when it should, and not when it should not, and records are right" {
	local file
	for file in "$RULES"/{recording,*-alerts}.yaml; do
		promtool_takes "test rules" "$CASES/${file##*/}"
	done
}

@test "each alert is tried, and each case is about all that fires" {
	local file
	for file in "$RULES"/*-alerts.yaml; do
		jq -r --yaml-input '[.tests[].promql_expr_test[]?.exp_samples[].labels]
			| .[] | capture("alertname=\"(?<name>[^\"]*)\"").name' \
			"$CASES/${file##*/}" | sort -u | diff <(alert_names "$file") - >&2
		jq -e --yaml-input '[.tests[].promql_expr_test[]?.expr] | unique
			| all(contains("ALERTS{alert"))' "$CASES/${file##*/}" >/dev/null
	done
}

@test "each alert has a severity, a summary, a description and a page that exists" {
	rules 'select(.alert) | select(.labels.severity == null or .annotations.summary == null
		or .annotations.description == null) | .alert' "$RULES"/*-alerts.yaml >"$T/lacking"
	diff /dev/null "$T/lacking" >&2
	local page base=https://nic-health-monitor.example.org/runbooks/
	while read -r page; do
		[[ $page = "$base"* ]]
		[ -e "$ROOT/doc/runbooks/${page#"$base"}" ]
	done < <(rules 'select(.alert) | .annotations.runbook_url' "$RULES"/*-alerts.yaml)
}

@test "the runbook about the monitor has a heading for each alert about it, and no other" {
	diff <(alert_names "$RULES/monitor-alerts.yaml") \
		<(sed -n 's/^### //p' "$ROOT/doc/runbooks/monitor.md" | sort) >&2
}

@test "each pattern that is looked for without --rules is an alert about patterns" {
	local known
	known=$(rules 'select(.alert == "NICPattern").expr | capture("check=~\"(?<known>.*)\"").known' \
		"$RULES/nic-alerts.yaml")
	correlate --print-rules | jq -r --yaml-input '.rules[] | .check // .name' >"$T/patterns"
	[ -s "$T/patterns" ]
	none grep -v -x -E "$known" "$T/patterns"
}

@test "the rules ask for series that the manuals have" {
	local name
	rules '.expr | gsub("\"[^\"]*\""; "")' "$RULES"/{recording,*-alerts}.yaml >"$T/expressions"
	while read -r name; do
		grep -q -w -F "$name" "$ROOT/doc/nic-health-monitor-metrics.5" \
			"$ROOT/tools/ibscan/ibscan.1" && continue
		# Counters of ports are called after the files that sysfs has.
		[[ $name = nic_port_*_total ]] && continue
		echo "$name is in no manual" >&2
		return 1
	done < <(grep -o -E '(^|[^a-z_:])nic_[a-z_]+' "$T/expressions" | sed 's/^[^a-z]//' |
		sort -u)
}
