# exposition - whether a text is one that Prometheus takes. After common.
# shellcheck shell=bash

# accepted FILE - promtool has nothing to say about it, no series is there twice (which promtool would not see), and each family stands together.
accepted() {
	local said twice
	twice=$(sed -n '/^#/!s/ [^ ]*$//p' "$1" | sort | uniq -d)
	twice+=$(families "$1" | uniq | sort | uniq -d)
	twice+=$(sed -E -n 's/^# (HELP|TYPE) ([^ ]*) .*/\1 \2/p' "$1" | sort | uniq -d)
	if [ -n "$twice" ]; then
		printf '%s: twice: %s\n' "$1" "$twice" >&2
		return 1
	fi
	if ! said=$(timeout 20 promtool check metrics <"$1" 2>&1) || [ -n "$said" ]; then
		printf '%s: promtool: %s\n' "$1" "$said" >&2
		return 1
	fi
}

# families FILE - the family of each sample, in their order: a histogram's has three names.
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
