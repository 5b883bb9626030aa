# common - what every bats file uses: paths, a simulated node, waiting with a deadline.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# First, for it makes what follows fast.
# shellcheck source=test/lib/trace.bash
source "${BASH_SOURCE[0]%/*}/trace.bash"
bats_require_minimum_version 1.5.0

# Every test comes by here, so no process is started for it.
ROOT=${BASH_SOURCE[0]%/test/*}
export ROOT
# The programs under test; `make check` sets it to what it has built.
export NHM_BIN=${NHM_BIN:-$ROOT/bin}
PATH=$NHM_BIN:$ROOT/test/sim:$PATH
# Programs in Python are started by the hundred: they are compiled once, and so is what they import
# of Python itself, wherever Python is otherwise told to keep nothing.
export PYTHONPYCACHEPREFIX=$ROOT/build/test/pycache
unset PYTHONDONTWRITEBYTECODE

# jq - runs gojq instead, which starts in 3 ms; Debian's jq takes 25, and a test asks several times.
# gojq sorts the names of all objects, so -S is left out. For the order of names in the input, for
# keys_unsorted, input_line_number, back references and -a there is `command jq`.
jq() {
	local argument arguments=()
	for argument; do
		[ "$argument" = -S ] || arguments+=("$argument")
	done
	# What lives so shortly need not collect its garbage often.
	GOGC=400 gojq "${arguments[@]}"
}

# Nothing of the machine that runs the tests may leak into them, and nothing of run-bats.
unset NODE_NAME LEAVE_OUT
unset -f bats-preprocess
# script(1) runs its command by this, and where it is not set by sh.
export SHELL=/bin/bash

# Recorded machines that are not ours to ship: beside the checkout, or named in NHM_FIXTURES.
FIXTURES=${NHM_FIXTURES:-$ROOT/../shared/fixtures}
export PLATFORMS=$ROOT/test/fixtures/platforms

need_fixtures() {
	[ -d "$FIXTURES/sysfs" ] || skip "left out: no recorded machines in ${FIXTURES#"$ROOT"/}"
}

# each_nth N ITEM... - prints each N-th of the items and the last one, always the same; all of
# them with NHM_THOROUGH=1.
each_nth() {
	local n=$1 i
	shift
	[ -z "${NHM_THOROUGH-}" ] || n=1
	for ((i = 1; i < $#; i += n)); do echo "${!i}"; done
	echo "${!#}"
}

# node PLATFORM [NAME] - lays out a simulated node, of a platform or one that the scenarios have,
# and sets NODE to its directory.
node() {
	export NODE=$BATS_TEST_TMPDIR/${2:-node}
	lay_out "$1"
}

# shared_node PLATFORM - the same for a test that changes nothing of it: the first such test of a
# file lays it out for all.
shared_node() {
	export NODE=$BATS_FILE_TMPDIR/$1
	[ -e "$NODE" ] || lay_out "$1"
}

# few PLATFORM DEV... - lays out a node that has just these NICs of a platform: nearly all files of
# a node are NICs'.
few() {
	export NODE=$BATS_TEST_TMPDIR/node
	jq '.nics |= map(select(.device | IN($ARGS.positional[])))' "$PLATFORMS/$1.json" \
		--args "${@:2}" >"$BATS_TEST_TMPDIR/few.json"
	nicsim "$NODE" create "$BATS_TEST_TMPDIR/few.json"
}

lay_out() {
	local platform=$PLATFORMS/$1.json
	[ -e "$platform" ] || platform=$ROOT/test/replay/platforms/$1.json
	nicsim "$NODE" create "$platform"
}

# sim COMMAND... - does something to the node.
sim() { nicsim "$NODE" "$@"; }

# sims COMMAND... - does several things to it, one after the other; each is one argument, quoted as
# in a script. (Starting the simulator takes longer than what it does.)
sims() { printf '0s %s\n' "$@" | nicsim "$NODE" run --fast - >/dev/null; }

# untree NAME - a recorded machine as a tree of the test's own; sets TREE to its directory.
untree() {
	need_fixtures
	TREE=$BATS_TEST_TMPDIR/${1##*/}
	"$ROOT/test/lib/untree" "$FIXTURES/$1.tree" "$TREE"
}

# What is said of a port that the simulator takes down, as a regular expression: a look can come
# between the two files that it writes, and what was said then is not said again.
# shellcheck disable=SC2034 # for who loads this
GOES_DOWN='state (DOWN|ACTIVE), phys_state Disabled'

# make_tracefs DIR - a directory with what rdmatrace uses of a tracefs, and its instance already:
# the files note what is written into them.
make_tracefs() {
	local instance=$1/instances/rdmatrace event
	for event in rdma_cma/cm_event_handler rdmatrace/ib_{qp,cq,srq,wq,event}; do
		mkdir -p "$instance/events/$event"
		touch "$instance/events/$event"/{filter,enable}
	done
	touch "$1/kprobe_events" "$instance"/{buffer_size_kb,trace_clock,trace}
	mkfifo "$instance/trace_pipe"
}

