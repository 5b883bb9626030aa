#!/usr/bin/env bats
# takeover: injected code can do only what its program does: programs with such code (test/takeover)
# try forbidden acts.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

# The user who runs the suite, root, may do all of it.
setup() {
	[ -n "${NHM_TAKEOVER_BIN-}" ] || skip "make check-bats says where these programs are"
	[ "$(id -u)" -eq 0 ] || skip "as root, who may do all of it"
	T=$BATS_TEST_TMPDIR
	mkdir "$T/foreign" "$T/own"
	started neighbour sleep 900
	NEIGHBOUR=$PID
	local helper=("$NHM_TAKEOVER_BIN/topoclass" --confine=off --no-metadata)
	started server env NHM_TAKEOVER_IN=topoclass NHM_TAKEOVER=listen-for-others "${helper[@]}"
	wait_until 20 has_lines 1 "$T/server.out"
	export NHM_TAKEOVER_PID=$NEIGHBOUR NHM_TAKEOVER_PORT NHM_TAKEOVER_DIR=$T/foreign
	export NHM_TAKEOVER_FILE=$T/foreign/state.json
	NHM_TAKEOVER_PORT=$(cat "$T/server.out")
	ABI=$(NHM_TAKEOVER_IN=topoclass NHM_TAKEOVER=tell-abi "${helper[@]}" </dev/null 2>"$T/abi")
	# Without Landlock, as in many containers, there is nothing to test.
	[ "$ABI" -ge 1 ] || skip "there is no Landlock here"
}

teardown() { end_background; }

FILE_ACTS=(change-mode make-device make-file make-link move-file open-log read-file read-memory
	read-passwd remove-file truncate-file write-file)
PROCESS_ACTS=(limit-neighbour read-neighbour run-memory run-program signal-by-descriptor
	signal-neighbour trace-neighbour make-process)
NETWORK_ACTS=(connect-elsewhere read-packets send-raw serve)
KERNEL_ACTS=(add-key change-root change-user count-events leave-namespace load-filter load-module
	mount raise-capabilities read-log run-written set-time use-ring)
ALL_ACTS=("${FILE_ACTS[@]}" "${PROCESS_ACTS[@]}" "${NETWORK_ACTS[@]}" "${KERNEL_ACTS[@]}")

# as_used PROGRAM MODE - set COMMAND to a usual start of it, with files of its own and a sink on a
# host
as_used() {
	local own=$T/own
	COMMAND=("$NHM_TAKEOVER_BIN/$1" "--confine=$2")
	case $1 in
	ibscan) COMMAND+=(--sysfs-root /sys --count 1) ;;
	ibevent) COMMAND+=(--sysfs-root /sys) ;;
	pcitopo) COMMAND+=(--sysfs-root /sys) ;;
	rdmatrace) COMMAND+=(--sysfs-root /sys --tracefs "$T/tracing") ;;
	topoclass) COMMAND+=(--no-metadata) ;;
	ctreval) COMMAND+=(--state "$own/state.json" --acks "$own/acks.json"
		--silences "$own/silences") ;;
	logmatch) COMMAND+=(--state "$own/state.json") ;;
	emit) COMMAND+=(--spool "$own/spool.db" --acks "$own/acks.json" --sink "file:$own/events"
		--silences "$own/silences"
		--sink grpc:http://127.0.0.1:1 --sink "unix:$T/foreign/socket"
		--sink "grpc:unix://$T/foreign/socket") ;;
	# The tests use another port.
	fleetpage) COMMAND+=(--port 1) ;;
	fleetsetup) COMMAND+=(nats://127.0.0.1:1/nic) ;;
	fleetread) COMMAND+=(--acks "$own/acks.json" nats://127.0.0.1:1/nic) ;;
	nicsilence) COMMAND+=(--file "$own/silences" mlx5_0 --for 1h --why repair) ;;
	nichist) COMMAND+=(--spool "$own/spool.db" --history) ;;
	lnetread | nicdiff | nicview | topoparse) COMMAND+=(-) ;;
	nicwhy) COMMAND+=(mlx5_0) ;;
	niccheck) COMMAND+=(--settle 0s) ;;
	nic-health-monitor) COMMAND+=(--state "$own/state.json" --spool "$own/spool.db"
		--metrics-port '' --sink "file:$own/events" --kmsg '' --sysfs-root /sys
		--config /dev/null --metadata "$own/metadata.json") ;;
	esac
}

