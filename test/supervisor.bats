#!/usr/bin/env bats
# supervisor: nic-health-monitor runs the pipeline as a service, keeps its stages running and ends
# in order.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

STAGES=(ibscan topoclass ctreval emit)

setup() {
	load lib/service
	# mlx5_1 to mlx5_4 are monitored, each on a card of its own.
	shared_node l40s-onprem
	use_node
	EVENTS=$T/events
	# The service starts the stages from its own directory: this one has only the stages that
	# the tests use.
	PROGRAMS=$T/programs
	mkdir "$PROGRAMS"
	cp "${STAGES[@]/#/$NHM_BIN/}" "$NHM_BIN/nic-health-monitor" "$PROGRAMS"
	MONITOR=$PROGRAMS/nic-health-monitor
}

teardown() { nothing_left; }

# own_node - make a node of the test's own, which it may change
own_node() {
	node l40s-onprem
	use_node
}

use_node() {
	node_options
	OPTIONS=("${NODE_OPTIONS[@]}" --interval 200ms --state-file '' --spool '' --metrics-port '')
}

# --- the service ---

# launch OPTION... - start the service in the background with its events going to $EVENTS; sets
# SERVICE
launch() {
	# A shell's background processes ignore SIGINT; a service starts without that.
	started service env --default-signal=INT "$MONITOR" "${OPTIONS[@]}" --sink "file:$EVENTS" \
		"$@"
	SERVICE=$PID
}

# launch_and_settle OPTION... - launch, and wait until the first scan was evaluated
launch_and_settle() {
	launch "$@"
	wait_until 20 says 'ctreval: note: counters available'
}

# reported DEVICE REGEX - return success if an event of its port 1 has arrived that matches
reported() { [ -e "$EVENTS" ] && between_files <"$EVENTS" | grep -q \
	-E "\"message\":\"Port $1 port 1: $2"; }

# fault_is_reported DEVICE - let its port fail and recover, and wait until both events arrive
fault_is_reported() {
	sim down "$1/1"
	wait_until 10 reported "$1" 'state DOWN, phys_state Disabled"'
	sim up "$1/1"
	wait_until 10 reported "$1" 'healthy'
}

# ends_after SIGNAL [SECONDS [CODE]] - end the service by SIGNAL; check that it exits with 0 or CODE
# and leaves no stage
ends_after() {
	kill "-$1" "$SERVICE"
	ends_with "${3:-0}" "$SERVICE" "${2:-20}"
	none_of_ours
}

# pipes PID - print the pipes that it holds, each once, except the lifeline, which all stages hold
pipes() { find "/proc/$1/fd" -lname 'pipe:*' -printf '%l\n' | sort -u | grep -v -x \
	-F "$(lifeline)"; }
# lifeline - print the pipe that all stages hold, but not as stdin or stdout
lifeline() {
	local pid
	for pid in $(stages); do
		find "/proc/$pid/fd" -name '[3-9]' -lname 'pipe:*' -printf '%l\n'
	done | sort | uniq -c | awk -v stages="$(stages | wc -l)" \
		'$1 == stages { print $2 }'
}
# at PID FD - print the file that it has there
at() { readlink "/proc/$1/fd/$2"; }

