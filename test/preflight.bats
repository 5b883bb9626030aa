#!/usr/bin/env bats
# preflight: what nic-health-monitor checks before it starts anything, and the original's command
# line.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/stages
	T=$BATS_TEST_TMPDIR
	# mlx5_1 to mlx5_4 are monitored.
	shared_node l40s-onprem
	mkdir "$T/run" "$T/var"
	# The service starts the stages from its own directory.
	PROGRAMS=$T/programs
	mkdir "$PROGRAMS"
	cp "$NHM_BIN"/{ibscan,topoclass,ctreval,logmatch,emit,nic-health-monitor} "$PROGRAMS"
	MONITOR=("$PROGRAMS/nic-health-monitor")
	use_node
	OPTIONS=(--node-name gpu-1 --interval 200ms --state-file "$T/run/state.json" \
		--spool "$T/var/spool.db" --metrics-port '' --sink "file:$T/events")
}

teardown() {
	end_background
	nothing_survives
}

# own_node - make a node of the test's own, which it may change
own_node() {
	node l40s-onprem
	use_node
}

# use_node - set the options that point to the files of $NODE
use_node() {
	METADATA=$NODE/var/lib/nvsentinel/gpu_metadata.json
	WHERE=(--sysfs-root "$NODE/sys" --metadata-path "$METADATA" \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg")
}

# check [OPTION...] - run pre-flight alone, with the configuration in $T/stdout; the last of two
# options counts. bats must know beforehand that 127 is expected: EXPECTED.
check() {
	run ${EXPECTED:+"-$EXPECTED"} --separate-stderr bash -c '"$@" >"$0/stdout"' "$T" timeout \
		60 "${MONITOR[@]}" --check-config "${WHERE[@]}" "${OPTIONS[@]}" "$@" </dev/null
}

# start [OPTION...] - run a service that is expected not to start
start() {
	run ${EXPECTED:+"-$EXPECTED"} --separate-stderr timeout 60 "${MONITOR[@]}" "${WHERE[@]}" \
		"${OPTIONS[@]}" "$@" </dev/null
}

# launch [OPTION...] - start the service in the background; sets SERVICE
launch() {
	started service "${MONITOR[@]}" "${WHERE[@]}" "${OPTIONS[@]}" "$@"
	SERVICE=$PID
}

says() { has_lines 1 "$T/service.err" "$1"; }
evaluates() { says 'ctreval: note: counters available'; }

stops() {
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
}

# says_only REGEX... - check that stderr has exactly these lines, in order
says_only() {
	local i
	for i in $(seq 1 $#); do
		grep -q -E -- "${!i}" <<<"${stderr_lines[i - 1]}" || {
			printf 'line %s is not %s:\n%s\n' "$i" "${!i}" "$stderr" >&2
			return 1
		}
	done
	[ "${#stderr_lines[@]}" -eq $# ] || {
		printf 'more than %s lines:\n%s\n' $# "$stderr" >&2
		return 1
	}
}

PREFIX='^nic-health-monitor:'
WATCHED="$PREFIX note: pre-flight: 4 ports of 4 devices to be monitored \(compute 4\)$"
# does_not_start CODE - print a regex of pre-flight's last line
does_not_start() { echo "$PREFIX error: pre-flight: the service does not start: exit code $1$"; }

# others_than_root - make MONITOR run as a user who can read the test's files and write nothing
others_than_root() {
	chmod a+rx "$BATS_RUN_TMPDIR" "${T%/*}" "$T" "$PROGRAMS" "$T/run" "$T/var"
	chmod -R a+rX "$NODE"
	if [ "$(id -u)" -eq 0 ]; then
		MONITOR=(setpriv --reuid 65534 --regid 65534 --clear-groups "${MONITOR[@]}")
	else
		chmod a-w "$T/run" "$T/var"
	fi
}

# --- no problem ---

# Thorough: service
@test "without problems pre-flight prints one line, and the configuration goes to stdout" {
	check
	status_is 0
	says_only "$WATCHED"
	diff "$T/stdout" <(ctreval --check-config)
	echo 'homogeneity: {settleSeconds: 7}' >"$T/c.yaml"
	check --config "$T/c.yaml"
	status_is 0
	grep -q '^  settleSeconds: 7$' "$T/stdout"
	check --config "$T/stdout"
	status_is 0
}

# Thorough: service
@test "on every platform pre-flight counts the same monitored ports as topoclass" {
	local description expected
	for description in "$PLATFORMS"/*.json; do
		node "$(basename -s .json "$description")" "$(basename -s .json "$description")"
		use_node
		expected=$(scan --counters none | classify | jq -s \
			-r '(map(select(.kind == "device" and .vf).device)) as $vfs
			| map(select(.kind == "port" and .monitored and (.device | IN($vfs[])
			| not)))
			| "\(length) \(map(.device) | unique | length) \(map(select(.role == "compute")) | length)"')
		check
		echo "# ${description##*/}: $stderr"
		status_is 0 "pre-flight: ${expected%% *} ports? of $(cut -d ' ' \
			-f 2 <<<"$expected") devices? to be monitored \(.*\)$"
		[ "${expected##* }" -eq 0 ] || stderr_has "compute ${expected##* }[,)]"
		rm -rf "$NODE"
	done
}

# Thorough: service
@test "an option has the name that it has in the stages, and its older name means the same" {
	OPTIONS+=(--state-polling-interval 5s --processing-strategy STORE_ONLY)
	check
	status_is 0
	mv "$T/stdout" "$T/before"
	local i said=$stderr
	for i in "${!WHERE[@]}"; do WHERE[i]=$(newer "${WHERE[i]}"); done
	for i in "${!OPTIONS[@]}"; do OPTIONS[i]=$(newer "${OPTIONS[i]}"); done
	[[ " ${WHERE[*]} ${OPTIONS[*]} " != *-@(path|name|polling-interval)' '* ]]
	check
	status_is 0
	diff "$T/before" "$T/stdout"
	[ "$stderr" = "$said" ]
}

# newer WORD - print the newer name of an option, and any other word unchanged
newer() {
	case $1 in
	--boot-id-path) echo --boot-id-file ;;
	--metadata-path | --route-path | --route6-path | --kmsg-path) echo "${1%-path}" ;;
	--node-name | --state-file) echo "${1%-*}" ;;
	--state-polling-interval) echo --interval ;;
	--processing-strategy) echo --strategy ;;
	*) echo "$1" ;;
	esac
}