# tries PROGRAM ACT [MODE] - set OUTCOME: done, refused, or the system call that ended the program
tries() {
	local output status=0
	rm -rf "$T/foreign/new"
	echo '{}' >"$NHM_TAKEOVER_FILE"
	as_used "$1" "${3:-require}"
	output=$(NHM_TAKEOVER_IN=$1 NHM_TAKEOVER=$2 timeout 60 "${COMMAND[@]}" </dev/null 2>&1) ||
		status=$?
	case $output in
	*"takeover: $2: done"*) OUTCOME='done' ;;
	*"takeover: $2: refused: E"*) OUTCOME=refused ;;
	*"$1: error: confinement: system call "*)
		OUTCOME=${output##*the system call } OUTCOME=${OUTCOME%% *}
		[ "$status" -eq 159 ] || OUTCOME="exit code $status after $OUTCOME"
		;;
	*) OUTCOME="nothing that is known: exit code $status: $output" ;;
	esac
}

# is_refused PROGRAM ACT - check that PROGRAM cannot do ACT
is_refused() {
	tries "$@"
	case $OUTCOME in
	done | *\ *)
		echo "$1: $2: $OUTCOME" >&2
		return 1
		;;
	esac
}

# can_do_nothing PROGRAM [ACT]... - check that it can do no act but these, which its work needs
can_do_nothing() {
	local program=$1 act
	shift
	for act in "${ALL_ACTS[@]}"; do
		[[ " $* " = *" $act "* ]] || is_refused "$program" "$act"
	done
	[ "$(cat "$NHM_TAKEOVER_FILE")" = '{}' ] && [ ! -e "$T/foreign/new" ]
}

# A program that starts others cannot give up run-written, which PCRE2 needs to compile a regular
# expression. The systemd unit can.

# Landlock knows ports since Linux 6.7 and signals since 6.12.
without_ports() { [ "$ABI" -ge 4 ] || echo connect-elsewhere serve; }
without_signals() { [ "$ABI" -ge 6 ] || echo signal-neighbour signal-by-descriptor; }

@test "code injected into ibscan can do nothing that ibscan does not do" {
	can_do_nothing ibscan
}

@test "code injected into ibevent can do nothing that ibevent does not do" {
	can_do_nothing ibevent
}

@test "code injected into rdmatrace can do nothing that rdmatrace does not do" {
	make_tracefs "$T/tracing"
	can_do_nothing rdmatrace
}

@test "code injected into topoclass can do nothing that topoclass does not do" {
	can_do_nothing topoclass
}

@test "code injected into ctreval can do nothing that ctreval does not do" {
	can_do_nothing ctreval
}

@test "code injected into logmatch can do nothing that logmatch does not do" {
	can_do_nothing logmatch
}

@test "code injected into correlate can do nothing that correlate does not do" {
	can_do_nothing correlate
}

@test "code injected into blastradius can do nothing that blastradius does not do" {
	can_do_nothing blastradius
}

@test "code injected into fleetread can do nothing that fleetread does not do" {
	# shellcheck disable=SC2046 # words
	can_do_nothing fleetread $(without_ports)
}

@test "code injected into fleetpage can do nothing that fleetpage does not do" {
	# shellcheck disable=SC2046 # words
	can_do_nothing fleetpage $(without_ports)
}

@test "code injected into fleetview can do nothing that fleetview does not do" {
	can_do_nothing fleetview
}

@test "code injected into fleetsetup can do nothing that fleetsetup does not do" {
	# shellcheck disable=SC2046 # words
	can_do_nothing fleetsetup $(without_ports)
}

@test "code injected into emit can do nothing that emit does not do" {
	# shellcheck disable=SC2046 # words
	can_do_nothing emit $(without_ports)
}

@test "code injected into nichist can do nothing that nichist does not do" {
	: | emit --spool "$T/own/spool.db" --sink "file:$T/own/events"
	# shellcheck disable=SC2046 # words
	can_do_nothing nichist $(without_ports)
}

@test "code injected into topoparse can do nothing that topoparse does not do" {
	can_do_nothing topoparse
}

@test "code injected into nicdiff can do nothing that nicdiff does not do" {
	can_do_nothing nicdiff
}

@test "code injected into nicwhy can do nothing that nicwhy does not do" {
	can_do_nothing nicwhy
}

