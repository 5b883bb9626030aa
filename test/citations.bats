#!/usr/bin/env bats
# citations: test/docs/citations, which `make lint` runs, finds citations and links without a
# target.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE/doc" "$TREE/lib"
	printf '### %s\n\nA rule.\n\n' port-health port-latch >"$TREE/doc/specification.md"
	echo '### rooms' >"$TREE/doc/architecture.md"
	echo '### kmsg-size' >"$TREE/doc/kernel.md"
	echo '.Ss Scan records' >"$TREE/doc/nic-health-monitor-records.5"
	echo '/* spec#port-health arch#rooms kernel#kmsg-size (records#scan-records). */' \
		>"$TREE/lib/x.c"
}

# fails_saying TEXT - check that citations fails with exactly this line.
fails_saying() {
	run "$ROOT/test/docs/citations" "$TREE"
	[ "$status" -eq 1 ]
	diff <(echo "$1") <(echo "$output")
}

@test "a tree without wrong citations passes silently" {
	echo 'See [the rule](doc/specification.md#port-health) and [a page](https://example.com/#none).' >"$TREE/README.md"
	echo "cut=\${spec#/}" >"$TREE/lib/script"
	printf '\377\n' >"$TREE/lib/bytes"
	run "$ROOT/test/docs/citations" "$TREE"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a citation of a rule that does not exist fails, for every page" {
	local kind page
	while read -r kind page; do
		echo "	# as ${kind}#kmsg-sizes says" >"$TREE/lib/x.c"
		fails_saying "lib/x.c:1: ${kind}#kmsg-sizes leads nowhere: doc/$page has no such rule"
	done <<-END
		spec specification.md
		arch architecture.md
		kernel kernel.md
		records nic-health-monitor-records.5
	END
}

@test "a citation whose name is missing or cut off fails" {
	local kind=spec
	printf '/* (%s#port-\n * health) */\n' "$kind" >"$TREE/lib/x.c"
	fails_saying "lib/x.c:1: $kind#port- leads nowhere: doc/specification.md has no such rule"
}

@test "two rules of the same name fail" {
	printf '\n### port-health\n' >>"$TREE/doc/specification.md"
	fails_saying "doc/specification.md:10: line 1 has a rule called port-health already"
}

@test "a rule whose name cannot be cited fails" {
	echo '### Port health' >"$TREE/doc/kernel.md"
	echo >"$TREE/lib/x.c"
	fails_saying "doc/kernel.md:1: 'Port health' cannot be cited: lower case, hyphens"
}

@test "a citation of a page that does not exist, or of a section by its number, fails" {
	printf 'SPE%s\n' 'C section 4.1' >"$TREE/lib/x.c"
	fails_saying "lib/x.c:1: 'SPE""C section' leads nowhere: cite a rule by its name"
	printf 'RECO%s\n' 'RDS.md has it' >"$TREE/lib/x.c"
	fails_saying "lib/x.c:1: 'RECO""RDS.md' leads nowhere: cite a rule by its name"
}

@test "a link to a file or heading that does not exist fails" {
	echo '[a](doc/none.md)' >"$TREE/README.md"
	fails_saying "README.md:1: the link to doc/none.md leads nowhere: there is no such file"
	echo '[a](../README.md) [b](kernel.md#kmsg)' >"$TREE/doc/other.md"
	echo >"$TREE/README.md"
	fails_saying "doc/other.md:1: the link to kernel.md#kmsg leads nowhere: there is no such heading"
}

@test "a cited test name that its file does not have fails" {
	echo '@test "a port is down" {' >"$TREE/lib/x.bats"
	echo 'See [x](../lib/x.bats) "a port is down".' >"$TREE/doc/page.md"
	run "$ROOT/test/docs/citations" "$TREE"
	[ "$status" -eq 0 ]
	echo 'See [x](../lib/x.bats) "a port is up".' >"$TREE/doc/page.md"
	fails_saying "doc/page.md:1: ../lib/x.bats has no 'a port is up'"
}

@test "everything that this tree cites exists" {
	"$ROOT/test/docs/citations"
}
