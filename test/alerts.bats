#!/usr/bin/env bats
# alerts: the rules in dist/prometheus are valid, fire exactly when they should, have all
# annotations, and use only series that exist.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	command -v promtool >/dev/null || skip "left out: no promtool (dist/install-deps installs it)"
	T=$BATS_TEST_TMPDIR
	RULES=$ROOT/dist/prometheus
	CASES=$ROOT/test/prometheus
}

# rules JQ-FILTER FILE... - apply the filter to each rule.
rules() { jq -r --yaml-input ".groups[].rules[] | $1" "${@:2}"; }

# alert_names [FILE]... - print the name of each alert once.
alert_names() { rules '.alert // empty' "${@:-"$RULES"/*-alerts.yaml}" | sort -u; }

# promtool_takes COMMAND FILE - return success if promtool accepts the file; print its output only
# if not.
promtool_takes() {
	# shellcheck disable=SC2086 # words
	promtool $1 "$2" >"$T/said" 2>&1 || {
		cat "$T/said" >&2
		return 1
	}
}

@test "promtool accepts the rules and the example, and amtool accepts the Alertmanager configuration" {
	local file
	for file in "$RULES"/{recording,*-alerts}.yaml; do
		promtool_takes "check rules" "$file"
	done
	promtool_takes "check config" "$RULES/prometheus.yaml"
	amtool check-config "$RULES/alertmanager.yaml" >/dev/null
}

@test "each alert fires exactly when it should, and each recording rule gives the right value" {
	local file
	for file in "$RULES"/{recording,*-alerts}.yaml; do
		promtool_takes "test rules" "$CASES/${file##*/}"
	done
}

@test "each alert has a case that makes it fire, and each case checks all alerts that fire" {
	local file
	for file in "$RULES"/*-alerts.yaml; do
		jq -r --yaml-input '[.tests[].promql_expr_test[]?.exp_samples[].labels]
			| .[] | capture("alertname=\"(?<name>[^\"]*)\"").name' \
			"$CASES/${file##*/}" | sort -u | diff <(alert_names "$file") - >&2
		jq -e --yaml-input '[.tests[].promql_expr_test[]?.expr] | unique
			| all(contains("ALERTS{alert"))' "$CASES/${file##*/}" >/dev/null
	done
}

@test "each alert has a severity, a summary, a description and a runbook page that exists" {
	rules 'select(.alert) | select(.labels.severity == null or .annotations.summary == null
		or .annotations.description == null) | .alert' "$RULES"/*-alerts.yaml >"$T/lacking"
	diff /dev/null "$T/lacking" >&2
	local page base=https://nic-health-monitor.example.org/runbooks/
	while read -r page; do
		[[ $page = "$base"* ]]
		[ -e "$ROOT/doc/runbooks/${page#"$base"}" ]
	done < <(rules 'select(.alert) | .annotations.runbook_url' "$RULES"/*-alerts.yaml)
}

@test "the monitor's runbook has a heading for exactly the alerts about the monitor" {
	diff <(alert_names "$RULES/monitor-alerts.yaml") \
		<(sed -n 's/^### //p' "$ROOT/doc/runbooks/monitor.md" | sort) >&2
}

@test "the alert about patterns matches each pattern of correlate's built-in rules" {
	local known
	known=$(rules 'select(.alert == "NICPattern").expr | capture("check=~\"(?<known>.*)\"").known' \
		"$RULES/nic-alerts.yaml")
	correlate --print-rules | jq -r --yaml-input '.rules[] | .check // .name' >"$T/patterns"
	[ -s "$T/patterns" ]
	none grep -v -x -E "$known" "$T/patterns"
}

@test "each series that the rules use is in a manual" {
	local name
	rules '.expr | gsub("\"[^\"]*\""; "")' "$RULES"/{recording,*-alerts}.yaml >"$T/expressions"
	while read -r name; do
		grep -q -w -F "$name" "$ROOT/doc/nic-health-monitor-metrics.5" \
			"$ROOT/tools/ibscan/ibscan.1" && continue
		# Port counters are named after their files in sysfs.
		[[ $name = nic_port_*_total ]] && continue
		echo "$name is in no manual" >&2
		return 1
	done < <(grep -o -E '(^|[^a-z_:])nic_[a-z_]+' "$T/expressions" | sed 's/^[^a-z]//' |
		sort -u)
}
