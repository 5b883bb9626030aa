#!/usr/bin/env bats
# suite: rules for every test file, so that the suite works on other machines, and the test runners.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# started_by_another_name DIRECTORY... - print the lines below it that start Python by another name
# than the one for which install-deps installs libraries
started_by_another_name() {
	grep -rInE '(^|[^/.[:alnum:]_-])python[0-9.]*( +-[A-Za-z]*| +["$/<])|env +(-[A-Za-z]+ +)*python' "$@"
}

@test "Python is started as /usr/bin/python3: another one in PATH may be slow and lack the libraries" {
	none started_by_another_name "$ROOT/test" "$ROOT/dist" "$ROOT/.ci" "$ROOT/Makefile"
}

@test "the check finds a Python that is looked up in PATH, however it is started" {
	mkdir "$BATS_TEST_TMPDIR/some"
	cat >"$BATS_TEST_TMPDIR/some/file" <<-END
		#!/usr/bin/env ${PY=python3}
		$PY -c 'print(1)'
		number=\$($PY - "\$a" <<END)
		started some $PY "script"
		#!/usr/bin/env -S $PY -u
		#!/usr/bin/$PY
		apt-get install $PY procps $PY-protobuf
		Comm: $PY Tainted: G
	END
	run started_by_another_name "$BATS_TEST_TMPDIR/some"
	diff <(cut -d : -f 2 <<<"$output") <(seq 5)
}

# lost_conditions FILE... - print the conditions in an && list that cannot fail the test, since
# errexit ignores all but the last one; the last list of a function is its status
lost_conditions() {
	awk '
		FNR == 1 { list = "" }
		list != "" && NF > 0 {
			if (!/^[[:blank:]]*(}|fi|else|elif|;;|esac)/)
				print list
			list = ""
		}
		{ statement = goes_on ? statement $0 : $0 }
		{ goes_on = /(&&|\|\||\\)$/ }
		!goes_on && statement ~ /^[[:blank:]]*(\[|\(\().*(]|\)\)) &&/ &&
			statement !~ /\|\||&& (continue|break|return)( [0-9]+)?$/ {
			list = FILENAME ":" FNR ": " $0
		}
	' "$@" | grep .
}