@test "code injected into nicsilence can do nothing that nicsilence does not do" {
	can_do_nothing nicsilence
}

@test "code injected into pcitopo can do nothing that pcitopo does not do" {
	can_do_nothing pcitopo
}

@test "code injected into lnetread can do nothing that lnetread does not do" {
	can_do_nothing lnetread
}

@test "code injected into nicview can start ibscan, and nothing else that nicview does not do" {
	# shellcheck disable=SC2046 # words
	can_do_nothing nicview make-process run-written $(without_signals)
}

@test "code injected into niccheck can start stages, and nothing else that niccheck does not do" {
	# niccheck may read what its stages read.
	# shellcheck disable=SC2046 # words
	can_do_nothing niccheck make-process run-written read-passwd read-file open-log \
		$(without_signals)
}

@test "code injected into nic-health-monitor can start stages and connect as emit may, and nothing else" {
	printf '{"version":"1.0","gpus":[{"numa_node":0}],"nic_topology":{"mlx5_0":["PIX"]}}' \
		>"$T/own/metadata.json"
	# It does not know where emit connects, may read what its stages read, and keeps the
	# capability that logmatch needs.
	# shellcheck disable=SC2046 # words
	can_do_nothing nic-health-monitor make-process run-written connect-elsewhere read-passwd \
		read-file open-log raise-capabilities $(without_ports) $(without_signals)
}

is_filtered() { grep -q "^Seccomp:.*2" "/proc/$PID/status" 2>/dev/null; }
# capabilities_of PROGRAM - set CAPABILITIES to those that it has once it waits for input
capabilities_of() {
	as_used "$1" require
	rm -f "$T/input"
	mkfifo "$T/input"
	# shellcheck disable=SC2016 # for the inner shell
	started "$1" bash -c 'exec "$@" <>"$0"' "$T/input" "${COMMAND[@]}"
	wait_until 20 is_filtered
	CAPABILITIES=$(sed -n 's/^CapEff:\t//p' "/proc/$PID/status")
	kill -KILL "$PID"
	wait_until 20 is_gone "$PID"
}

@test "ibevent may read libraries also where Red Hat and SUSE keep them" {
	[ -d /usr/lib64 ] || skip "left out: there is no directory /usr/lib64"
	cp -L -r /usr/lib64 "$T/lib64"
	touch "$T/lib64/libown.so"
	as_used ibevent require
	NHM_TAKEOVER_FILE=/usr/lib64/libown.so NHM_TAKEOVER_IN=ibevent NHM_TAKEOVER=read-file \
		timeout 60 unshare --mount bash -e -c '
			mount --bind "$0" /usr/lib64
			exec "$@"' "$T/lib64" "${COMMAND[@]}" >"$T/out" 2>&1 </dev/null || true
	grep -q 'takeover: read-file: done' "$T/out"
}

@test "of root's capabilities only those about access to files and their owners remain" {
	local program
	for program in topoclass ctreval logmatch correlate blastradius emit topoparse lnetread; do
		capabilities_of "$program"
		[ "$CAPABILITIES" = 000000000000000e ]
	done
}

@test "rdmatrace keeps none of root's capabilities" {
	make_tracefs "$T/tracing"
	capabilities_of rdmatrace
	[ "$CAPABILITIES" = 0000000000000000 ]
}

@test "without confinement these acts succeed" {
	local act
	for act in change-mode make-file make-link make-process move-file read-file read-memory \
		read-passwd remove-file run-written truncate-file write-file connect-elsewhere \
		serve signal-neighbour signal-by-descriptor limit-neighbour trace-neighbour \
		send-raw read-packets read-neighbour use-ring add-key; do
		tries ctreval "$act" off
		[ "$OUTCOME" = 'done' ] || {
			echo "$act: $OUTCOME" >&2
			return 1
		}
	done
}

@test "the tests find a system call, a file or a capability that is kept by mistake" {
	export NHM_TAKEOVER_WEAK=calls
	tries emit make-process
	[ "$OUTCOME" = 'done' ]
	export NHM_TAKEOVER_WEAK=files
	tries emit read-passwd
	[ "$OUTCOME" = 'done' ]
	tries emit read-file
	[ "$OUTCOME" = 'done' ]
	export NHM_TAKEOVER_WEAK=capabilities
	capabilities_of emit
	[ "$CAPABILITIES" != 000000000000000e ]
}