# The tools on the simulated node, as the service runs them. background() makes them take the
# place of their shell.
EXEC=
scan() { $EXEC ibscan --sysfs-root "$NODE/sys" \
	--boot-id-file "$NODE/proc/sys/kernel/random/boot_id" --node test-node "$@"; }
classify() {
	$EXEC topoclass --metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		--route "$NODE/proc/net/route" \
		--route6 "$NODE/proc/net/ipv6_route" "$@"
}

# with_etc DIR COMMAND... - `run` where /etc/nic-health-monitor has the files of a directory.
with_etc() {
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr unshare --mount --map-root-user bash -c '
		mount -t tmpfs none /etc && cp -r "$0" /etc/nic-health-monitor && exec "$@"' "$@"
}

# for_anybody PROGRAM... - copies of these programs, which come first in PATH: a user who is not the
# tests' may start them, also where the tree is nobody else's.
for_anybody() {
	local dir=$BATS_TEST_TMPDIR/for_anybody
	mkdir "$dir"
	cp "${@/#/$NHM_BIN/}" "$dir"
	chmod a+rx "$BATS_RUN_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_TEST_TMPDIR"
	PATH=$dir:$PATH
}

# A machine may have ten times the work it can do at once, and waiting longer for what comes costs
# nothing. run-bats measures how slow this one is.
TIME_SCALE=${TIME_SCALE:-6}

# wait_until SECONDS COMMAND... - succeeds as soon as the command does, fails when the time is up:
# SECONDS is what it takes at the very most where nothing else runs, and TIME_SCALE times that is
# waited. What is waited for has to last: a command may be slow, and is asked less and less often,
# for each time costs the machine something: the last pause is a quarter of all of them, and 400 ms
# at most.
wait_until() {
	# Both are whole numbers: the next second may be a moment away.
	local deadline=$((SECONDS + $1 * TIME_SCALE + 1)) pause_ms=20 pause
	shift
	until "$@"; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			echo "gave up waiting for: $*" >&2
			return 1
		fi
		printf -v pause '0.%03d' "$pause_ms"
		pause "$pause"
		pause_ms=$((pause_ms < 300 ? pause_ms * 4 / 3 : 400))
	done
}

# pause SECONDS - sleeps, and starts no process for it: there are thousands of pauses.
pause() {
	[ -n "${NOBODY_WRITES-}" ] || exec {NOBODY_WRITES}<> <(:)
	read -r -t "$1" -u "$NOBODY_WRITES" || true
}

# timeout SECONDS COMMAND... - as in wait_until, that is what it takes where nothing else runs.
timeout() {
	local seconds=$1
	shift
	command timeout "$((seconds * TIME_SCALE))" "$@"
}

# none COMMAND... - succeeds when the command does not. (A plain `!` in the middle of a test
# cannot fail it.)
none() { ! "$@"; }

# has_lines N FILE [REGEX] - at least N lines of the file (that match) are there; without a regular
# expression whole ones, and not what is still being written.
has_lines() {
	local count
	if [ $# -gt 2 ] && [ "$1" -eq 1 ]; then
		# As a rule: one process, not three.
		grep -q -s -E -- "$3" "$2"
		return
	elif [ $# -gt 2 ]; then
		count=$(grep -c -E -- "$3" "$2" 2>/dev/null)
	else
		count=$({ wc -l <"$2"; } 2>/dev/null)
	fi
	[ "${count:-0}" -ge "$1" ]
}

# background COMMAND... - starts a program, or scan or classify, and ends it with the test whatever
# happens. PID is the program's own; its stdin is the caller's, its stdout and stderr
# $BATS_TEST_TMPDIR/out and err.
background() {
	(
		[ "$(type -t "$1")" != function ] || { EXEC="exec" && "$@"; }
		exec "$@"
	) <&0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	BACKGROUND+=("$PID")
}

# feed_open COMMAND... - as background, but what is written to descriptor 7 is its stdin, until
# `exec 7>&-`.
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

# started NAME COMMAND... - starts a program in the background, with its stdout and stderr in
# $BATS_TEST_TMPDIR/NAME.out and $BATS_TEST_TMPDIR/NAME.err, and with none of the test runner's
# descriptors. Sets PID.
started() {
	local name=$1 fd
	shift
	# Of one that had the name before, nothing must be taken for this one's.
	: >"$BATS_TEST_TMPDIR/$name.out"
	: >"$BATS_TEST_TMPDIR/$name.err"
	(
		for fd in /proc/"$BASHPID"/fd/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-"
		done
		exec "$@" >"$BATS_TEST_TMPDIR/$name.out" 2>"$BATS_TEST_TMPDIR/$name.err"
	) <&0 &
	PID=$!
	BACKGROUND+=("$PID")
}

is_running() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
	# Behind the name, which may be anything, is the state: a zombie does not run.
	[[ ${stat##*) } != [ZX]* ]]
}
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

# ours - processes that this test has started, by what is in their environment.
ours() { env -i grep -lzsxF -- "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ; }
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
		printf 'exit code %s, expected %s\nstdout: %s\nstderr: %s\n' "$status" "$1" \
			"$output" "${stderr-}" >&2
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