# Thorough: service
@test "--check-config changes no file, even beside the running service" {
	# snapshot - list the files and the times of their changes
	snapshot() { find "$T/run" "$T/var" "$NODE/var" "$T/events" -printf '%p %y %m %s %T@ %i\n' \
		2>&1 | sort; }
	snapshot >"$T/before"
	check --state-file "$T/run/new/state.json" --spool "$T/var/new/spool.db"
	status_is 0
	says_only "$WATCHED"
	snapshot | diff "$T/before" -
	[ ! -e "$T/events" ]

	# After the first scan, an interval of an hour leaves the service at rest.
	launch --interval 1h
	wait_until 20 evaluates
	local same=0
	settled() {
		snapshot | cmp -s "$T/before" - && same=$((same + 1)) || same=0
		snapshot >"$T/before"
		[ "$same" -ge 10 ]
	}
	wait_until 20 settled
	check
	status_is 0
	says_only "$PREFIX note: state file $T/run/ctreval/state.json: process [0-9]+ uses it: a service is running$" \
		"$PREFIX note: state file $T/run/logmatch/logmatch.json: process [0-9]+ uses it: a service is running$" \
		"$PREFIX note: spool $T/var/spool.db: process [0-9]+ uses it: a service is running$" "$WATCHED"
	snapshot | diff "$T/before" -
	is_running "$SERVICE"
	stops
}

# Thorough: service
@test "--check-config accepts the running service's port, but warns of a port that another program uses" {
	local port address
	for address in 127.0.0.1 0.0.0.0 ''; do
		port=$(free_port)
		launch --metrics-port "$port" ${address:+--metrics-address "$address"}
		wait_until 20 says "stage ctreval: started|counters available"
		wait_until 20 curl -fsS -o /dev/null "http://127.0.0.1:$port/healthz" 2>/dev/null
		check --metrics-port "$port" ${address:+--metrics-address "$address"}
		status_is 0 "$PREFIX note: metrics and health at port $port: a nic-health-monitor that is running serves them$"
		none grep -E ': (warning|error): ' <<<"$stderr"
		stops
	done
	launch_listener
	check --metrics-port "$PORT"
	status_is 0 "$PREFIX warning: metrics and health cannot be served at any address, port $PORT: Address already in use: "
}

@test "root's --check-config checks as the service's own user, and a service run as root is rejected" {
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	local root=("${MONITOR[@]}") where="its directory belongs to user 65534"
	others_than_root
	chown 65534:65534 "$T/run" "$T/var"
	OPTIONS+=(--interval 1h --sink "file:$T/var/events")
	launch
	wait_until 20 evaluates
	MONITOR=("${root[@]}")
	check
	status_is 0 "$PREFIX note: spool $T/var/spool.db: process [0-9]+ uses it: a service is running$"
	stops
	check
	status_is 0
	says_only "$PREFIX note: state file $T/run/ctreval/state.json: $where: checked as that user$" \
		"$PREFIX note: spool $T/var/spool.db: $where: checked as that user$" "$WATCHED"
	start
	status_is 77 "$PREFIX error: spool $T/var/spool.db: $where, not to root: "
	chown 65533 "$T/var/spool.db"
	check
	status_is 77 "$PREFIX error: spool $T/var/spool.db: it belongs to user 65533, neither to user 65534, "
	chown root "$T/var/spool.db"
	check
	status_is 0 "$PREFIX warning: spool $T/var/spool.db: it cannot be written to \(Permission denied\)"
}

# --- beside another service ---

# Thorough: service
@test "a second service on the node names the process with the state file, and exits 75" {
	launch
	wait_until 20 evaluates
	local ctreval
	ctreval=$(stage ctreval)
	start --spool "$T/var/other.db"
	status_is 75
	says_only "$PREFIX error: state file $T/run/ctreval/state.json: process $ctreval uses it: is another nic-health-monitor running on this node\?$" \
		"$PREFIX error: state file $T/run/logmatch/logmatch.json: process [0-9]+ uses it: " \
		"$WATCHED" "$(does_not_start 75)"
	[ -z "$output" ]
	# The same if only the spool, or only logmatch's file, is shared.
	mkdir "$T/elsewhere"
	start --state-file "$T/elsewhere/state.json"
	status_is 75
	says_only "$PREFIX error: spool $T/var/spool.db: process $(stage emit) uses it: is another nic-health-monitor running on this node\?$" \
		"$WATCHED" "$(does_not_start 75)"
	start --state-file "$T/run/other.json" --spool "$T/var/other.db"
	status_is 75 "$PREFIX error: state file $T/run/logmatch/logmatch.json: process $(stage logmatch) uses it: "
	# The first service is not affected.
	is_running "$SERVICE"
	none says "$PREFIX (warning|error)"
	stops
}

