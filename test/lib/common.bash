# common - what every bats file uses: paths, simulated nodes, waiting, background processes.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# Load this first: it makes the rest fast.
# shellcheck source=test/lib/trace.bash
source "${BASH_SOURCE[0]%/*}/trace.bash"
bats_require_minimum_version 1.5.0

# Every test runs these lines, so they start no process.
ROOT=${BASH_SOURCE[0]%/test/*}
export ROOT
# The programs under test; `make check` sets it to its build.
export NHM_BIN=${NHM_BIN:-$ROOT/bin}
PATH=$NHM_BIN:$ROOT/test/sim:$PATH
# The tests start hundreds of Python programs: compile each, and its imports, only once, even where
# Python is told to write no bytecode.
export PYTHONPYCACHEPREFIX=$ROOT/build/test/pycache
unset PYTHONDONTWRITEBYTECODE

# jq - run gojq, which starts in 3 ms instead of the 25 ms of Debian's jq; a test runs it several
# times. gojq sorts the members of all objects, so -S is left out. Use `command jq` for the members'
# order in the input, keys_unsorted, input_line_number, back references and -a.
jq() {
	local argument arguments=()
	for argument; do
		[ "$argument" = -S ] || arguments+=("$argument")
	done
	# A short-lived process needs little garbage collection.
	GOGC=400 gojq "${arguments[@]}"
}

# Neither the environment of the machine nor that of run-bats may affect the tests.
unset NODE_NAME LEAVE_OUT
unset -f bats-preprocess
# script(1) runs its command by $SHELL, and by sh if that is not set.
export SHELL=/bin/bash

# Recorded machines that may not be published: beside the checkout, or in NHM_FIXTURES.
FIXTURES=${NHM_FIXTURES:-$ROOT/../shared/fixtures}
export PLATFORMS=$ROOT/test/fixtures/platforms

need_fixtures() {
	[ -d "$FIXTURES/sysfs" ] || skip "left out: no recorded machines in ${FIXTURES#"$ROOT"/}"
}

# each_nth N ITEM... - print each N-th of the items and the last one, always the same; with
# NHM_THOROUGH=1 all of them
each_nth() {
	local n=$1 i
	shift
	[ -z "${NHM_THOROUGH-}" ] || n=1
	for ((i = 1; i < $#; i += n)); do echo "${!i}"; done
	echo "${!#}"
}

# node PLATFORM [NAME] - make a simulated node of a platform, or of one of the replay's; sets NODE
# to its directory
node() {
	export NODE=$BATS_TEST_TMPDIR/${2:-node}
	lay_out "$1"
}

# shared_node PLATFORM - do the same for a test that does not change the node: the tests of a file
# share it
shared_node() {
	export NODE=$BATS_FILE_TMPDIR/$1
	[ -e "$NODE" ] || lay_out "$1"
}

# few PLATFORM DEV... - make a node with only these NICs of a platform: this is faster, as nearly
# all files of a node are NICs'
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

# sim COMMAND... - run a simulator command on the node
sim() { nicsim "$NODE" "$@"; }

# sims COMMAND... - run several commands, each one argument, quoted as in a script. (Starting the
# simulator takes longer than a command.)
sims() { printf '0s %s\n' "$@" | nicsim "$NODE" run --fast - >/dev/null; }

# move_to_pod DEV - take it away, as when it moves to another network namespace: class/infiniband no
# longer shows it, but class/infiniband_verbs does
move_to_pod() {
	local function
	function=$(readlink -f "$NODE/sys/class/infiniband/$1/device")
	rm "$NODE/sys/class/infiniband/$1"
	rm -r "$function/infiniband"
}

# untree NAME - unpack a recorded machine; sets TREE to its directory
untree() {
	need_fixtures
	TREE=$BATS_TEST_TMPDIR/${1##*/}
	"$ROOT/test/lib/untree" "$FIXTURES/$1.tree" "$TREE"
}

# A regular expression of the state of a port that the simulator takes down: a scan can come between
# the two files that it writes, and its event is not corrected later.
# shellcheck disable=SC2034 # for who loads this
GOES_DOWN='state (DOWN|ACTIVE), phys_state Disabled'

# make_tracefs DIR - make the files of a tracefs that rdmatrace uses, with its instance; they keep
# what is written to them
make_tracefs() {
	local instance=$1/instances/rdmatrace event
	for event in rdma_cma/cm_event_handler rdmatrace/ib_{qp,cq,srq,wq,event}; do
		mkdir -p "$instance/events/$event"
		touch "$instance/events/$event"/{filter,enable}
	done
	touch "$1/kprobe_events" "$instance"/{buffer_size_kb,trace_clock,trace}
	mkfifo "$instance/trace_pipe"
}

# scan, classify - run ibscan and topoclass on the simulated node, as the service does. background()
# makes them replace their shell.
EXEC=
scan() { $EXEC ibscan --sysfs-root "$NODE/sys" \
	--boot-id-file "$NODE/proc/sys/kernel/random/boot_id" --node test-node "$@"; }
classify() {
	$EXEC topoclass --metadata "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		--route "$NODE/proc/net/route" \
		--route6 "$NODE/proc/net/ipv6_route" "$@"
}

