# common - what every bats file uses: paths, a simulated node, waiting with a deadline.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
export ROOT
# The programs under test; `make check` sets it to what it has built.
export NHM_BIN=${NHM_BIN:-$ROOT/bin}
PATH=$NHM_BIN:$ROOT/test/sim:$PATH
# Nothing of the machine that runs the tests may leak into them.
unset NODE_NAME

# Recorded machines that are not ours to ship: beside the checkout, or named in NHM_FIXTURES.
FIXTURES=${NHM_FIXTURES:-$ROOT/../shared/fixtures}
export PLATFORMS=$ROOT/test/fixtures/platforms

need_fixtures() {
	[ -d "$FIXTURES/sysfs" ] || skip "left out: no recorded machines in ${FIXTURES#"$ROOT"/}"
}

# node PLATFORM [NAME] - lays out a simulated node and sets NODE to its directory.
node() {
	NODE=$BATS_TEST_TMPDIR/${2:-node}
	nicsim "$NODE" create "$PLATFORMS/$1.json"
	export NODE
}

# sim COMMAND... - does something to the node.
sim() { nicsim "$NODE" "$@"; }

# untree NAME [DIR] - unpacks a recorded machine and sets TREE to its directory.
untree() {
	need_fixtures
	TREE=$BATS_TEST_TMPDIR/${1##*/}
	"$FIXTURES/sysfs/untree" "$FIXTURES/$1.tree" "$TREE"
}

# The tools on the simulated node, as the service runs them. background() makes them take the place of their shell.
EXEC=
scan() { $EXEC ibscan --sysfs-root "$NODE/sys" --boot-id-file "$NODE/proc/sys/kernel/random/boot_id" --node test-node "$@"; }
classify() {
	$EXEC topoclass --metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json" --route "$NODE/proc/net/route" \
		--route6 "$NODE/proc/net/ipv6_route" "$@"
}

# wait_until SECONDS COMMAND... - succeeds as soon as the command does, fails when the time is up.
wait_until() {
	# SECONDS is a whole number: the next one may be a moment away.
	local deadline=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			echo "gave up waiting for: $*" >&2
			return 1
		fi
		sleep 0.05
	done
}

# none COMMAND... - succeeds when the command does not. (A plain `!` in the middle of a test cannot fail it.)
none() { ! "$@"; }

# has_lines N FILE [REGEX] - at least N lines of the file (that match) are there.
has_lines() {
	local count
	count=$(grep -c -E -- "${3:-}" "$2" 2>/dev/null)
	[ "${count:-0}" -ge "$1" ]
}

# background COMMAND... - starts a program, or scan or classify, and ends it with the test whatever happens. PID is the
# program's own; its stdin is the caller's, its stdout and stderr $BATS_TEST_TMPDIR/out and err.
background() {
	(
		[ "$(type -t "$1")" != function ] || { EXEC="exec" && "$@"; }
		exec "$@"
	) <&0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	BACKGROUND+=("$PID")
}

# feed_open COMMAND... - as background, but what is written to descriptor 7 is its stdin, until `exec 7>&-`.
feed_open() {
	mkfifo "$BATS_TEST_TMPDIR/feed"
	# Open both ways first: opening a FIFO for one only would wait for the other.
	exec 7<>"$BATS_TEST_TMPDIR/feed"
	background "$@" <"$BATS_TEST_TMPDIR/feed" 7>&-
}

# To be called by each file's teardown().
end_background() {
	local pid
	for pid in "${BACKGROUND[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	BACKGROUND=()
}
BACKGROUND=()

# started NAME COMMAND... - in the background, its stdout and stderr in $BATS_TEST_TMPDIR/NAME.out and $BATS_TEST_TMPDIR/NAME.err, with none of the
# descriptors of the test runner. Sets PID.
started() {
	# Of one that had the name before, nothing must be taken for this one's.
	: >"$BATS_TEST_TMPDIR/$1.out"
	: >"$BATS_TEST_TMPDIR/$1.err"
	# shellcheck disable=SC2016 # for the inner shell
	background bash -c '
		for fd in /proc/$$/fd/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-"
		done
		exec "$@" >"$BATS_TEST_TMPDIR/$0.out" 2>"$BATS_TEST_TMPDIR/$0.err"' "$@"
}

is_running() { [[ $(ps -o stat= -p "$1") = [^Z]* ]]; }
is_gone() { ! is_running "$1"; }

# ends_with CODE PID [SECONDS]
ends_with() {
	local code=0
	wait_until "${3:-20}" is_gone "$2"
	wait "$2" || code=$?
	[ "$code" -eq "$1" ] || {
		echo "exit code $code, expected $1" >&2
		cat "$BATS_TEST_TMPDIR"/*.err >&2
		return 1
	}
}

# ours - processes that this test has started, by what is in their environment; but for the one by which bats watches over the test's time.
ours() {
	local environ command
	for environ in $(env -i grep -lzsxF -- "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ); do
		command=$(tr '\0' ' ' 2>/dev/null <"${environ%environ}cmdline") 2>/dev/null || continue
		[ "$command" = "sleep ${BATS_TEST_TIMEOUT-} " ] || echo "$environ"
	done
}
# (Not by grep's exit status: there is always somebody whose environment cannot be read.)
none_of_ours() { [ -z "$(ours)" ]; }

nothing_survives() {
	local environ
	wait_until 5 none_of_ours && return
	for environ in $(ours); do
		environ=${environ%/environ}
		echo "left running: $(tr '\0' ' ' <"$environ/cmdline")" >&2
		kill -KILL "${environ#/proc/}" || true
	done
	return 1
}

# status_is N [STDERR-REGEX] - after `run --separate-stderr`.
status_is() {
	if [ "$status" -ne "$1" ]; then
		printf 'exit code %s, expected %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "${stderr-}" >&2
		return 1
	fi
	[ $# -lt 2 ] || stderr_has "$2"
}

# shellcheck disable=SC2154 # bats sets stderr
stderr_has() {
	grep -q -E -- "$1" <<<"$stderr" || {
		printf 'stderr has no %s:\n%s\n' "$1" "$stderr" >&2
		return 1
	}
}