# Thorough: service
@test "a second service exits 75 even if the first is in another container and has no visible process id" {
	launch
	wait_until 20 evaluates
	run --separate-stderr unshare --map-root-user --pid --fork timeout 60 "${MONITOR[@]}" \
		"${WHERE[@]}" "${OPTIONS[@]}" --kmsg-path '' --spool "$T/var/other.db" </dev/null
	status_is 75 "$PREFIX error: state file $T/run/ctreval/state.json: a process of another container uses it: is another nic-health-monitor"
	is_running "$SERVICE"
	stops
}

# Thorough: service
@test "of two services that start at the same time one exits 75 and the other works" {
	started one "${MONITOR[@]}" "${WHERE[@]}" "${OPTIONS[@]}" --kmsg-path '' \
		--sink "file:$T/one.events"
	local one=$PID
	started two "${MONITOR[@]}" "${WHERE[@]}" "${OPTIONS[@]}" --kmsg-path '' \
		--sink "file:$T/two.events"
	local two=$PID
	one_is_gone() { is_gone "$one" || is_gone "$two"; }
	wait_until 30 one_is_gone
	if is_gone "$one"; then
		SERVICE=$two
		ends_with 75 "$one"
	else
		SERVICE=$one
		ends_with 75 "$two"
	fi
	both_said() { cat "$T/one.err" "$T/two.err" | grep -c "$1"; }
	[ "$(both_said 'uses it\|delivers from it')" -ge 1 ]
	evaluated() { grep -q 'counters available' "$T/one.err" "$T/two.err"; }
	wait_until 30 evaluated
	is_running "$SERVICE"
	stops
}

# refused_spool N - make the first N runs of emit fail as if another process had the spool
refused_spool() {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	mv "$PROGRAMS/emit" "$PROGRAMS/real-emit"
	cat >"$PROGRAMS/emit" <<-END
		#!/bin/bash
		if [[ " \$* " != *' --check-config '* ]] && [ "\$(wc -l <"$T/refused")" -lt $1 ]; then
			echo >>"$T/refused"
			exit 75
		fi
		exec "$PROGRAMS/real-emit" "\$@"
	END
	chmod 755 "$PROGRAMS/emit"
	: >"$T/refused"
}

# Thorough: service
@test "a service that has the state file waits for a spool that another new service still has" {
	own_node
	refused_spool 2
	launch
	wait_until 30 has_lines 2 "$T/refused"
	sim down mlx5_1/1
	wait_until 30 has_lines 1 "$T/events" "$GOES_DOWN"
	stops
}

# Thorough: service
@test "a service exits 75 if another process keeps its spool" {
	refused_spool 99
	launch
	ends_with 75 "$SERVICE" 60
	says 'stage emit: exited with 75: another process has its files: stopping'
	[ "$(wc -l <"$T/refused")" -eq 3 ]
}

# Thorough: service
@test "a service that starts while another one ends waits for it" {
	launch
	wait_until 20 evaluates
	# Kill the service, so that its stopped ctreval has not noticed yet and still has the lock.
	local ctreval first=$SERVICE
	ctreval=$(stage ctreval)
	kill -STOP "$ctreval"
	kill -KILL "$SERVICE"
	wait_until 10 is_gone "$first"
	wait_until 10 is_gone "$ctreval"
	launch
	wait_until 20 evaluates
	stops
}

# Thorough: service
@test "a state file that is locked for a while when ctreval restarts does not end the service" {
	launch
	wait_until 20 evaluates
	local ctreval
	ctreval=$(stage ctreval)
	# This lock succeeds as soon as ctreval is gone.
	started visitor flock "$T/run/ctreval/state.json.lock" sleep 4
	kill -KILL "$ctreval"
	wait_until 10 says "stage ctreval: exited with 75: restarting it"
	is_running "$SERVICE"
	has_it_again() {
		ctreval=$(stage ctreval) || return 1
		check
		grep -q "state file $T/run/ctreval/state.json: process $ctreval uses it: " <<<"$stderr"
	}
	wait_until 30 has_it_again
	stops
}

@test "pre-flight's findings are logged once per start" {
	launch
	wait_until 20 evaluates
	[ "$(grep -c -E "$WATCHED" "$T/service.err")" -eq 1 ]
	none grep -E ': (warning|error): ' "$T/service.err"
	stops
}

# --- problems that keep the service from starting ---

# refused CODE REGEX [OPTION...] - check that --check-config and a start fail with this line and
# code, start nothing, and make only the state file's directory
refused() {
	local code=$1 regex=$2 EXPECTED=$1
	shift 2
	check "$@"
	status_is "$code" "$regex"
	[ "${stderr_lines[-1]}" = \
		"nic-health-monitor: error: pre-flight: the service does not start: exit code $code" ]
	start "$@"
	status_is "$code" "$regex"
	[ "${stderr_lines[-1]}" = \
		"nic-health-monitor: error: pre-flight: the service does not start: exit code $code" ]
	[ -z "$output" ]
	[ -z "$(find "$T/run" "$T/var" -type f)" ] && [ ! -e "$T/events" ]
}

