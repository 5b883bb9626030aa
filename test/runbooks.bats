#!/usr/bin/env bats
# runbooks: doc/runbooks has a heading for every reported code and no other, and nhm shows the
# pages.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	PAGES=$ROOT/doc/runbooks
	# The tested programs need not be beside the pages.
	mkdir -p "$T/tree/bin"
	cp "$NHM_BIN/nhm" "$T/tree/bin"
	ln -s "$ROOT/doc" "$T/tree/doc"
	NHM=$T/tree/bin/nhm
}

# reported - print each code, and each check that is about one code only
reported() {
	ctreval --check-config --config /dev/null | sed -n 's/^ *- name: "\(.*\)"/\1/p'
	sed -n 's/^#define CODE_[A-Z_]* "\(.*\)".*/\1/p' "$ROOT/lib/errorcode.h" |
		grep -v -x changed
	correlate --print-rules | awk '$1 == "-" && $2 == "name:" { name = $3; shown[name] = name }
		$1 == "check:" { delete shown[name]; shown[$2] = $2 }
		END { for (name in shown) print name }'
	echo NICPollStallCheck
	sed -n 's/^#define REPORTS_SUSPECT "\(.*\)"/\1/p' "$ROOT/tools/blastradius/reports.h"
}

@test "every code that can be reported has a heading on one page, and there are no other headings" {
	diff <(reported | sort -u) <(sed -n 's/^### //p' "$PAGES"/*.md |
		grep -v '^NICMonitor' | sort) >&2
}

@test "a page about causes has all parts, from Meaning to Verify" {
	local page part
	for page in "$PAGES"/*.md; do
		case ${page##*/} in
		README.md | own.md | monitor.md) continue ;;
		esac
		for part in Meaning Look 'Usual causes' 'Do' 'Drain?' Verify; do
			grep -q -x "## $part" "$page" || {
				echo "$page: no part $part" >&2
				return 1
			}
		done
	done
}

@test "the index has a line for each page" {
	diff <(basename -a "$PAGES"/*.md | grep -v README) \
		<(sed -n 's/^- \[[^]]*\](\([a-z-]*\.md\)).*/\1/p' "$PAGES/README.md" | sort) >&2
}

@test "nhm runbook shows the page about a code, a page by its name, and the list" {
	run --separate-stderr "$NHM" runbook link_downed
	status_is 0
	diff "$PAGES/link-flap.md" <(echo "$output") >&2
	run --separate-stderr "$NHM" runbook link-flap
	status_is 0
	diff "$PAGES/link-flap.md" <(echo "$output") >&2
	run --separate-stderr "$NHM" runbook
	status_is 0
	diff "$PAGES/README.md" <(echo "$output") >&2
}

@test "nhm runbook exits 66 with one line if no page has the code" {
	local name
	for name in link_down ../runbooks/own '' 'a b' -x; do
		run --separate-stderr "$NHM" runbook "$name"
		status_is 66
		[ "$output" = "" ]
		[ "$stderr" = "nhm: error: no runbook for '$name' (try 'nhm runbook')" ]
	done
	run --separate-stderr "$NHM" runbook a b
	status_is 64
	[ "$stderr" = "nhm: error: unexpected argument of runbook: 'b' (try 'nhm --help')" ]
}

@test "nhm finds the installed pages, and names their directory if it is missing" {
	mkdir -p "$T/bin" "$T/share/nic-health-monitor"
	cp "$NHM_BIN/nhm" "$T/bin"
	run --separate-stderr "$T/bin/nhm" runbook own
	status_is 66
	[ "$stderr" = "nhm: error: $T/bin/../share/nic-health-monitor/runbooks: No such file or directory" ]
	cp -r "$PAGES" "$T/share/nic-health-monitor"
	run --separate-stderr "$T/bin/nhm" runbook own
	status_is 0
	diff "$PAGES/own.md" <(echo "$output") >&2
}