# input_waits_for PID - return success if there are unread bytes in its stdin
input_waits_for() {
	/usr/bin/python3 -c '
import array, fcntl, os, sys, termios
pipe = os.open(f"/proc/{sys.argv[1]}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
unread = array.array("i", [0])
fcntl.ioctl(pipe, termios.FIONREAD, unread)
sys.exit(unread[0] == 0)
' "$1"
}

# leave_event_for_emit - stop emit and leave an event unread in its pipe; sets EMIT. (The service
# kills a stage that leaves its input for 5 s or ten intervals, whichever is longer: a busy machine
# may need more than 5 s for the test's next step.)
leave_event_for_emit() {
	launch_and_settle --interval 2s
	wait_until 10 all_stages_run
	EMIT=$(stage emit)
	kill -STOP "$EMIT"
	sim down mlx5_1/1
	wait_until 10 input_waits_for "$EMIT"
	[ ! -s "$EVENTS" ]
}

# --- the command line ---

@test "--help and --version print to stdout and succeed" {
	run --separate-stderr timeout 10 "$MONITOR" --help
	status_is 0
	[[ $output = "Usage: nic-health-monitor "*--metadata* ]]
	[ "$stderr" = "" ]
	run --separate-stderr timeout 10 "$MONITOR" --version
	status_is 0
	[[ $output = "nic-health-monitor (nic-health-monitor) "* ]]
	[ "$stderr" = "" ]
}

# refused NAMED WORD... - check that the service exits 64 with one line that has NAMED and a hint,
# and starts no stage
refused() {
	local named=$1
	shift
	run --separate-stderr timeout 10 "$MONITOR" "$@"
	status_is 64 "^nic-health-monitor: error: .*$named.* \(try 'nic-health-monitor --help'\)$"
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
}

@test "an unknown option, a missing value and an operand exit 64 with their names and a hint" {
	refused "'--bogus'" --bogus
	refused "'--sink'" --sink
	refused "--interval 'soon'" --interval soon
	refused "operand 'operand'" operand
	refused "'file:17'" "${OPTIONS[@]}" --sink=file:{1..17}
}

@test "a file size limit that leaves no room for the metrics exits 71 with the reason, without a signal" {
	run --separate-stderr timeout 60 bash -c 'ulimit -f 1000; exec "$@"' _ "$MONITOR" \
		"${OPTIONS[@]}" --sink "file:$EVENTS"
	status_is 71 '^nic-health-monitor: error: cannot set up the pipeline: File too large$'
}

# gives_up CODE STAGE REGEX - check that the service exits with the code and message of a stage that
# fails permanently
gives_up() {
	ends_with "$1" "$SERVICE"
	says "$3"
	says "^nic-health-monitor: error: stage $2: exited with $1: permanent failure, stopping the service$"
	none_of_ours
}

# Thorough: service
@test "missing GPU metadata at a restart of topoclass stops the service with 78" {
	own_node
	launch_and_settle
	rm "$NODE/var/lib/nvsentinel/gpu_metadata.json"
	kill -KILL "$(stage topoclass)"
	gives_up 78 topoclass '^topoclass: error: .*/gpu_metadata.json: No such file'
}

# Thorough: service
@test "a missing program at a restart of its stage stops the service with 127" {
	launch_and_settle
	rm "$PROGRAMS/topoclass"
	kill -KILL "$(stage topoclass)"
	gives_up 127 topoclass "$PROGRAMS/topoclass: No such file"
}

# Thorough: service
@test "a program that cannot be executed at a restart of its stage stops the service with 126" {
	launch_and_settle
	chmod -x "$PROGRAMS/ctreval"
	kill -KILL "$(stage ctreval)"
	gives_up 126 ctreval "$PROGRAMS/ctreval: Permission denied"
}

# --- running ---

@test "ibscan, topoclass, ctreval and emit run as children, and a fault reaches the sink" {
	own_node
	launch_and_settle
	wait_until 10 all_stages_run
	[ "$(stages | wc -l)" -eq 4 ]
	fault_is_reported mlx5_2
	[ "$(jq -r .nodeName "$EVENTS" | sort -u)" = gpu-1 ]
	ends_after TERM
	[ ! -s "$T/service.out" ]
}

@test "-v logs each stage with its process id" {
	launch_and_settle -v
	local name
	wait_until 10 all_stages_run
	for name in "${STAGES[@]}"; do
		says "^nic-health-monitor: info: stage $name: started, pid $(stage "$name")$"
	done
}

# Thorough: service
@test "a stage holds only the pipes of its stdin and stdout" {
	launch_and_settle
	wait_until 10 all_stages_run
	local ibscan topoclass ctreval emit
	ibscan=$(stage ibscan) topoclass=$(stage topoclass) ctreval=$(stage ctreval) \
		emit=$(stage emit)
	[ "$(at "$ibscan" 1)" = "$(at "$topoclass" 0)" ]
	[ "$(at "$topoclass" 1)" = "$(at "$ctreval" 0)" ]
	[ "$(at "$ctreval" 1)" = "$(at "$emit" 0)" ]
	[ "$(pipes "$ibscan")" = "$(at "$ibscan" 1)" ]
	[ "$(pipes "$topoclass")" = "$( (at "$topoclass" 0; at "$topoclass" 1) | sort)" ]
	[ "$(pipes "$topoclass" | wc -l)" -eq 2 ]
	[ "$(pipes "$ctreval")" = "$( (at "$ctreval" 0; at "$ctreval" 1) | sort)" ]
	[ "$(pipes "$emit")" = "$(at "$emit" 0)" ]
	# Nor does it hold the service's signal, epoll or pid descriptors.
	local pid
	for pid in "$topoclass" "$ctreval"; do
		[ "$(find "/proc/$pid/fd" -lname 'anon_inode:*' -printf '%f=%l ')" = "" ]
	done
}

@test "stages inherit only stdin, stdout and stderr from the service's caller" {
	local pid
	echo secret >"$T/inherited"
	# shellcheck disable=SC2016 # for the inner shell
	started service bash -c 'exec "$@" 9<"$0"' "$T/inherited" "$MONITOR" "${OPTIONS[@]}" \
		--sink "file:$EVENTS"
	SERVICE=$PID
	wait_until 20 all_stages_run
	for pid in $(stages); do
		[ "$(at "$pid" 9)" != "$T/inherited" ]
	done
}

# others_than NAME - print the process ids of the other stages
others_than() {
	local name
	for name in "${STAGES[@]}"; do
		[ "$name" = "$1" ] || stage "$name"
	done
}

# survives_the_death_of STAGE DEVICE - kill STAGE; check that only it restarts and that a fault of
# DEVICE is reported
survives_the_death_of() {
	local name=$1 device=$2 killed others
	launch_and_settle
	wait_until 10 all_stages_run
	killed=$(stage "$name")
	others=$(others_than "$name")
	kill -KILL "$killed"
	wait_until 10 stage_is_back "$name" "$killed"
	says "^nic-health-monitor: warning: stage $name: killed by SIGKILL: restarting it in 1 s$"
	[ "$(others_than "$name")" = "$others" ]
	fault_is_reported "$device"
	[ "$(others_than "$name")" = "$others" ]
	ends_after TERM
}

# Thorough: service
@test "a killed ibscan alone is restarted after a second, and later faults are reported" {
	own_node
	survives_the_death_of ibscan mlx5_1
}

# Thorough: service
@test "a killed topoclass alone is restarted after a second, and later faults are reported" {
	own_node
	survives_the_death_of topoclass mlx5_2
}

@test "a killed ctreval alone is restarted after a second, and later faults are reported" {
	own_node
	survives_the_death_of ctreval mlx5_3
}

# Thorough: service
@test "a killed ctreval keeps its state over the restart, and clears what it had reported" {
	own_node
	launch_and_settle --state-file "$T/new/state.json"
	wait_until 10 has_lines 1 "$T/new/state.json" '"mlx5_4:1:roce_slow_restart"'
	[ "$(stat -c %a "$T/new")" = 750 ]
	sim add mlx5_1/1 counters/link_downed 1
	wait_until 10 has_lines 1 "$EVENTS" 'link_downed - Port Training'
	kill -KILL "$(stage ctreval)"
	sim reset mlx5_1/1
	wait_until 10 has_lines 1 "$EVENTS" 'Counter link_downed recovered on port mlx5_1 port 1'
	ends_after TERM
	# Both lives make one stream without a gap after the baseline, which a file sink does not
	# get, and no number has two events.
	[ "$(jq -r .source "$EVENTS" | sort -u | wc -l)" -eq 1 ]
	jq -s -e 'map(.seq) | unique | length == 2 and .[1] == .[0] + 1' "$EVENTS" >/dev/null
	[ "$(sort -u "$EVENTS" | wc -l)" -eq 2 ]
}

# Thorough: service
@test "a killed emit alone is restarted after a second, and later faults are reported" {
	own_node
	survives_the_death_of emit mlx5_4
}

# Thorough: service
@test "an event that was unread when emit was killed is delivered by the next emit" {
	own_node
	leave_event_for_emit
	kill -KILL "$EMIT"
	wait_until 10 reported mlx5_1 'state DOWN'
	says 'stage emit: killed by SIGKILL'
}

# Thorough: service
@test "an event that waits for the restart of emit is delivered when the service ends" {
	own_node
	leave_event_for_emit
	kill -KILL "$EMIT"
	wait_until 10 says 'stage emit: killed by SIGKILL: restarting it'
	ends_after TERM
	reported mlx5_1 'state DOWN'
}

# Thorough: service
@test "a service started with SIGCHLD and SIGTERM ignored still restarts stages and ends on SIGTERM" {
	started service env --ignore-signal=CHLD --ignore-signal=TERM "$MONITOR" "${OPTIONS[@]}" \
		--sink "file:$EVENTS"
	SERVICE=$PID
	wait_until 20 says 'ctreval: note: counters available'
	local killed
	killed=$(stage topoclass)
	kill -KILL "$killed"
	wait_until 10 stage_is_back topoclass "$killed"
	ends_after TERM 4
	none says 'killing them'
}

# Thorough: service
@test "a stage that fails repeatedly is restarted after 1 s, then after 2 s" {
	replace ctreval <<<'exit 70'
	launch
	wait_until 15 says 'stage ctreval: exited with 70: restarting it in 2 s$'
	grep 'stage ctreval' "$T/service.err" | head -n 2 |
		diff - <(printf 'nic-health-monitor: warning: stage ctreval: exited with 70: restarting it in %d s\n' 1 2)
	is_running "$SERVICE"
}

# Thorough: service
@test "with --sink - the service can be the first program of a pipe" {
	own_node
	# shellcheck disable=SC2016 # for the inner shell
	started pipe bash -o pipefail -c '"$@" | jq --unbuffered -r "select(.isFatal).message"' \
		pipe \
		"$MONITOR" "${OPTIONS[@]}" --sink -
	wait_until 20 has_lines 1 "$T/pipe.err" 'counters available'
	sim down mlx5_1/1
	wait_until 10 has_lines 1 "$T/pipe.out" \
		"^Port mlx5_1 port 1: $GOES_DOWN\$"
	# The kernel keeps 15 characters of a name.
	kill -TERM "$(stage nic-health-moni "$PID")"
	ends_with 0 "$PID"
	[ "$(wc -l <"$T/pipe.out")" -eq 1 ]
}

# Thorough: service
@test "with --sink - the service exits 74 when the reader of its stdout is gone" {
	own_node
	# shellcheck disable=SC2016 # for the inner shell
	started pipe bash -o pipefail -c '"$@" | head -n 1' pipe "$MONITOR" "${OPTIONS[@]}" --sink -
	wait_until 20 has_lines 1 "$T/pipe.err" 'counters available'
	sim down mlx5_1/1
	wait_until 10 has_lines 1 "$T/pipe.out" "Port mlx5_1 port 1: $GOES_DOWN"
	sim up mlx5_1/1
	ends_with 74 "$PID"
	[ "$(wc -l <"$T/pipe.out")" -eq 1 ]
	has_lines 1 "$T/pipe.err" '^emit: error: sink -: Broken pipe$'
	has_lines 1 "$T/pipe.err" \
		'^nic-health-monitor: error: stage emit: exited with 74: the reader of stdout has exited'
}

# --- logmatch, if it is installed ---

with_logmatch() { cp "$NHM_BIN/logmatch" "$PROGRAMS"; }

# The kernel log has a command timeout of mlx5_2, which the sink gets as an event.
TIMEOUT='mlx5_core 0000:3a:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource'

@test "a line of the kernel log becomes an event at the sink, beside the events of ports" {
	own_node
	with_logmatch
	launch_and_settle --processing-strategy STORE_ONLY
	sim kmsg "$TIMEOUT"
	wait_until 10 has_lines 1 "$EVENTS" SysLogsNICDriverError
	fault_is_reported mlx5_1
	jq -s -e --arg text "$TIMEOUT" \
		'map(select(.checkName == "SysLogsNICDriverError"))[0] | .message == $text
			and .isFatal and .nodeName == "gpu-1" and
		.errorCode == ["cmd_exec_timeout"] and .entitiesImpacted == [{entityType: "NIC",
		entityValue: "mlx5_2"}] and
		.processingStrategy == "STORE_ONLY"' "$EVENTS"
	ends_after TERM
	[ "$(grep -c SysLogsNICDriverError "$EVENTS")" -eq 1 ]
	none grep -E ': (warning|error): ' "$T/service.err"
}

@test "lines in the kernel log before the service's start are reported" {
	own_node
	with_logmatch
	sim kmsg "$TIMEOUT"
	launch
	wait_until 10 has_lines 1 "$EVENTS" cmd_exec_timeout
	ends_after TERM
}

# log_state_knows SEQ - return success if logmatch's state is at that record and its outbox is empty
log_state_knows() { jq -e --argjson seq "$1" '.position == $seq and .outbox == []' \
	"$T/state/logmatch.json" >/dev/null 2>&1; }

# Thorough: service
@test "a killed logmatch alone is restarted, repeats no line and misses none that was written meanwhile" {
	own_node
	local old others
	with_logmatch
	sim kmsg "$TIMEOUT"
	launch_and_settle --state-file "$T/state/state.json"
	wait_until 10 has_lines 1 "$EVENTS" cmd_exec_timeout
	wait_until 10 log_state_knows 0
	old=$(stage logmatch)
	others=$(others_than logmatch)
	kill -KILL "$old"
	sim kmsg "${TIMEOUT/3a:00.0/9a:00.0}"
	wait_until 5 stage_is_back logmatch "$old"
	wait_until 10 has_lines 2 "$EVENTS" cmd_exec_timeout
	wait_until 10 log_state_knows 1
	says '^nic-health-monitor: warning: stage logmatch: killed by SIGKILL: restarting it in 1 s$'
	[ "$(others_than logmatch)" = "$others" ]
	ends_after TERM
	[ "$(jq -r 'select(.checkName == "SysLogsNICDriverError") | "\(.seq) \(.metadata.pci)"' \
		"$EVENTS" | xargs)" = "1 null 2 0000:3a:00.0 3 0000:9a:00.0" ]
}

@test "a restarted service does not report the kernel log again" {
	own_node
	with_logmatch
	sim kmsg "$TIMEOUT"
	launch_and_settle --state-file "$T/state/state.json"
	wait_until 10 has_lines 1 "$EVENTS" cmd_exec_timeout
	ends_after TERM
	launch_and_settle --state-file "$T/state/state.json"
	sim kmsg "${TIMEOUT/3a:00.0/9a:00.0}"
	wait_until 10 has_lines 2 "$EVENTS" cmd_exec_timeout
	ends_after TERM
	[ "$(grep -c cmd_exec_timeout "$EVENTS")" -eq 2 ]
}

# goes_on_without_log CODE REGEX - check that logmatch reported the reason once and the rest of the
# service works
goes_on_without_log() {
	wait_until 20 says "^nic-health-monitor: error: stage logmatch: exited with $1: continuing without it$"
	wait_until 20 says 'ctreval: note: counters available'
	fault_is_reported mlx5_1
	ends_after TERM
	[ "$(grep -v "healthy: watching" "$T/service.err" | grep -c logmatch)" -eq 2 ]
	[ "$(grep -c -E "$2" "$T/service.err")" -eq 1 ]
}

# Thorough: service
@test "a missing kernel log is reported once, and the service works without it" {
	own_node
	with_logmatch
	launch --kmsg-path "$T/nowhere"
	goes_on_without_log 66 "^logmatch: error: $T/nowhere: No such file or directory$"
}

# Thorough: service
@test "a kernel log without read permission is reported once with a hint, and the service works without it" {
	own_node
	with_logmatch
	# File modes do not stop root, who may run the tests: run the real logmatch as another user.
	if [ "$(id -u)" -eq 0 ]; then
		mv "$PROGRAMS/logmatch" "$PROGRAMS/real-logmatch"
		# shellcheck disable=SC2016 # for the script
		replace logmatch <<<'exec setpriv --reuid 65534 --clear-groups "${0%/*}/real-logmatch" "$@"'
		chmod a+rx "$BATS_RUN_TMPDIR" "${T%/*}" "$T" "$PROGRAMS" "$NODE" "$NODE/dev"
	fi
	chmod 0 "$NODE/dev/kmsg"
	launch
	goes_on_without_log 77 "^logmatch: error: $NODE/dev/kmsg: Permission denied: reading the kernel log needs CAP_SYSLOG"
}

# launch_with_log FILE - do the same as launch with the kernel log on stdin
launch_with_log() {
	# shellcheck disable=SC2016 # for the inner shell
	started service bash -c 'exec "$@" <"$0"' "$1" "$MONITOR" "${OPTIONS[@]}" \
		--sink "file:$EVENTS" --state-file "$T/state/state.json" --kmsg -
	SERVICE=$PID
}

# stdin_of STAGE - print the file that it has as stdin
stdin_of() { readlink "/proc/$(stage "$1")/fd/0"; }

# Thorough: service
@test "with --kmsg - only logmatch reads the log on the service's stdin, and a restarted logmatch goes on" {
	own_node
	local old name
	with_logmatch
	sim kmsg "$TIMEOUT"
	launch_with_log "$NODE/dev/kmsg"
	wait_until 20 says 'ctreval: note: counters available'
	wait_until 10 has_lines 1 "$EVENTS" cmd_exec_timeout
	wait_until 10 log_state_knows 0
	for name in "${STAGES[@]}"; do
		[ "$(stdin_of "$name")" != "$NODE/dev/kmsg" ]
	done
	[ "$(stdin_of logmatch)" = "$NODE/dev/kmsg" ]
	old=$(stage logmatch)
	kill -KILL "$old"
	sim kmsg "${TIMEOUT/3a:00.0/9a:00.0}"
	wait_until 10 stage_is_back logmatch "$old"
	wait_until 10 has_lines 2 "$EVENTS" cmd_exec_timeout
	ends_after TERM
	[ "$(grep -c cmd_exec_timeout "$EVENTS")" -eq 2 ]
	none says 'pre-flight.*(error|warning)|kernel.s log'
}

# Thorough: service
@test "with --kmsg - and a stdin that is no log the service reports it once and works without it" {
	own_node
	with_logmatch
	launch_with_log /dev/null
	wait_until 20 says "^nic-health-monitor: error: the kernel's log will not be watched: stdin: No such device: name it with --kmsg"
	goes_on_without_log 66 '^logmatch: error: stdin: No such device$'
}

# Thorough: service
@test "with an empty --kmsg-path the service starts no logmatch" {
	own_node
	replace logmatch <<<'exit 70'
	launch_and_settle --kmsg-path ''
	wait_until 10 all_stages_run
	fault_is_reported mlx5_1
	ends_after TERM
	none grep logmatch "$T/service.err"
}

@test "logmatch gets the service's options and a state file beside ctreval's" {
	# shellcheck disable=SC2016 # for the script
	replace logmatch <<<'printf "%s\n" "$@" >"${0%/*}/arguments"; exec sleep 600'
	launch_and_settle --state-file "$T/state/ctreval.json" --processing-strategy \
		STORE_AND_ANALYSE
	wait_until 10 stage sleep
	diff "$PROGRAMS/arguments" - <<-END
		--confine=off
		--kmsg=$NODE/dev/kmsg
		--sysfs-root
		$NODE/sys
		--boot-id-file
		$NODE/proc/sys/kernel/random/boot_id
		--node
		gpu-1
		--config
		/proc/self/fd/4
		--strategy
		STORE_AND_ANALYSE
		--state
		$T/state/logmatch/logmatch.json
		--metrics-fd
		3
	END
	ends_after TERM
	launch_and_settle
	wait_until 10 stage sleep
	none grep -e --state "$PROGRAMS/arguments"
	ends_after TERM
}

# --- events of the kernel ---

# with_writer STAGE - replace STAGE by a script that writes what the test writes to descriptor 7
with_writer() {
	mkfifo "$T/kernel"
	exec 7<>"$T/kernel"
	# shellcheck disable=SC2016 # for the script
	replace "$1" <<<'printf "%s\n" "$@" >"${0%/*}/arguments"; exec cat <"${0%/*/*}/kernel"'
}
with_ibevent() { with_writer ibevent; }

# link EVENT DEVICE - print a record of it
link() { printf '{"kind":"async","v":1,"ts":"T","boottime_ns":1,"via":"link","device":"%s","port":1,"event":"LINK_%s","count":1}\n' "$2" "$1"; }

@test "a kernel event is reported at once, not at the next scan" {
	own_node
	with_ibevent
	launch_and_settle --interval 1h
	sim down mlx5_1/1
	link DOWN mlx5_1 >&7
	wait_until 10 reported mlx5_1 'state DOWN, phys_state Disabled"'
	sim up mlx5_1/1
	link UP mlx5_1 >&7
	wait_until 10 reported mlx5_1 'healthy'
	diff "$PROGRAMS/arguments" - <<-END
		--confine=off
		--sysfs-root
		$NODE/sys
		--node
		gpu-1
		--metrics-fd
		3
	END
	exec 7>&-
	ends_after TERM
}

# Thorough: service
@test "a dead ibevent is restarted, and what it writes then arrives" {
	own_node
	with_ibevent
	launch_and_settle --interval 1h
	local old
	old=$(stage cat)
	kill -KILL "$old"
	wait_until 10 stage_is_back cat "$old"
	says '^nic-health-monitor: warning: stage ibevent: killed by SIGKILL: restarting it in 1 s$'
	sim down mlx5_1/1
	link DOWN mlx5_1 >&7
	wait_until 10 reported mlx5_1 'state DOWN, phys_state Disabled"'
	exec 7>&-
	ends_after TERM
}

# Thorough: service
@test "without kernel events the service works by scans: no source, disabled, or not installed" {
	own_node
	replace ibevent <<<'echo "ibevent: error: no source can be read" >&2; exit 69'
	launch_and_settle
	wait_until 10 says '^nic-health-monitor: error: stage ibevent: exited with 69: continuing without it$'
	fault_is_reported mlx5_1
	ends_after TERM
	[ "$(grep -c 'stage ibevent' "$T/service.err")" -eq 1 ]

	replace ibevent <<<'exit 70'
	launch_and_settle --events ''
	fault_is_reported mlx5_2
	ends_after TERM
	none grep ibevent "$T/service.err"

	rm "$PROGRAMS/ibevent"
	launch_and_settle
	fault_is_reported mlx5_3
	ends_after TERM
	none grep -e ibevent -e events "$T/service.err"
}

# Thorough: service
@test "--events sets the sources, and a reload keeps them" {
	own_node
	with_ibevent
	launch_and_settle --interval 1h --events link,uevent
	grep -A 1 -x -e --sources "$PROGRAMS/arguments" | grep -q -x link,uevent
	local old
	old=$(stage cat)
	kill -HUP "$SERVICE"
	wait_until 10 says 'SIGHUP: configuration reloaded'
	wait_until 10 stage_is_back cat "$old"
	wait_until 20 says 'ctreval: note: counters available' 2
	sim down mlx5_1/1
	link DOWN mlx5_1 >&7
	wait_until 10 reported mlx5_1 'state DOWN, phys_state Disabled"'
	exec 7>&-
	ends_after TERM
	none grep 'events have ended' "$T/service.err"
}

# Thorough: service
@test "--lnet has ctreval evaluate lnetctl's output, with kernel events or without" {
	local events netdev read
	own_node
	with_writer lnetread
	netdev=$(ibscan --sysfs-root "$NODE/sys" |
		jq -r 'select(.kind == "port" and .device == "mlx5_1").netdev')
	read='{"kind":"lnet.ni","v":1,"boottime_ns":1,"net":"o2ib","netdev":"'$netdev'","fatal_error":true}
{"kind":"lnet.end","v":1,"boottime_ns":1,"nis":1,"complete":true}'
	for events in all ''; do
		rm -f "$EVENTS"
		launch_and_settle --lnet "$T/read" --events "$events"
		printf '%s\n' "$read" "$read" >&7
		wait_until 10 reported mlx5_1 "Lustre's network o2ib considers"
		diff "$PROGRAMS/arguments" - <<-END
			--confine=off
			--interval
			5s
			$T/read
			--metrics-fd
			3
		END
		kill -HUP "$SERVICE"
		wait_until 10 says 'SIGHUP: configuration reloaded'
		sim down mlx5_1/1
		wait_until 10 reported mlx5_1 'state DOWN, phys_state Disabled"'
		ends_after TERM
		sim up mlx5_1/1
	done
	exec 7>&-
}

# Thorough: service
@test "--trace has kernel traces evaluated from one writer of the pipe after the other" {
	local device task='          insmod-1       [000] ..... 1.000000'
	cp "$NHM_BIN/ibevent" "$PROGRAMS"
	mkfifo "$T/trace"
	launch_and_settle --trace "$T/trace"
	for device in mlx5_1 mlx5_2; do
		# Opening the pipe blocks until ibevent reads it.
		# shellcheck disable=SC2016 # for the inner shell
		timeout 20 bash -c 'echo "$1" >"$2"' _ \
			"$task: ib_qp: (ib_uverbs_qp_event_handler+0x0/0x40) event=1 dev=\"$device\"" \
			"$T/trace"
		wait_until 10 has_lines 1 "$EVENTS" \
			"NIC $device: a queue pair failed \(QP_FATAL\), 1 time\""
	done
	ends_after TERM
	none says 'stage ibevent'
}

# is_linked NAME STAGE - check that the file is in the stage's directory, with a link at its former
# place
is_linked() {
	[ "$(readlink "$T/state/$1")" = "$2/$1" ] && [ "$(stat -c %a "$T/state/$2")" = 750 ] &&
		jq -e . "$T/state/$1" >/dev/null
}

# --- patterns over time ---

# found N - return success if the sink has N findings about ports that were down twice
found() { has_lines "$1" "$EVENTS" '"checkName":"Twice","isFatal":true'; }

@test "correlate finds patterns in the service's events once, even over a restart" {
	own_node
	cp "$NHM_BIN/correlate" "$PROGRAMS"
	cat >"$T/rules" <<-'END'
		rules:
		  - name: Twice
		    match: {errorCode: port_state}
		    group: [entity.NIC]
		    count: 2
		    within: 1h
		    action: CONTACT_SUPPORT
	END
	local keeping=(--state-file "$T/state/state.json" --spool "$T/spool.db" --rules "$T/rules")
	launch_and_settle "${keeping[@]}"
	fault_is_reported mlx5_1
	fault_is_reported mlx5_2
	# Each port has one fault so far, and the next service knows it.
	ends_after TERM
	is_linked correlate.json correlate
	launch_and_settle "${keeping[@]}"
	sim down mlx5_1/1
	wait_until 20 found 1
	# The finding was acknowledged, so the outbox is empty; a finding is no evidence for
	# another.
	kept_no_more() { jq -e '.outbox == []' "$T/state/correlate/correlate.json" >/dev/null; }
	wait_until 20 kept_no_more
	jq -c 'select(.checkName == "Twice" and .isFatal) | [.agent, .nodeName, .entitiesImpacted[0].entityValue]' \
		"$EVENTS" | diff - <(echo '["health-events-analyzer","gpu-1","mlx5_1"]')
	ends_after TERM
	launch_and_settle "${keeping[@]}"
	wait_until 20 stage correlate >/dev/null
	ends_after TERM
	[ "$(grep -c '"checkName":"Twice","isFatal":true' "$EVENTS")" -eq 1 ]
}

# Thorough: service
@test "without a spool, with empty --rules or without the program, correlate does not run" {
	own_node
	cp "$NHM_BIN/correlate" "$PROGRAMS"
	launch_and_settle
	wait_until 10 all_stages_run
	none stage correlate
	ends_after TERM
	launch_and_settle --spool "$T/spool.db" --rules ''
	wait_until 10 all_stages_run
	none stage correlate
	ends_after TERM
	rm "$PROGRAMS/correlate"
	launch_and_settle --spool "$T/spool.db"
	wait_until 10 all_stages_run
	ends_after TERM
	none grep correlate "$T/service.err"
}

@test "the service obeys the silences file beside its spool" {
	own_node
	launch_and_settle --spool "$T/spool.db"
	nicsilence --file "$T/silences.ndjson" --sysfs-root "$NODE/sys" mlx5_1 --for 1h --why repair
	sim down mlx5_1/1
	wait_until 20 grep -q '"silenceWhy":"repair"' "$EVENTS"
	sim down mlx5_2/1
	wait_until 20 grep -q '"entityValue":"mlx5_2".*"EXECUTE_REMEDIATION"' "$EVENTS"
	[ "$(jq -r 'select(.isHealthy | not) | .processingStrategy + " "
		+ (.metadata.devices // .entitiesImpacted[0].entityValue)' "$EVENTS" | sort -u |
		grep mlx5_1)" = "STORE_ONLY mlx5_1" ]
	sim add mlx5_3/1 counters/link_downed 1
	wait_until 20 grep -q '"errorCode":\["link_downed"\]' "$EVENTS"
	nicsilence --file "$T/silences.ndjson" --sysfs-root "$NODE/sys" mlx5_3 --clear --why swapped
	wait_until 20 grep -q '"isHealthy":true.*"clearWhy":"swapped"' "$EVENTS"
	ends_after TERM
}

@test "invalid rules are rejected at the start and on SIGHUP" {
	own_node
	cp "$NHM_BIN/correlate" "$PROGRAMS"
	echo 'rules: [{name: Broken}]' >"$T/rules"
	run --separate-stderr timeout 20 "$MONITOR" "${OPTIONS[@]}" --spool "$T/spool.db" \
		--rules "$T/rules" --sink "file:$EVENTS"
	status_is 78 "^correlate: error: $T/rules:1:9: this rule needs \"match\"$"
	echo 'rules: []' >"$T/rules"
	launch_and_settle --spool "$T/spool.db" --rules "$T/rules"
	wait_until 10 stage correlate >/dev/null
	echo 'rules: [{name: Broken}]' >"$T/rules"
	kill -HUP "$SERVICE"
	wait_until 20 says "error: $T/rules:1:9: this rule needs \"match\""
	wait_until 20 says 'SIGHUP: .*: keeping the current configuration'
	stage correlate >/dev/null
	ends_after TERM
}

# Thorough: service
@test "a killed correlate is restarted, a hanging one ends, and no event waits for it" {
	own_node
	cp "$NHM_BIN/correlate" "$PROGRAMS"
	launch_and_settle --state-file "$T/state/state.json" --spool "$T/spool.db"
	wait_until 10 stage correlate >/dev/null
	local old
	old=$(stage correlate)
	kill -KILL "$old"
	fault_is_reported mlx5_1
	wait_until 20 stage_is_back correlate "$old"
	kill -STOP "$(stage correlate)"
	fault_is_reported mlx5_2
	ends_after TERM
}

# Thorough: service
@test "each stage keeps its file in its own directory, and an older version's file is moved there" {
	# Before the files are moved back, the state has a port that is down.
	launch_and_settle --state-file "$T/state/ctreval.json" --spool "$T/spool.db"
	sim down mlx5_1/1
	wait_until 10 reported mlx5_1 'state DOWN'
	ends_after TERM
	local name
	for name in ctreval/ctreval.json emit/acks.json; do
		is_linked "${name#*/}" "${name%/*}"
		rm "$T/state/${name#*/}"
		mv "$T/state/$name" "$T/state/"
		rm -r "$T/state/${name%/*}"
	done
	launch_and_settle --state-file "$T/state/ctreval.json" --spool "$T/spool.db"
	for name in ctreval/ctreval.json emit/acks.json; do
		says "note: $T/state/${name#*/}: moved to $T/state/$name"
		is_linked "${name#*/}" "${name%/*}"
	done
	sim up mlx5_1/1
	wait_until 10 reported mlx5_1 'healthy'
	ends_after TERM
}

@test "a state file named like logmatch's exits 64" {
	refused "--state-file '$T/logmatch.json': that is the name of a file of its own" \
		--state-file "$T/logmatch.json"
}

@test "logmatch starts if it is installed beside the others, and its events are delivered" {
	own_node
	replace logmatch <<-'END'
		echo '{"kind":"event","id":"log-1","isFatal":false,"message":"from the kernel log"}'
		exec sleep 600
	END
	launch_and_settle
	wait_until 10 has_lines 1 "$EVENTS" '"message":"from the kernel log"'
	fault_is_reported mlx5_1
	ends_after TERM
}

# Thorough: service
@test "a logmatch without permission to read the kernel log is reported, and the service works without it" {
	own_node
	replace logmatch <<<'exit 77'
	launch_and_settle
	wait_until 10 says '^nic-health-monitor: error: stage logmatch: exited with 77: continuing without it$'
	fault_is_reported mlx5_1
	ends_after TERM
	[ "$(grep -v "healthy: watching" "$T/service.err" | grep -c 'stage logmatch')" -eq 1 ]
}

# --- ending ---

# drains_after SIGNAL - check that an event which emit had not read at the signal is delivered
drains_after() {
	leave_event_for_emit
	kill "-$1" "$SERVICE"
	wait_until 10 says "^nic-health-monitor: note: SIG$1: stopping$"
	kill -CONT "$EMIT"
	ends_with 0 "$SERVICE"
	none_of_ours
	reported mlx5_1 'state DOWN'
	run grep -E 'nic-health-monitor: (warning|error)' "$T/service.err"
	[ "$output" = "" ]
}

@test "SIGTERM delivers earlier events, exits 0 and leaves no stage" {
	own_node
	drains_after TERM
}

# Thorough: service
@test "SIGINT delivers earlier events, exits 0 and leaves no stage" {
	own_node
	drains_after INT
}

@test "when the service is killed, its stages die, too" {
	launch_and_settle
	wait_until 10 all_stages_run
	kill -KILL "$SERVICE"
	wait_until 10 none_of_ours
}

# Thorough: service
@test "a killed service takes along a stage that lost its parent-death signal and ignores other signals" {
	replace emit <<-'END'
		trap '' HUP INT TERM PIPE
		exec setpriv --pdeathsig clear sleep 600
	END
	launch_and_settle
	wait_until 10 stage sleep
	kill -KILL "$SERVICE"
	wait_until 10 none_of_ours
}

@test "a killed service takes along a logmatch with file capabilities" {
	with_logmatch
	setcap cap_syslog=ep "$PROGRAMS/logmatch" 2>/dev/null ||
		replace logmatch <<<"exec setpriv --pdeathsig clear '$NHM_BIN/logmatch' \"\$@\""
	local drop=()
	if [ "$(id -u)" -eq 0 ]; then
		drop=(setpriv --reuid 65534 --regid 65534 --clear-groups)
		chmod a+rx "$BATS_RUN_TMPDIR" "${T%/*}"
		# The service must own its state; a program that changes its owner loses its
		# capabilities.
		find "$T" -not -path "$PROGRAMS/*" -exec chown -h 65534:65534 {} +
		chmod -R a+rX "$PROGRAMS"
	fi
	started service "${drop[@]}" "$MONITOR" "${OPTIONS[@]}" --sink "file:$EVENTS"
	SERVICE=$PID
	wait_until 20 stage logmatch
	wait_until 20 all_stages_run
	kill -KILL "$SERVICE"
	wait_until 10 none_of_ours
}

# Thorough: service
@test "a hanging source is killed after 1 s of stopping, and earlier events reach the sink" {
	own_node
	leave_event_for_emit
	kill -STOP "$(stage ibscan)"
	kill -CONT "$EMIT"
	ends_after TERM 5
	says '^nic-health-monitor: warning: stage ibscan: has not ended within 1 s: killing it$'
	reported mlx5_1 'state DOWN'
	run grep 'have not ended within' "$T/service.err"
	[ "$output" = "" ]
}

# launch_and_hang OPTION... - do the same as launch_and_settle with an emit that ends neither with
# its input nor on SIGTERM
launch_and_hang() {
	replace emit <<-'END'
		trap '' TERM
		exec sleep 600
	END
	launch_and_settle "$@"
	# Before, it is a shell that SIGTERM ends.
	wait_until 10 stage sleep
}

# Thorough: service
@test "a hanging emit is killed after 5 s of stopping, and exit code 69 says that events may be lost" {
	launch_and_hang
	ends_after TERM 10 69
	says '^nic-health-monitor: warning: the stages have not ended within 5 s: killing them$'
	says '^nic-health-monitor: warning: stage emit: killed by SIGKILL while stopping$'
}

# Thorough: service
@test "a service that was frozen for 6 s while stopping kills no stage when it goes on, and loses no event" {
	local ibscan
	own_node
	leave_event_for_emit
	ibscan=$(stage ibscan)
	kill -TERM "$SERVICE"
	wait_until 10 is_gone "$ibscan"
	kill -STOP "$SERVICE"
	sleep 6
	# The service first: without the time that it lost, it would kill emit at once.
	kill -CONT "$SERVICE"
	sleep 1
	kill -CONT "$EMIT"
	ends_with 0 "$SERVICE"
	reported mlx5_1 'state DOWN'
	run grep -E 'nic-health-monitor: (warning|error)' "$T/service.err"
	[ "$output" = "" ]
}

# Thorough: service
@test "a killed emit with file sinks is restarted even if the service's stdout has no reader" {
	own_node
	started service env --default-signal=INT bash -c 'set -o pipefail; "$@" | true' _ \
		"$MONITOR" "${OPTIONS[@]}" --sink "file:$EVENTS"
	wait_until 20 says 'ctreval: note: counters available'
	SERVICE=$(pgrep -f "^$MONITOR ")
	local old
	old=$(stage emit)
	kill -KILL "$old"
	wait_until 5 stage_is_back emit "$old"
	sim add mlx5_1/1 counters/link_downed 1
	wait_until 10 has_lines 1 "$EVENTS" link_downed
	kill -TERM "$SERVICE"
	ends_with 0 "$PID"
}

# Thorough: service
@test "SIGHUP and SIGTERM during pre-flight take effect when it is over" {
	own_node
	# Each of these NICs hangs for as long as ibscan waits.
	local device
	for device in mlx5_1 mlx5_2 mlx5_3; do
		sim hang "$device/1" state
	done
	launch
	wait_until 10 stage ibscan
	none says 'pre-flight: [0-9]+ ports'
	kill -HUP "$SERVICE"
	wait_until 20 says 'nic-health-monitor: note: SIGHUP: configuration reloaded'
	ends_after TERM
	launch
	wait_until 10 stage ibscan
	ends_after TERM
	says 'nic-health-monitor: note: SIGTERM: stopping'
}

# Thorough: service
@test "with state and spool, a stage that hangs at the end loses nothing: exit 0" {
	launch_and_hang --state-file "$T/state/state.json" --spool "$T/spool.db"
	ends_after TERM 10
	says '^nic-health-monitor: warning: stage emit: killed by SIGKILL while stopping$'
}

# Thorough: service
@test "a second SIGTERM ends a service at once that still waits for its stages" {
	launch_and_hang
	kill -TERM "$SERVICE"
	wait_until 10 says 'SIGTERM: stopping'
	# Within half a second it counts as the same request: repeat it until it counts as another.
	heard_again() {
		kill -TERM "$SERVICE"
		says '^nic-health-monitor: warning: SIGTERM again: not waiting any longer$'
	}
	wait_until 4 heard_again
	ends_with 69 "$SERVICE"
	run grep 'have not ended within' "$T/service.err"
	[ "$output" = "" ]
}

# Thorough: service
@test "SIGTERM does not wait for the restart of a stage" {
	replace logmatch <<<'exit 70'
	launch_and_settle
	wait_until 20 says 'stage logmatch: exited with 70: restarting it in 2 s'
	ends_after TERM
	run grep 'have not ended within' "$T/service.err"
	[ "$output" = "" ]
}

# --- reloading the configuration ---

# Thorough: service
@test "a reload that enables a counter which the kernel lacks succeeds without a warning" {
	own_node
	echo 'homogeneity: {settleSeconds: 7}' >"$T/config.yaml"
	launch_and_settle --config "$T/config.yaml"
	echo 'counterDetection: {counters: [{name: port_rcv_discards, enabled: true, thresholdType: delta, threshold: 0}]}' >"$T/config.yaml"
	kill -HUP "$SERVICE"
	wait_until 20 says 'SIGHUP: configuration reloaded'
	fault_is_reported mlx5_1
	none grep ': warning: ' "$T/service.err"
	ends_after TERM
}

# refuses_what_stages_would_die_of REGEX - send SIGHUP; check that the reason is reported, no stage
# ends, and faults are still reported
refuses_what_stages_would_die_of() {
	local before
	before=$(stages)
	kill -HUP "$SERVICE"
	wait_until 10 says '^nic-health-monitor: error: SIGHUP: the configuration cannot be used: keeping the current configuration$'
	says "$1"
	[ "$(stages)" = "$before" ]
	fault_is_reported mlx5_2
	none says 'configuration reloaded'
}

# Thorough: service
@test "SIGHUP while the GPU metadata is missing restarts nothing, and one after its return does" {
	own_node
	local metadata=$NODE/var/lib/nvsentinel/gpu_metadata.json
	launch_and_settle
	wait_until 10 all_stages_run
	mv "$metadata" "$T/away"
	refuses_what_stages_would_die_of 'GPU metadata: .*No such file or directory'
	mv "$T/away" "$metadata"
	kill -HUP "$SERVICE"
	wait_until 10 says 'SIGHUP: configuration reloaded'
	fault_is_reported mlx5_3
	ends_after TERM
}

# Thorough: service
@test "SIGHUP with a configuration that names a missing sysfs restarts nothing" {
	own_node
	printf '%s\n' "sysClassInfinibandPath: $NODE/sys/class/infiniband" \
		"sysClassNetPath: $NODE/sys/class/net" >"$T/config"
	OPTIONS=("${OPTIONS[@]:2}" --config "$T/config")
	launch_and_settle
	wait_until 10 all_stages_run
	printf '%s\n' "sysClassInfinibandPath: $T/none/class/infiniband" \
		"sysClassNetPath: $T/none/class/net" >"$T/config"
	refuses_what_stages_would_die_of "$T/none: No such file or directory"
	ends_after TERM
}