@test "a missing sysfs exits 66 with a hint" {
	refused 66 "$PREFIX error: $T/none: No such file or directory: mount the host's sysfs there, or name it with --sysfs-root$" --sysfs-root "$T/none"
}

# Thorough: service
@test "missing or invalid GPU metadata exits 78 with the reason and a hint" {
	refused 78 "$PREFIX error: GPU metadata: $T/none: No such file or directory: .* and name it with --metadata, or the NICs in" --metadata-path "$T/none"
	echo '{"gpus": []}' >"$T/bad.json"
	refused 78 "$PREFIX error: GPU metadata: $T/bad.json: no GPUs in it .*: without it the NICs have no roles" --metadata-path "$T/bad.json"
}

@test "without GPU metadata the PCI bus gives the NICs' roles, and without GPUs all NICs are monitored" {
	check --metadata-path auto
	status_is 0
	says_only 'note: pre-flight: 4 ports of 4 devices to be monitored \(compute 4\)$'
	jq '.gpus = [] | .nic_topology = {}' "$PLATFORMS/l40s-onprem.json" >"$T/platform.json"
	nicsim "$T/no-gpus" create "$T/platform.json"
	NODE=$T/no-gpus use_node
	check --metadata-path auto
	status_is 0
	says_only 'note: pre-flight: 4 ports of 4 devices to be monitored \(fabric 4\)$'
}

@test "without GPU metadata the service starts if the configuration names NICs" {
	echo 'nicInclusionRegexOverride: "^mlx5_[12]$"' >"$T/c.yaml"
	check --metadata-path "$T/none" --config "$T/c.yaml"
	status_is 0
	says_only "^topoclass: warning: $T/none: No such file or directory: continuing without it" \
		'note: pre-flight: 2 ports of 2 devices to be monitored \(compute 2\)$'
}

# Thorough: service
@test "mistakes in the configuration exit 78, each with its position" {
	printf 'nicExclusionRegex: "("\nbogus: 1\n' >"$T/c.yaml"
	refused 78 "$PREFIX error: $T/c.yaml:1:20: bad expression" --config "$T/c.yaml"
	stderr_has "$PREFIX error: $T/c.yaml:2:1: unknown key \"bogus\"; known: nicExclusionRegex, "
	[ ! -s "$T/stdout" ]
	refused 66 "$PREFIX error: $T/none.yaml: No such file or directory$" --config "$T/none.yaml"
}

# Thorough: service
@test "an invalid sink, check or strategy exits 64 with the stage's message" {
	refused 64 "^emit: error: --sink 'bogus:x': unknown kind of sink" --sink bogus:x
	refused 64 "^emit: error: grpc:unix://$T/x: it is given twice" --platform-connector-socket \
		"unix://$T/x" --sink "grpc:unix://$T/x"
	check --checks BogusCheck,NoSuchCheck
	status_is 64 "$PREFIX error: --checks 'BogusCheck,NoSuchCheck': no known check in the list; the known ones are InfiniBandStateCheck, "
	refused 64 "^ctreval: error: --strategy 'SHOUT'" --processing-strategy SHOUT
}

@test "an unknown check is ignored with a warning, as in the original, and the others run" {
	launch --checks 'InfinibandStateChek, EthernetStateCheck'
	wait_until 20 evaluates
	says "$PREFIX warning: --checks: skipped: unknown check \"InfinibandStateChek\" \\(did you mean \"InfiniBandStateCheck\"\\?\\); known: "
	tr '\0' ' ' <"/proc/$(stage ctreval)/cmdline" | grep -q \
		-- '--checks EthernetStateCheck '
	stops
}

# Thorough: service
@test "the service knows every check of ctreval" {
	local name
	while read -r name; do
		check --checks "$name"
		none grep -q 'unknown check' <<<"$stderr"
		status_is 0
	done < <(ctreval --checks nothing 2>&1 | sed 's/.*known: //; s/ (try.*//; s/, /\n/g')
}

# Thorough: service
@test "a missing program exits 127, and one that cannot be executed 126, with its name" {
	chmod -x "$PROGRAMS/ctreval"
	refused 126 "$PREFIX error: $PROGRAMS/ctreval: Permission denied: "
	rm "$PROGRAMS/ctreval"
	refused 127 "$PREFIX error: $PROGRAMS/ctreval: No such file or directory: "
}

