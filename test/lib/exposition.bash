# exposition - checks of Prometheus' text format. Load after common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# accepted FILE - check that promtool has no complaint, no series is there twice (which promtool
# misses), the samples of a family are together, and its series have the same labels
accepted() {
	local said twice sets
	twice=$(sed -n '/^#/!s/ [^ ]*$//p' "$1" | sort | uniq -d)
	twice+=$(families "$1" | uniq | sort | uniq -d)
	twice+=$(sed -E -n 's/^# (HELP|TYPE) ([^ ]*) .*/\1 \2/p' "$1" | sort | uniq -d)
	if [ -n "$twice" ]; then
		printf '%s: twice: %s\n' "$1" "$twice" >&2
		return 1
	fi
	sets=$(label_sets "$1" | cut -d ' ' -f 1 | uniq -d)
	if [ -n "$sets" ]; then
		printf '%s: of more than one set of labels:\n%s\n' "$1" \
			"$(label_sets "$1" | grep -F -w -- "$sets")" >&2
		return 1
	fi
	said=$(timeout 20 promtool check metrics <"$1" 2>&1) || [ $? -eq 3 ] || said+="failed"
	said=$(grep -v -x -F -e "$ORIGINAL_NAMES" <<<"$said") || true
	if [ -n "$said" ]; then
		printf '%s: promtool: %s\n' "$1" "$said" >&2
		return 1
	fi
}

# promtool's complaints about names that are the original's and must stay. Its exit code is 3 then.
ORIGINAL_NAMES="nic_health_monitor_counter_threshold_breaches_total metric name should not include type 'counter'"
ORIGINAL_NAMES+=$'\n'"syslog_health_monitor_nic_driver_errors counter metrics should have \"_total\" suffix"

# families FILE - print the family of each sample, in order: a histogram has three sample names
families() {
	awk '/^# TYPE / { is_histogram[$3] = $4 == "histogram" }
		/^#/ { next }
		{
			sub(/[ {].*/, "")
			family = $0
			sub(/_(bucket|sum|count)$/, "", family)
			print family in is_histogram && is_histogram[family] ? family : $0
		}' "$1"
}

# label_sets FILE - print each name with the labels of its series, sorted; a name with several sets
# of labels is there several times
label_sets() {
	awk '!/^#/ {
			name = $0; sub(/[ {].*/, "", name)
			labels = substr($0, length(name) + 1)
			gsub(/"([^"\\]|\\.)*"/, "", labels); sub(/ [^ ]*$/, "", labels)
			print name, labels
		}' "$1" | sort -u
}