@test "each condition in an && list can fail its test" {
	none lost_conditions "$ROOT"/test/*.bats "$ROOT"/test/kernel/*.bats "$ROOT"/test/lib/*.bash
}

@test "the check finds conditions lost in a list, and no others" {
	sed 's/ AND/ \&\&/g' >"$BATS_TEST_TMPDIR/lists" <<-'END'
		tries() {
			[ -s a ] AND [ -s b ]
			[[ $a = b ]] AND [ -s b ]
			((a > 1)) AND grep b file
			[ -s a ] AND
				[ -s b ]
			for a in 1 2; do
				[ "$a" -eq 1 ] AND [ -s b ]
			done
			[ -s a ] AND continue
			[ -s a ] AND [ -s b ] || return 0
			[[ -s a AND -s b ]]
			[ "$(cd a AND ls)" = b ]
			if [ -s a ] AND [ -s b ]; then
				[ -s c ] AND [ -s d ]
			fi
		}
		is_there() {
			[ -s a ] AND [ -s b ]
		}
	END
	run lost_conditions "$BATS_TEST_TMPDIR/lists"
	diff <(cut -d : -f 2 <<<"$output") <(printf '%s\n' 2 3 4 6 8)
}

# failing_at LINE COMMAND - check that a test with that failing COMMAND reports LINE
failing_at() {
	printf 'load %s/test/lib/common\nhelper() {\n\ttrue\n\tfalse\n}\n@test "fails" {\n\ttrue\n\t%s\n\ttrue\n}\n' \
		"$ROOT" "$2" >"$BATS_TEST_TMPDIR/fails.bats"
	run env -i PATH="${PATH//"$BATS_LIBEXEC:"/}" TMPDIR="$BATS_TEST_TMPDIR" bats \
		--tap "$BATS_TEST_TMPDIR/fails.bats"
	[ "$status" -eq 1 ]
	[[ $output = *"in test file $BATS_TEST_TMPDIR/fails.bats, line $1)"* ]] || {
		printf '%s\n%s\n' "$2" "$output" >&2
		return 1
	}
}

@test "a failing test reports its line, however it fails" {
	failing_at 8 false
	failing_at 8 '[[ a = b ]]'
	failing_at 8 '(( 1 == 2 ))'
	failing_at 8 'echo x | grep -q y'
	failing_at 8 'x=$(false)'
	failing_at 8 'run -1 true'
	failing_at 9 $'for i in 1 2; do\n\t[ $i = 1 ]; done'
	failing_at 8 helper
	[[ $output = *"from function \`helper' in file $BATS_TEST_TMPDIR/fails.bats, line 4,"* ]]
}

# refused LINE SCRIPT ARGUMENT... - check that the script exits 64 with one line on stderr that
# starts with LINE
refused() {
	local line=$1 script=$2
	run --separate-stderr "$ROOT/test/$script" "${@:3}"
	[ "$status" -eq 64 ]
	[ "$output" = '' ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr = "$line"* ]]
}

@test "run-bats and run-unit reject options and missing files in one line with 64" {
	refused "run-bats: there are no options, such as --jobs: " run-bats --jobs 2
	refused "run-bats: test/none.bats: there is no file test/none.bats" run-bats test/none.bats
	refused "run-bats: none: there is no file test/none.bats" run-bats suite none
	refused "run-unit: there are no options, such as -v" run-unit -v
	refused "run-unit: there is no program ./none_test: " run-unit ./none_test
}

@test "run-bats accepts a file's name, its name in test/, and its path" {
	local name
	for name in suite suite.bats test/suite.bats; do
		TEST_NAME='a name that no test has' run "$ROOT/test/run-bats" "$name"
		[ "$output" = "run-bats: no test has this in its name: a name that no test has" ]
	done
}

@test "make check T='FILE NAME' runs the tests of FILE that have NAME in their names" {
	# Run it as from a shell, since bats puts a directory of its own first in PATH.
	run env -i PATH="${PATH//"$BATS_LIBEXEC:"/}" make --no-print-directory -C "$ROOT" \
		BIN="$NHM_BIN" -o programs check-bats T='suite run-bats and run-unit reject options'
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = 'bats: 1 passed, 0 failed, 0 skipped, 0 unsteady' ]
}

@test "a target that is no test is given all words of T" {
	run make -n -C "$ROOT" --no-print-directory -o programs inject T='--kinds memory --every 20'
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == *'/inject --kinds memory --every 20' ]]
}

@test "every file of the tree has tests that belong to it, and every test file belongs to some file" {
	cd "$ROOT"
	{
		find . -maxdepth 1 -type f -not -name .git # a file in a worktree
		find .ci bin dist doc lib test tools -type f -not -path '*/__pycache__/*' \
			-not -path 'test/*.bats' -not -path 'bin/[a-z]*'
	} | sed 's|^\./||' >"$BATS_TEST_TMPDIR/paths"
	xargs test/lint/belonging <"$BATS_TEST_TMPDIR/paths" >"$BATS_TEST_TMPDIR/belonging"
	diff <(basename -a -s .bats test/*.bats | LC_ALL=C sort) "$BATS_TEST_TMPDIR/belonging"
	run test/lint/belonging no/such/path
	[ "$status" -eq 1 ]
	[ "$output" = 'belonging: no/such/path: no line of test/lint/belongs fits it' ]
}

@test "each Thorough: line names a part of .ci/thorough and is at a place where it counts" {
	local parts part
	parts=" $(sed -n '/^parts=(/,/)$/p' "$ROOT/.ci/thorough" | tr -s '()\t\n' ' ') "
	while read -r part; do
		[[ $parts = *" $part "* ]] || {
			echo "$part is no part" >&2
			return 1
		}
	done < <(sed -n 's/^# Thorough: //p' "$ROOT"/test/*.bats | sort -u)
	# It counts at the beginning of a file and directly above a test.
	diff /dev/null <(awk 'FNR == 1 { begins = 1 } /^$/ { begins = 0 }
		marked && !/^@test / { print FILENAME ":" FNR - 1 ": above no test" }
		{ marked = /^# Thorough: / && !begins }' "$ROOT"/test/*.bats)
}

@test "the lists of the mutants and of the fuzzed parsers name only what exists" {
	local list copy=$BATS_TEST_TMPDIR/copy
	run "$ROOT/test/mutate/mutate" --check
	[ "$status:$output" = 0: ]
	run "$ROOT/test/fuzz/coverage" --check
	[ "$status:$output" = 0: ]

	mkdir -p "$copy/test"
	cp -r "$ROOT"/test/{mutate,fuzz} "$copy/test"
	ln -s "$ROOT"/{lib,tools} "$copy"
	list=$copy/test/mutate
	echo 'lib/pace.c : no_such' >>"$list/files"
	printf '%s\n' 'lib/pace.c no_such: return {1=>2};' '    -- Why.' >>"$list/equal"
	run "$list/mutate" --check
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = \
		'mutate: test/mutate/equal: no such mutant: lib/pace.c no_such: return {1=>2};' ]
	[ "${lines[1]}" = 'mutate: test/mutate/files: lib/pace.c has no mutants of no_such' ]

	list=$copy/test/fuzz
	printf '%s\n' 'lib/line.c fuzz_records : line_next no_such' '	neither: why' >>"$list/parsers"
	run "$list/coverage" --check
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = 'coverage: test/fuzz/parsers: lib/line.c has no function no_such' ]
	[ "${lines[1]}" = 'coverage: test/fuzz/parsers: lib/line.c has no function neither' ]
	[ "${#lines[@]}" -eq 2 ]
	echo 'lib/line.c no_such' >>"$list/parsers"
	run "$list/coverage" --check
	[ "$status" -eq 1 ]
	[ "$output" = 'coverage: not in test/fuzz/parsers, or not there: no_such' ]
}

@test "run-unit counts failures, missing tests and a nonzero exit code" {
	local t=$BATS_TEST_TMPDIR
	printf '#!/bin/sh\n%s\n' 'echo "ok 1"; echo 1..2' >"$t/early_test"
	printf '#!/bin/sh\n%s\n' 'echo "not ok 1 - a"; echo "# why"; echo "ok 2"; echo 1..2; exit 1' \
		>"$t/fails_test"
	printf '#!/bin/sh\n%s\n' 'echo "ok 1"; echo 1..1; exit 3' >"$t/ends_test"
	printf '#!/bin/sh\n%s\n' 'echo "ok 1"; echo 1..1' >"$t/good_test"
	chmod +x "$t"/*_test
	run "$ROOT/test/run-unit" "$t"/{early,fails,ends,good}_test
	[ "$status" -eq 1 ]
	diff - <(printf '%s\n' "$output") <<-'END'
		early_test: ended with 0 after 1 of 2 tests
		early_test                       1 passed, 1 failed
		fails_test: not ok 1 - a
		  # why
		fails_test                       1 passed, 1 failed
		ends_test: ended with 3 after 1 of 1 tests
		ends_test                        1 passed, 1 failed
		good_test                        1 passed, 0 failed
		unit: 4 passed, 3 failed
	END
	run "$ROOT/test/run-unit" "$t/good_test"
	[ "$status" -eq 0 ]
	run -1 "$ROOT/test/run-unit"
}

# prepared_alike FILE... - check that bats and run-bats prepare FILE alike
prepared_alike() {
	local file
	for file; do
		diff <(bats-preprocess "$file") <("$ROOT/test/lib/preprocess" "$file") || {
			echo "$file" >&2
			return 1
		}
	done
}

@test "run-bats prepares a file as bats does" {
	# TEST stands for @test, or these would be tests here.
	sed 's/TEST/@test/' >"$BATS_TEST_TMPDIR/some.bats" <<-'END'
		TEST "one line, { and } in it: a_b-c 1.5 %" { [ x ] && { echo } {; }; }
		  TEST	'another, with $quotes `and` \ more'   {
			TEST is no test
		}
		TEST bare_name {
		# TEST "none" {
	END
	prepared_alike "$BATS_TEST_TMPDIR/some.bats"
	[ "$(grep -c ^bats_test_function <("$ROOT/test/lib/preprocess" \
		"$BATS_TEST_TMPDIR/some.bats"))" -eq 3 ]
	# A run with NHM_THOROUGH=1 checks all files.
	each_nth 40 "$ROOT"/test/*.bats >"$BATS_TEST_TMPDIR/files"
	mapfile -t files <"$BATS_TEST_TMPDIR/files"
	prepared_alike "${files[@]}"
	none grep -l -E '^@test.*[^ -~]|# *@test *$|^[[:blank:]]*# *bats (test|file)_tags' \
		"$ROOT"/test/*.bats
}

@test "make crash reports a failing run with its seed and exits 1; invalid arguments exit 64" {
	refused "run-crash: --kills N, and perhaps" run-crash
	refused "run-crash: --kills N, and perhaps" run-crash --kills 0
	refused "run-crash: --kills N, and perhaps" run-crash --kills 3 --seed -1
	refused "run-crash: --kills N, and perhaps" run-crash --kills 3 --speed 1
	# In one of six cases mktemp makes a name like this.
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nmkdir "%s" && echo "%s"\n' "$BATS_TEST_TMPDIR"/tmp.4711{,} \
		>"$BATS_TEST_TMPDIR/bin/mktemp"
	chmod +x "$BATS_TEST_TMPDIR/bin/mktemp"
	# None of the programs is in PATH, so each run fails.
	PATH=$BATS_TEST_TMPDIR/bin:$(printf '%s' "$PATH" | tr : '\n' | grep -v -x \
		-F "$NHM_BIN" | paste -s -d :) \
		run "$ROOT/test/run-crash" --kills 3 --seed 41 --log "$BATS_TEST_TMPDIR/log"
	[ "$status" -eq 1 ]
	[ "$(grep -c -E '^not ok (ctreval|logmatch|emit): 1 kills, seed 41$' <<<"$output")" -eq 3 ]
	[ "${lines[-1]}" = 'crash: 0 kills in 3 runs, 3 failed' ]
	[ "$(cut -f 3- "$BATS_TEST_TMPDIR/log")" = $'0\t41\t3\t3' ]
}

# measured VALUE GOAL SENSE - print a row of a benchmark
measured() {
	echo "{\"what\":\"a row\",\"measured\":$1,\"goal\":$2,\"unit\":\"x\",\"sense\":\"$3\"}"
}

# the_table_says VERDICT ROW [ROW_BEFORE] - check the verdict of the table; sets value
the_table_says() {
	local expected=0 files=("$BATS_TEST_TMPDIR/now")
	[ "$1" = ok ] || expected=1
	echo "$2" >"$BATS_TEST_TMPDIR/now"
	[ $# -eq 2 ] || files+=("$BATS_TEST_TMPDIR/before")
	echo "${3-}" >"$BATS_TEST_TMPDIR/before"
	run /usr/bin/python3 "$ROOT/test/bench/table" "${files[@]}"
	[ "$status" -eq "$expected" ]
	[[ ${lines[-1]} = "a row "*" $1" ]]
	value=$(tr -s ' ' <<<"${lines[-1]}" | cut -d ' ' -f 3,6)
}

@test "the benchmarks' table marks a missed goal, and a value more than 15 % worse than before" {
	the_table_says ok "$(measured 1.3 1.3 'at most')"
	the_table_says MISSED "$(measured 1.31 1.3 'at most')"
	[ "$value" = "1.31 1.30" ]
	the_table_says ok "$(measured 20000 10000 'at least')"
	[ "$value" = "20,000 10,000" ]
	the_table_says ok "$(measured 10 10 'at least')"
	[ "$value" = "10 10" ]
	the_table_says MISSED "$(measured 9.9 10 'at least')"
	the_table_says ok "$(measured 1.14 2 'at most')" "$(measured 1 2 'at most')"
	the_table_says WORSE "$(measured 1.16 2 'at most')" "$(measured 1 2 'at most')"
	the_table_says ok "$(measured 88 10 'at least')" "$(measured 100 10 'at least')"
	the_table_says WORSE "$(measured 86 10 'at least')" "$(measured 100 10 'at least')"
	the_table_says ok "$(measured 0 0 'at most')" "$(measured 0 0 'at most')"
	the_table_says MISSED "$(measured 1 0 'at most')" "$(measured 0 0 'at most')"
}

# comparing PAIR... - run test/bench/check on a benchmark that measures the values of these pairs in
# turn, OTHER:OWN, first with the other programs and then with our own
comparing() {
	local bench=$BATS_TEST_TMPDIR/bench
	rm -rf "$bench"
	mkdir "$bench" "$bench/own" "$bench/other"
	cp -r "$ROOT"/test/bench/{check,benchlib} "$bench"
	local pair
	for pair; do
		measured "${pair%:*}" 2 'at most' >>"$bench/other/values"
		measured "${pair#*:}" 2 'at most' >>"$bench/own/values"
	done
	cat >"$bench/bench-fake" <<-'END'
		#!/bin/sh
		cd "$NHM_BIN" && head -n 1 values >>"$NHM_BENCH_RESULTS" && sed -i 1d values
	END
	chmod +x "$bench/bench-fake"
	NHM_BIN=$bench/own run --separate-stderr \
		/usr/bin/python3 "$bench/check" "$bench/other" bench-fake
}

@test "test/bench/check reports what is more than 15 % worse than with other programs, but not after one unlucky run" {
	comparing 1:1.14
	status_is 0
	comparing 1:1.5 1:1.2 1:1.1
	status_is 0
	# On another processor both are slower.
	comparing 3:3.3
	status_is 0
	# The other programs are unlucky once, which does not excuse our own.
	comparing 1:1.5 1:1.2 1:1.16 2:1.3 1:1.2 1:1
	status_is 1
	[ "${lines[-1]}" = 'bench-fake: a row: 1.16 x, with the other programs 1 x: WORSE' ]
	comparing
	status_is 1
	[ "${lines[-1]}" = 'bench-fake: nothing is measured' ]
}

@test "each line of test/bare/said is about a block of README" {
	local first said
	"$ROOT/test/docs/blocks" "$ROOT/README.md" "$BATS_TEST_TMPDIR/blocks"
	while IFS=$'\t' read -r first said; do
		[ -n "$said" ]
		grep -q -x -F -- "$first" <(head -q -n 1 "$BATS_TEST_TMPDIR"/blocks/*) || {
			echo "no block of README begins with: $first" >&2
			return 1
		}
	done < <(grep -v '^#' "$ROOT/test/bare/said")
}