@test "all problems are reported at once, and the first fatal problem decides the exit code" {
	own_node
	others_than_root
	rm "$PROGRAMS/topoclass"
	printf 'bogus: 1\n' >"$T/c.yaml"
	chmod 0 "$NODE/dev/kmsg"
	launch_listener
	check --sysfs-root "$T/none" --config "$T/c.yaml" --boot-id-path "$T/none" --sink bogus:x \
		--processing-strategy SHOUT --node-name localhost \
		--metrics-port "$PORT"
	status_is 78
	says_only "$PREFIX error: $T/c.yaml:1:1: unknown key \"bogus\"; known: nicExclusionRegex, " \
		"$PREFIX error: the configuration cannot be used, see above$" \
		"$PREFIX error: $PROGRAMS/topoclass: No such file or directory: " \
		"$PREFIX error: $T/none: No such file or directory: mount the host's sysfs there" \
		"^ctreval: error: --strategy 'SHOUT': " \
		"^emit: error: --sink 'bogus:x': " \
		"$PREFIX error: the kernel's log will not be watched: $NODE/dev/kmsg: Permission denied: give the service CAP_SYSLOG, or turn it off with --kmsg ''$" \
		"$PREFIX warning: the boot id cannot be read, so reboots will go unnoticed: $T/none: No such file or directory: " \
		"$PREFIX error: state file $T/run/ctreval/state.json: its directory cannot be written to \(Permission denied\): " \
		"$PREFIX warning: spool $T/var/spool.db: its directory cannot be written to \(Permission denied\): events are kept in memory" \
		"$PREFIX warning: this node's name is 'localhost', which other nodes may have too: " \
		"$PREFIX warning: metrics and health cannot be served at any address, port $PORT: Address already in use: " \
		"$(does_not_start 78)"
	cp "$NHM_BIN/topoclass" "$PROGRAMS"
	check --sysfs-root "$T/none" --metadata-path "$T/none"
	status_is 66 "$PREFIX error: $T/none: No such file or directory: mount"
	stderr_has "$PREFIX error: GPU metadata: $T/none: No such file or directory: "
}

@test "an invalid NODE_NAME keeps a program from starting unless --node-name is given" {
	local name
	name=$(printf '%0254d' 0)
	NODE_NAME=$name run --separate-stderr timeout 20 nic-health-monitor --check-config
	status_is 64 "nic-health-monitor: error: NODE_NAME: longer than 253 bytes: not a valid node name"
	NODE_NAME=$name run --separate-stderr timeout 20 ibscan --sysfs-root "$NODE/sys"
	status_is 64 "ibscan: error: NODE_NAME: longer than 253 bytes: not a valid node name"
	[ -z "$output" ]
	NODE_NAME=$name run --separate-stderr timeout 20 ibevent --sysfs-root "$NODE/sys"
	status_is 64 "ibevent: error: NODE_NAME: longer than 253 bytes: not a valid node name"
	NODE_NAME=$name run --separate-stderr timeout 20 logmatch </dev/null
	status_is 64 "logmatch: error: NODE_NAME: longer than 253 bytes: not a valid node name"
	NODE_NAME=$name run --separate-stderr timeout 20 emit </dev/null
	status_is 64 "emit: error: NODE_NAME: longer than 253 bytes: not a valid node name"
	run --separate-stderr timeout 20 emit --node "$name" </dev/null
	status_is 64 "emit: error: .*--node.*: not a valid node name"
	NODE_NAME=$name check --node-name gpu-1
	status_is 0
}

# --- problems that the service starts with ---

# launch_listener - start a process that listens on a port; sets PORT
launch_listener() {
	started listener /usr/bin/python3 -c '
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(600)'
	wait_until 10 has_lines 1 "$T/listener.out"
	PORT=$(cat "$T/listener.out")
}

# starts_loudly REGEX [OPTION...] - check that the service reports the problem and starts
starts_loudly() {
	local regex=$1
	shift
	check "$@"
	status_is 0 "$regex"
	launch "$@"
	wait_until 20 evaluates
	says "$regex"
	stops
}

@test "a service without a monitored port starts with an error that counts the reasons" {
	own_node
	echo 'nicExclusionRegex: "^mlx5_[1-3]$"' >"$T/c.yaml"
	sim set mlx5_4 device/numa_node 7
	check --config "$T/c.yaml"
	status_is 0 "$PREFIX error: no port is monitored: 5 devices: 1 default_route, 3 excluded, 1 numa_gate: see topoclass\(1\)"
	none grep pre-flight <<<"$stderr"
	launch --config "$T/c.yaml"
	wait_until 20 says "$PREFIX error: no port is monitored: 5 devices: "
	wait_until 10 stage ctreval >/dev/null
	stops
}

@test "a node without RDMA devices is a warning, and a directory that is not a sysfs an error" {
	mkdir -p "$T/plain/class/net" "$T/nothing"
	check --sysfs-root "$T/plain"
	status_is 0
	says_only "$PREFIX warning: no RDMA devices: there is no $T/plain/class/infiniband: if this node has NICs, their driver is not loaded$"
	mkdir "$T/plain/class/infiniband"
	check --sysfs-root "$T/plain"
	status_is 0
	says_only "$PREFIX warning: no RDMA devices: $T/plain/class/infiniband is empty$"
	check --sysfs-root "$T/nothing"
	status_is 0
	says_only "$PREFIX error: $T/nothing is not a sysfs: there is no class/net: no device will be seen: "
}

# Thorough: service
@test "a hanging device is named, and the service starts without a long wait" {
	own_node
	sim hang mlx5_3/1 state
	check
	status_is 0
	says_only "$PREFIX warning: NICs that cannot be read: mlx5_3 \(timeout\)$" \
		'note: pre-flight: 3 ports of 3 devices'
	starts_loudly "$PREFIX warning: NICs that cannot be read: mlx5_3 \(timeout\)$"
}

@test "a NIC that is only in the GPU metadata is named" {
	own_node
	sim remove mlx5_2
	check
	status_is 0
	says_only "$PREFIX warning: in the GPU metadata, but not on this node: mlx5_2: " \
		'note: pre-flight: 3 ports of 3 devices'
}