# with_etc DIR COMMAND... - run COMMAND with DIR's files in /etc/nic-health-monitor
with_etc() {
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr unshare --mount --map-root-user bash -c '
		mount -t tmpfs none /etc && cp -r "$0" /etc/nic-health-monitor && exec "$@"' "$@"
}

# for_anybody PROGRAM... - put copies of the programs first in PATH which any user may execute, even
# if the source tree is private
for_anybody() {
	local dir=$BATS_TEST_TMPDIR/for_anybody
	mkdir "$dir"
	cp "${@/#/$NHM_BIN/}" "$dir"
	chmod a+rx "$BATS_RUN_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_TEST_TMPDIR"
	PATH=$dir:$PATH
}

# A machine may have ten times more work than processors, and a longer time limit costs nothing.
# run-bats measures how slow the machine is.
TIME_SCALE=${TIME_SCALE:-6}

# wait_until SECONDS COMMAND... - run the command until it succeeds, or fail after a time limit:
# SECONDS, the most that it takes on an idle machine, times TIME_SCALE. The state must last, because
# the pauses grow (each costs the machine something): the last pause is a quarter of all of them,
# and at most 400 ms.
wait_until() {
	# SECONDS has no fraction: the next second may be only a moment away.
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

# pause SECONDS - sleep without a process, as there are thousands of pauses
pause() {
	[ -n "${NOBODY_WRITES-}" ] || exec {NOBODY_WRITES}<> <(:)
	read -r -t "$1" -u "$NOBODY_WRITES" || true
}

# timeout SECONDS COMMAND... - run COMMAND with a time limit, scaled as in wait_until
timeout() {
	local seconds=$1
	shift
	command timeout "$((seconds * TIME_SCALE))" "$@"
}

# none COMMAND... - return success if the command fails. (A plain `!` in the middle of a test cannot
# fail it.)
none() { ! "$@"; }

# has_lines N FILE [REGEX] - return success if the file has at least N lines (that match); without
# REGEX only complete lines count
has_lines() {
	local count
	if [ $# -gt 2 ] && [ "$1" -eq 1 ]; then
		# The most frequent case: one process instead of three.
		grep -q -s -E -- "$3" "$2"
		return
	elif [ $# -gt 2 ]; then
		count=$(grep -c -E -- "$3" "$2" 2>/dev/null)
	else
		count=$({ wc -l <"$2"; } 2>/dev/null)
	fi
	[ "${count:-0}" -ge "$1" ]
}

# background COMMAND... - start a program, or scan or classify, until the end of the test. Sets PID
# to the program's; its stdin is the caller's, its output goes to $BATS_TEST_TMPDIR/out and err.
background() {
	(
		[ "$(type -t "$1")" != function ] || { EXEC="exec" && "$@"; }
		exec "$@"
	) <&0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	BACKGROUND+=("$PID")
}

# feed_open COMMAND... - do the same with descriptor 7 as the writing end of its stdin, until `exec
# 7>&-`
feed_open() {
	mkfifo "$BATS_TEST_TMPDIR/feed"
	# Open it in both directions first: opening a FIFO in one direction waits for the other end.
	exec 7<>"$BATS_TEST_TMPDIR/feed"
	background "$@" <"$BATS_TEST_TMPDIR/feed" 7>&-
}

# with_slow_clock COMMAND... - run it with a clock that is two hours slow until the test's directory
# has a file clock-is-set; the program needs --confine=off to look for it
with_slow_clock() {
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$BATS_TEST_TMPDIR/clock.so" \
		"$ROOT/test/lib/clock.c"
	ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-} \
		LD_PRELOAD=$BATS_TEST_TMPDIR/clock.so NHM_CLOCK=$BATS_TEST_TMPDIR/clock-is-set "$@"
}

# end_background - kill all of them; for each file's teardown()
end_background() {
	local pid
	for pid in "${BACKGROUND[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	BACKGROUND=()
}
BACKGROUND=()

# started NAME COMMAND... - start a program in the background with its output in
# $BATS_TEST_TMPDIR/NAME.out and NAME.err and without the test runner's descriptors; sets PID
started() {
	local name=$1 fd
	shift
	# An earlier program's output must not be taken for this one's.
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
	# The state follows the name, which may be any text: a zombie does not run.
	[[ ${stat##*) } != [ZX]* ]]
}
is_gone() { ! is_running "$1"; }

# ends_with CODE PID [SECONDS] - wait until the process ends, and check its exit code
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

# ends_without_reader COMMAND... - require that the program exits 74 once nobody reads its output,
# while its input is open and idle
ends_without_reader() {
	mkfifo "$BATS_TEST_TMPDIR/idle"
	# shellcheck disable=SC2016 # for the inner shell
	started reader bash -c '"$@" <>"$0" | true; exit "${PIPESTATUS[0]}"' \
		"$BATS_TEST_TMPDIR/idle" "$@"
	ends_with 74 "$PID"
	[ "$(cat "$BATS_TEST_TMPDIR/reader.err")" = "$1: error: stdout: Broken pipe" ]
}

# ours - list the processes that this test has started, by their environment
ours() { env -i grep -lzsxF -- "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ; }
# (grep's exit status is no use: there is always a process whose environment cannot be read.)
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

# status_is N [STDERR-REGEX] - check exit code and stderr after `run --separate-stderr`
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
