#!/usr/bin/env bats
# The analyzers that `make analyze` runs, and test/analyze/findings, which judges what they find.
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

# analyzed TOOL FAULT... - `make analyze-TOOL` of each planted fault fails and names its place.
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

# judged STATUS TEXT ENTRY... - with these explained, this is what remains of the log.
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

@test "gcc's analyzer finds each planted fault that it looks for" {
	analyzed gcc double_free leak null_dereference
}

@test "a finding that nobody has explained fails, with the entry that it needs" {
	judged 1 "$SOURCE:12: freed twice
    gcc $SOURCE $FAULT"
}

@test "a finding that is explained passes, in one line or in several" {
	judged 0 '' "gcc $SOURCE $FAULT" '    -- A reason.'
	judged 0 '' "gcc $SOURCE" "    $FAULT" '    -- A reason.'
}

@test "an entry that is not found any more fails; that of another analyzer does not" {
	judged 1 "explained: not found any more: gcc lib/a.c f leak: x();" \
		"gcc $SOURCE $FAULT" 'gcc lib/a.c f leak: x();' '    -- A reason.'
	judged 0 '' "gcc $SOURCE $FAULT" 'cppcheck lib/a.c f leak: x();' '    -- A reason.'
}

@test "an entry without a reason fails" {
	judged 1 "findings: explained: without a reason: gcc $SOURCE $FAULT" "gcc $SOURCE $FAULT"
}

@test "a finding of the same check in another line is another finding" {
	judged 1 "$SOURCE:12: freed twice
    gcc $SOURCE $FAULT
explained: not found any more: gcc $SOURCE ${FAULT%free*}kept = NULL;" \
		"gcc $SOURCE ${FAULT%free*}kept = NULL;" '    -- A reason.'
}

@test "a file that the analyzer cannot read fails" {
	echo "$SOURCE:3: fatal error: none.h: No such file or directory" >log
	judged 1 "$SOURCE:3: none.h: No such file or directory
    gcc $SOURCE - error: #include <stdlib.h>"
}