# Thorough: service
@test "a missing kernel log is reported with a hint, and the service starts" {
	starts_loudly "$PREFIX error: the kernel's log will not be watched: $T/none: No such file or directory: name it with --kmsg, or turn it off with --kmsg ''$" \
		--kmsg-path "$T/none"
	check --kmsg-path ''
	status_is 0
	says_only "$WATCHED"
	rm "$PROGRAMS/logmatch"
	check --kmsg-path "$T/none"
	status_is 0
	says_only "$WATCHED"
}

# Thorough: service
@test "directories that cannot be written are reported, and the service starts" {
	check --state-file "$T/no/no/state.json"
	status_is 0 "$PREFIX error: state file $T/no/no/ctreval/state.json: its directory cannot be written to \(No such file or directory\): the state of the NICs will be lost"
	starts_loudly "$PREFIX warning: spool $T/no/no/spool.db: its directory cannot be written to \(No such file or directory\): events are kept in memory" \
		--spool "$T/no/no/spool.db"
	check --spool /dev/full/spool.db
	status_is 0 "$PREFIX warning: spool /dev/full/spool.db: its directory cannot be written to \(Not a directory\)"
}

@test "a file system without a free inode is reported as full" {
	unshare --mount --map-root-user true || skip "left out: no mount namespaces"
	# shellcheck disable=SC2016 # for the inner shell
	MONITOR=(unshare --mount --map-root-user bash -c
		'mount -t tmpfs -o nr_inodes=1 none "$0" && exec "$@"' "$T/var" "${MONITOR[@]}")
	check
	status_is 0
	says_only "$PREFIX warning: spool $T/var/spool.db: its directory cannot be written to \(No space left on device\): events are kept in memory" \
		"$WATCHED"
}

@test "a state path or spool with a slash at its end is a directory, also one that does not exist" {
	check --state-file "$T/run/new/" --spool "$T/var/new/"
	status_is 0
	says_only "$PREFIX error: state file $T/run/new/ctreval/: Is a directory: " \
		"$PREFIX warning: spool $T/var/new/: it cannot be written to \(Is a directory\): " \
		"$WATCHED"
}

# serves_at PATH REASON - check that --check-config reports the state path once, that the service
# starts, that ctreval warns once, and that a fault is reported
serves_at() {
	local path=$1 reason=$2
	rm -f "$T/events"
	check --state-file "$path"
	status_is 0
	[ "$(grep -c -E "$PREFIX error: state file " <<<"$stderr")" -eq 1 ]
	stderr_has "$PREFIX error: state file .*$reason"
	launch --state-file "$path" --spool ''
	wait_until 20 evaluates
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/events" \
		'"isFatal":true.*Port mlx5_1 port 1: state DOWN|"isFatal":true.*mlx5_1'
	sim up mlx5_1/1
	[ "$(grep -c -E '^ctreval: warning: ' "$T/service.err")" -eq 1 ]
	says "^ctreval: warning: .*$reason.*: continuing without it"
	none grep -E 'restarting it|exited with' "$T/service.err"
	is_running "$SERVICE"
	stops
}

# Thorough: service
@test "no invalid state path stops the service" {
	own_node
	echo content >"$T/plain"
	mkdir -m 750 "$T/run/ctreval"
	mkdir "$T/run/ctreval/dir.json"
	mkfifo "$T/run/ctreval/fifo.json"
	ln -s elsewhere "$T/run/ctreval/link.json"
	serves_at "$T/plain/state.json" 'Not a directory'
	serves_at "$T/no/no/state.json" 'No such file or directory'
	serves_at "$T/run/dir.json" 'Is a directory'
	serves_at "$T/run/fifo.json" 'not a regular file'
	serves_at "$T/run/link.json" 'a symbolic link'
	serves_at "$T/run/$(printf '%0256d' 0)" 'File name too long'
	[ "$(cat "$T/plain")" = content ] && [ -d "$T/run/ctreval/dir.json" ] &&
		[ -p "$T/run/ctreval/fifo.json" ] && [ -L "$T/run/ctreval/link.json" ]
}

# Thorough: service
@test "neither an overlong nor an unreadable state path stops the service" {
	own_node
	serves_at "$T/$(printf 'd/%.0s' $(seq 3000))state.json" 'File name too long'
	others_than_root
	chmod a+rwxt "$T" "$T/var" "$T/run"
	mkdir -m 0 "$T/run/closed"
	serves_at "$T/run/closed/state.json" 'Permission denied'
	mkdir -p "$T/run/ctreval"
	chmod 1777 "$T/run/ctreval"
	echo '{}' >"$T/run/ctreval/secret.json"
	chmod 0 "$T/run/ctreval/secret.json"
	serves_at "$T/run/secret.json" 'Permission denied'
}

@test "root's service leaves nothing in the state directory of another user, which it rejects" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give a directory away"
	chown 65534:65534 "$T/run"
	echo '{"version":1}' >"$T/run/state.json"
	start --state-file "$T/run/state.json"
	status_is 77 "$PREFIX error: state file $T/run/ctreval/state.json: the directory $T/run above it belongs to user 65534, not to root: "
	[ "$(ls "$T/run")" = state.json ]
	# The unit's user makes its directories there.
	check --state-file "$T/run/state.json"
	status_is 0 "$PREFIX note: state file $T/run/ctreval/state.json: its directory belongs to user 65534: checked as that user$"
}

