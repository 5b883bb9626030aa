#!/usr/bin/env bats
# corpus: recorded inputs with their expected output, half of them malformed. See corpus/README.md.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# run_case DIRECTORY - run the tool that the parent directory is named after on the case's input,
# inside the case, and compare.
run_case() {
	local tool args=()
	tool=$(basename "$(dirname "$1")")
	[ ! -f "$1/args" ] || mapfile -t args <"$1/args"
	(cd "$1" && "$tool" "${args[@]}" <input) >"$BATS_TEST_TMPDIR/expect" \
		2>"$BATS_TEST_TMPDIR/stderr" && status=0 || status=$?
	echo "$status" >"$BATS_TEST_TMPDIR/exit"
	if [ -n "${UPDATE-}" ]; then
		cp "$BATS_TEST_TMPDIR"/{expect,stderr,exit} "$1"
	fi
	for part in expect stderr exit; do
		diff -u "$1/$part" "$BATS_TEST_TMPDIR/$part" || return 1
	done
}

run_tool() {
	local case count=0
	for case in "$BATS_TEST_DIRNAME/corpus/$1"/*/; do
		run_case "${case%/}" || { echo "in ${case#"$BATS_TEST_DIRNAME"/}" >&2; return 1; }
		count=$((count + 1))
	done
	[ "$count" -ge 4 ]
}

@test "topoclass gives the expected records, messages and exit code for every case of its corpus" { run_tool topoclass; }

@test "ctreval gives the expected events, messages and exit code for every case of its corpus" { run_tool ctreval; }

@test "emit gives the expected lines, messages and exit code for every case of its corpus" { run_tool emit; }

@test "lnetread gives the expected records, message and exit code for every case of its corpus" { run_tool lnetread; }

@test "topoparse gives the expected document, message and exit code for every case of its corpus" { run_tool topoparse; }
