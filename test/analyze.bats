#!/usr/bin/env bats
# analyze: the analyzers that `make analyze` runs, and test/analyze/findings, which compares their
# findings with the explained ones.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	FAULTS=test/analyze/faults
	SOURCE=$FAULTS/double_free.c
	FAULT='double_free double-free: free(kept);'
	cd "$BATS_TEST_TMPDIR" || return 1
	echo "$SOURCE:12:9: warning: freed twice [CWE-415] [double-free]" >log
}

# analyzed TOOL FAULT... - check that `make analyze-TOOL` fails for each planted fault and names its
# place.
analyzed() {
	local tool=$1 fault
	shift
	command -v "${PROGRAM:-$tool}" >/dev/null || skip "left out: no $tool (dist/install-deps --ci installs it)"
	for fault; do
		run make --no-print-directory -C "$ROOT" "analyze-$tool" EXPLAINED=/dev/null \
			ANALYSIS="$BATS_TEST_TMPDIR/analysis" ANALYZED="$FAULTS/$fault.c"
		[ "$status" -eq 2 ]
		[[ $output = *"$FAULTS/$fault.c:"*"$tool $FAULTS/$fault.c $fault "* ]]
	done
}

# judged STATUS TEXT ENTRY... - check the exit status and the output of findings for the log when
# the entries are explained.
judged() {
	local status_wanted=$1 text=$2
	printf '%s\n' "${@:3}" >explained
	run "$ROOT/test/analyze/findings" --explained explained gcc log
	diff <(echo "$text") <(echo "$output")
	[ "$status" -eq "$status_wanted" ]
}

@test "cppcheck finds each planted fault" {
	analyzed cppcheck double_free leak null_dereference out_of_bounds
}

@test "clang's analyzer finds each planted fault" {
	PROGRAM=clang-tidy analyzed clang double_free leak null_dereference out_of_bounds
}

@test "gcc's analyzer finds each planted fault that it can find" {
	analyzed gcc double_free leak null_dereference
}

@test "an unexplained finding fails, and the message shows the entry that would explain it" {
	judged 1 "$SOURCE:12: freed twice
    gcc $SOURCE $FAULT"
}

@test "an explained finding passes, whether its entry has one line or several" {
	judged 0 '' "gcc $SOURCE $FAULT" '    -- A reason.'
	judged 0 '' "gcc $SOURCE" "    $FAULT" '    -- A reason.'
}

@test "an entry whose finding is gone fails, unless it belongs to another analyzer" {
	judged 1 "explained: not found any more: gcc lib/a.c f leak: x();" \
		"gcc $SOURCE $FAULT" 'gcc lib/a.c f leak: x();' '    -- A reason.'
	judged 0 '' "gcc $SOURCE $FAULT" 'cppcheck lib/a.c f leak: x();' '    -- A reason.'
}

@test "an entry without a reason fails" {
	judged 1 "findings: explained: without a reason: gcc $SOURCE $FAULT" "gcc $SOURCE $FAULT"
}

@test "an entry does not explain the same check's finding in another line" {
	judged 1 "$SOURCE:12: freed twice
    gcc $SOURCE $FAULT
explained: not found any more: gcc $SOURCE ${FAULT%free*}kept = NULL;" \
		"gcc $SOURCE ${FAULT%free*}kept = NULL;" '    -- A reason.'
}

@test "a source file that the analyzer cannot read fails" {
	echo "$SOURCE:3: fatal error: none.h: No such file or directory" >log
	judged 1 "$SOURCE:3: none.h: No such file or directory
    gcc $SOURCE - error: #include <stdlib.h>"
}