@test "a file sink that is also a file of the state exits 64, in the configuration 78" {
	local file
	mkdir "$T/run/ctreval"
	ln -s run "$T/link"
	for file in run/state.json run/ctreval/state.json link/acks.json \
		run/logmatch/logmatch.json; do
		check --sink "file:$T/$file"
		status_is 64 "$PREFIX error: sink file:$T/$file: it is also a file of --state$"
	done
	start --sink "file:$T/run/state.json"
	status_is 64
	[ ! -e "$T/run/state.json" ]
	echo "sinks: [\"file:$T/run/state.json\"]" >"$T/config.yaml"
	run --separate-stderr nic-health-monitor "${WHERE[@]}" --check-config \
		--config "$T/config.yaml" --kmsg '' --state "$T/run/state.json" --spool ''
	status_is 78 "$PREFIX error: sink file:$T/run/state.json: it is also a file of --state$"
	check --sink "file:$T/run/other.json"
	status_is 0
}

@test "a spool that is also a file of the state exits 64 and stays unchanged" {
	local spool
	mkdir "$T/run/ctreval"
	ln -s run "$T/link"
	for spool in run/state.json run/ctreval/state.json link/state.json run/acks.json; do
		echo "not JSON" >"$T/$spool"
		check --spool "$T/$spool"
		status_is 64 "$PREFIX error: --spool '$T/$spool': that is a file of --state "
		start --spool "$T/$spool"
		status_is 64
		[ "$(cat "$T/$spool")" = "not JSON" ]
		rm "$T/$spool"
	done
	check --spool "$T/run/other.json"
	status_is 0
}

# Thorough: service
@test "a state file or spool that another user may write exits 77 and stays unchanged" {
	local path
	cp "$NHM_BIN/correlate" "$PROGRAMS"
	mkdir -p "$T/run/"{ctreval,logmatch,correlate,emit}
	for path in run/ctreval/state.json run/logmatch/logmatch.json \
		run/correlate/correlate.json run/emit/acks.json var/spool.db; do
		path=$T/$path
		echo '{"version":1}' >"$path"
		chmod 666 "$path"
		check --state-file "$T/run/state.json" --spool "$T/var/spool.db"
		status_is 77 "$PREFIX error: (state file|acks file|spool) $path: others may write to it \(mode 0666\): name a file in a directory of the service's own$"
		start --state-file "$T/run/state.json" --spool "$T/var/spool.db"
		status_is 77 "$PREFIX error: (state file|acks file|spool) $path: others may write to it \(mode 0666\): name a file in a directory of the service's own$"
		[ "$(cat "$path")" = '{"version":1}' ]
		rm "$path"
	done
	# The same for a file beside one of them.
	for path in run/ctreval/state.json.lock run/correlate/correlate.json.lock \
		var/spool.db.lock var/spool.db-wal; do
		path=$T/$path
		: >"$path"
		chmod 666 "$path"
		check --state-file "$T/run/state.json" --spool "$T/var/spool.db"
		status_is 77 "$PREFIX error: (state file|spool) ${path%[.-]*}: others may write to its file ${path#"${path%[.-]*}"} \(mode 0666\): name"
		rm "$path"
	done
	chmod 777 "$T/run"
	start --state-file "$T/run/state.json"
	status_is 77
	[ "$(grep -c "others may write to the directory $T/run above it (mode 0777)" \
		<<<"$stderr")" -eq 1 ]
	chmod 700 "$T/run"
	[ "$(id -u)" -eq 0 ] || return 0 # only root can give a file away
	echo '{"version":1}' >"$T/run/emit/acks.json"
	chown 65534 "$T/run/emit/acks.json"
	start --state-file "$T/run/state.json"
	status_is 77 "$PREFIX error: acks file $T/run/emit/acks.json: it belongs to user 65534, not to root: name a file in a directory of the service's own$"
}

@test "the service makes the state file's directory at its start" {
	launch --state-file "$T/run/new/state.json"
	wait_until 20 evaluates
	[ "$(stat -c %a "$T/run/new")" = 750 ]
	none says "$PREFIX error"
	stops
}

# Thorough: service
@test "a stage that hangs or dies in its trial run is an error, and the service starts" {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	printf '#!/bin/sh\ncase "$*" in *--check-config*) exec sleep 600 ;; esac\nexec "$0-real" "$@"\n' >"$T/hang"
	chmod +x "$T/hang"
	mv "$PROGRAMS/emit" "$PROGRAMS/emit-real"
	mv "$T/hang" "$PROGRAMS/emit"
	check
	status_is 0
	says_only "$PREFIX error: emit, when it was tried: did not finish in time$" "$WATCHED"
	printf '#!/bin/sh\ncase "$*" in *"--count 1"*) kill -SEGV $$ ;; esac\nexec "$0-real" "$@"\n' >"$T/die"
	chmod +x "$T/die"
	mv "$PROGRAMS/emit-real" "$PROGRAMS/emit"
	mv "$PROGRAMS/ibscan" "$PROGRAMS/ibscan-real"
	mv "$T/die" "$PROGRAMS/ibscan"
	starts_loudly "$PREFIX error: ibscan, when it was tried: killed by SIGSEGV$"
}

@test "a write error of the configuration exits 74" {
	run --separate-stderr bash -c '"$@" >/dev/full' _ timeout 60 "${MONITOR[@]}" \
		--check-config "${WHERE[@]}" "${OPTIONS[@]}"
	status_is 74 "$PREFIX error: stdout: No space left on device$"
}

@test "a file size limit that prevents memfds is an error, not death by a signal" {
	run --separate-stderr bash -c 'ulimit -f 0; "$@" 2>&1 >/dev/null' _ timeout 60 \
		"${MONITOR[@]}" --check-config "${WHERE[@]}" "${OPTIONS[@]}"
	status_is 0
	[[ $output = *"topoclass, when it was tried: could not be started: File too large"* ]]
}

# --- as a replacement of the original ---

@test "the original's command line in a DaemonSet starts the service, and events reach the Platform Connector" {
	own_node
	start_connector connector "unix:$T/connector.sock" --strict
	# Its Helm chart makes this file; here the host's sysfs is mounted elsewhere.
	cat >"$T/config.toml" <<-END
		nicExclusionRegex = "^veth.*,^docker.*,^br-.*,^lo\$"
		nicInclusionRegexOverride = ""
		sysClassNetPath = "$NODE/sys/class/net"
		sysClassInfinibandPath = "$NODE/sys/class/infiniband"

		[charDeviceCheck]
		issm = "always"

		[counterDetection]
		enabled = true

		[[counterDetection.counters]]
		name = "link_downed"
		enabled = true
		thresholdType = "delta"
		threshold = 0

		[[counterDetection.counters]]
		name = "efa_rx_drops"
		enabled = true
		thresholdType = "velocity"
		threshold = 100.0
		velocityUnit = "second"
	END
	export NODE_NAME=gpu-7
	PORT=$(free_port)
	# The original has no options for routes, kernel log and spool.
	local checks=InfiniBandStateCheck,InfiniBandDegradationCheck,InfiniBandCharDeviceCheck
	checks+=,EthernetStateCheck,EthernetDegradationCheck,EFAStateCheck,EFADegradationCheck
	started service "${MONITOR[@]}" \
		"-checks=$checks" \
		--platform-connector-socket "unix://$T/connector.sock" \
		--platform-connector-token-path= --state-polling-interval 0.2s \
		-metrics-port "$PORT" --config="$T/config.toml" --metadata-path "$METADATA" \
		--state-file="$T/run/state.json" \
		-boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --processing-strategy \
		EXECUTE_REMEDIATION \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route" \
		--kmsg-path '' --spool "$T/var/spool.db"
	SERVICE=$PID
	wait_until 20 evaluates
	sim down mlx5_1/1
	wait_until 20 has_logged 1 connector \
		'.event.message | test("^Port mlx5_1 port 1: '"$GOES_DOWN"'$")'
	logged connector 'select(.event.isFatal) | .event | "\(.nodeName) \(.checkName)"' | grep \
		-x 'gpu-7 InfiniBandStateCheck'
	[ "$(grep -c ': warning: ' "$T/service.err")" -eq 0 ]
	stops
}

# direct_mode ADDRESS - set the environment variables of the original's direct mode
direct_mode() {
	export HEALTH_PUBLISH_TARGET=$1 HEALTH_PUBLISH_TLS_CA_FILE=$TLS/ca.pem \
		HEALTH_PUBLISH_TOKEN_PATH=$T/token
}

# Thorough: service
@test "the original's direct mode delivers over TLS, with the token and an idempotency key for each batch" {
	umask 077
	own_node
	make_certificates
	echo right >"$T/token"
	behave connector 'token right'
	start_connector connector 127.0.0.1:0 --cert "$TLS/elsewhere.pem" --key "$TLS/elsewhere.key"
	direct_mode "${ADDRESS?}"
	export HEALTH_PUBLISH_TLS_SERVER_NAME=elsewhere.example
	started service "${MONITOR[@]}" "${WHERE[@]}" "${OPTIONS[@]}" \
		--platform-connector-socket "unix://$T/connector.sock"
	SERVICE=$PID
	wait_until 20 evaluates
	sim down mlx5_1/1
	wait_until 20 has_logged 1 connector \
		'.event.message | test("^Port mlx5_1 port 1: '"$GOES_DOWN"'$")'
	[ "$(logged connector 'select(.kind == "call")
		| .metadata["idempotency-key"] | test("^[0-9a-f]{16}-[0-9]+$")' | sort -u)" = true ]
	says "$PREFIX note: HEALTH_PUBLISH_TARGET is set: events go there, and not to --platform-connector-socket$"
	stops
}

@test "a missing variable of direct mode fails the start, and one without effect is a note" {
	umask 077
	TLS=$T
	touch "$T/ca.pem" "$T/token"
	direct_mode 127.0.0.1:1
	HEALTH_PUBLISH_TOKEN_PATH='' run --separate-stderr "${MONITOR[@]}" --check-config \
		"${WHERE[@]}" "${OPTIONS[@]}"
	status_is 64
	says_only "$PREFIX error: HEALTH_PUBLISH_TOKEN_PATH is needed with HEALTH_PUBLISH_TARGET .*"
	HEALTH_PUBLISH_RETRY_WINDOW=5m run --separate-stderr "${MONITOR[@]}" --check-config \
		"${WHERE[@]}" "${OPTIONS[@]}"
	[[ $stderr = *"note: HEALTH_PUBLISH_RETRY_WINDOW has no effect: events wait in the spool"* ]]
}

@test "--check-config cannot be combined with --once" {
	run --separate-stderr "${MONITOR[@]}" --once --check-config
	status_is 64
	says_only "$PREFIX error: --check-config cannot be combined with --once"
}
