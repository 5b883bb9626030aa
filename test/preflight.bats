#!/usr/bin/env bats
# nic-health-monitor: what is checked before anything is started, and the original's command line.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr

setup() {
	load lib/common
	load lib/servers
	T=$BATS_TEST_TMPDIR
	# mlx5_1 to mlx5_4 are monitored.
	node l40s-onprem
	METADATA=$NODE/var/lib/nvsentinel/gpu_metadata.json
	mkdir "$T/run" "$T/var"
	# Stages are looked for beside the service.
	PROGRAMS=$T/programs
	mkdir "$PROGRAMS"
	cp "$NHM_BIN"/{ibscan,topoclass,ctreval,logmatch,emit,nic-health-monitor} "$PROGRAMS"
	MONITOR=("$PROGRAMS/nic-health-monitor")
	use_node
	OPTIONS=(--node-name gpu-1 --interval 200ms --state-file "$T/run/state.json" --spool "$T/var/spool.db" --metrics-port '' --sink "file:$T/events")
}

teardown() {
	end_background
	nothing_survives
}

# use_node - the options that say where everything is on $NODE.
use_node() {
	WHERE=(--sysfs-root "$NODE/sys" --metadata-path "$METADATA" --route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg")
}

# check [OPTION...] - `run` of the pre-flight alone; the last of two options counts. The configuration is in $T/stdout. bats wants to know beforehand when 127 is
# to be expected: EXPECTED.
check() {
	run ${EXPECTED:+"-$EXPECTED"} --separate-stderr bash -c '"$@" >"$0/stdout"' "$T" timeout 60 "${MONITOR[@]}" --check-config "${WHERE[@]}" "${OPTIONS[@]}" "$@" </dev/null
}

# start [OPTION...] - `run` of a service that is not to start.
start() {
	run ${EXPECTED:+"-$EXPECTED"} --separate-stderr timeout 60 "${MONITOR[@]}" "${WHERE[@]}" "${OPTIONS[@]}" "$@" </dev/null
}

# launch [OPTION...] - starts the service in the background. Sets SERVICE.
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

# says_only REGEX... - stderr has exactly these lines, in that order.
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
# does_not_start CODE - the line that says so
does_not_start() { echo "$PREFIX error: pre-flight: the service does not start: exit code $1$"; }

# others_than_root - MONITOR is run by somebody whom modes can stop, who can read what is there and write nothing.
others_than_root() {
	chmod a+rx "$BATS_RUN_TMPDIR" "${T%/*}" "$T" "$PROGRAMS" "$T/run" "$T/var"
	chmod -R a+rX "$NODE"
	if [ "$(id -u)" -eq 0 ]; then
		MONITOR=(setpriv --reuid 65534 --regid 65534 --clear-groups "${MONITOR[@]}")
	else
		chmod a-w "$T/run" "$T/var"
	fi
}

# --- when all is well ---

@test "where all is well there is one line, and the configuration in force on stdout" {
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

@test "on every platform pre-flight counts the ports that topoclass has monitored" {
	local description expected
	for description in "$PLATFORMS"/*.json; do
		node "$(basename -s .json "$description")" "$(basename -s .json "$description")"
		METADATA=$NODE/var/lib/nvsentinel/gpu_metadata.json
		use_node
		expected=$(scan --counters none | classify | jq -s -r '(map(select(.kind == "device" and .vf).device)) as $vfs
			| map(select(.kind == "port" and .monitored and (.device | IN($vfs[]) | not)))
			| "\(length) \(map(.device) | unique | length) \(map(select(.role == "compute")) | length)"')
		check
		echo "# ${description##*/}: $stderr"
		status_is 0 "pre-flight: ${expected%% *} ports? of $(cut -d ' ' -f 2 <<<"$expected") devices? to be monitored \(.*\)$"
		[ "${expected##* }" -eq 0 ] || stderr_has "compute ${expected##* }[,)]"
		rm -rf "$NODE"
	done
}

@test "--check-config leaves everything as it is, also beside the running service" {
	# snapshot - all that is there, and when it was changed.
	snapshot() { find "$T/run" "$T/var" "$NODE/var" "$T/events" -printf '%p %y %m %s %T@ %i\n' 2>&1 | sort; }
	snapshot >"$T/before"
	check --state-file "$T/run/new/state.json" --spool "$T/var/new/spool.db"
	status_is 0
	says_only "$WATCHED"
	snapshot | diff "$T/before" -
	[ ! -e "$T/events" ]

	# With an interval of an hour the service is at rest after its first scan.
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
	says_only "$WATCHED"
	snapshot | diff "$T/before" -
	is_running "$SERVICE"
	stops
}

@test "what is said before a start is said by the service, once" {
	launch
	wait_until 20 evaluates
	[ "$(grep -c -E "$WATCHED" "$T/service.err")" -eq 1 ]
	none grep -E ': (warning|error): ' "$T/service.err"
	stops
}

# --- what keeps the service from starting ---

# refused CODE REGEX [OPTION...] - both ways of asking give this line and this code, nothing is started, and nothing is made but the state file's directory.
refused() {
	local code=$1 regex=$2 EXPECTED=$1
	shift 2
	check "$@"
	status_is "$code" "$regex"
	[ "${stderr_lines[-1]}" = "nic-health-monitor: error: pre-flight: the service does not start: exit code $code" ]
	start "$@"
	status_is "$code" "$regex"
	[ "${stderr_lines[-1]}" = "nic-health-monitor: error: pre-flight: the service does not start: exit code $code" ]
	[ -z "$output" ]
	[ -z "$(find "$T/run" "$T/var" -type f)" ] && [ ! -e "$T/events" ]
}

@test "no sysfs: exit 66, with what to do" {
	refused 66 "$PREFIX error: $T/none: No such file or directory: mount the host's sysfs there, or name it with --sysfs-root$" --sysfs-root "$T/none"
}

@test "missing or bad GPU metadata: exit 78, with the reason and what to do" {
	refused 78 "$PREFIX error: GPU metadata: $T/none: No such file or directory: .*--metadata-path" --metadata-path "$T/none"
	echo '{"gpus": []}' >"$T/bad.json"
	refused 78 "$PREFIX error: GPU metadata: $T/bad.json: no GPUs in it .*: without it nobody knows" --metadata-path "$T/bad.json"
}

@test "without GPU metadata, but with NICs named in the configuration, the service starts" {
	echo 'nicInclusionRegexOverride: "^mlx5_[12]$"' >"$T/c.yaml"
	check --metadata-path "$T/none" --config "$T/c.yaml"
	status_is 0
	says_only "^topoclass: warning: $T/none: No such file or directory: going on without it" \
		'note: pre-flight: 2 ports of 2 devices to be monitored \(compute 2\)$'
}

@test "mistakes in the configuration: exit 78, each with its place" {
	printf 'nicExclusionRegex: "("\nbogus: 1\n' >"$T/c.yaml"
	refused 78 "$PREFIX error: $T/c.yaml:1:20: bad expression" --config "$T/c.yaml"
	stderr_has "$PREFIX error: $T/c.yaml:2:1: unknown key \"bogus\"$"
	[ ! -s "$T/stdout" ]
	refused 66 "$PREFIX error: $T/none.yaml: No such file or directory$" --config "$T/none.yaml"
}

@test "a sink, a check or a strategy that cannot be meant: exit 64, in the words of the stage" {
	refused 64 "^emit: error: --sink 'bogus:x': unknown kind of sink" --sink bogus:x
	refused 64 "^emit: error: grpc:unix://$T/x: it is named twice" --platform-connector-socket "unix://$T/x" --sink "grpc:unix://$T/x"
	refused 64 "^ctreval: error: --checks 'BogusCheck': not a list" --checks BogusCheck,EFAStateCheck
	refused 64 "^ctreval: error: --strategy 'SHOUT'" --processing-strategy SHOUT
}

@test "a program that is missing, or cannot be run: exit 127 or 126, with its name" {
	chmod -x "$PROGRAMS/ctreval"
	refused 126 "$PREFIX error: $PROGRAMS/ctreval: Permission denied: "
	rm "$PROGRAMS/ctreval"
	refused 127 "$PREFIX error: $PROGRAMS/ctreval: No such file or directory: "
}

@test "a state file that cannot be read: exit 77; that is none: exit 78" {
	mkdir "$T/run/dir.json"
	mkfifo "$T/run/fifo.json"
	refused 78 "$PREFIX error: state file $T/run/dir.json: Is a directory: .*--state-file$" --state-file "$T/run/dir.json"
	refused 78 "$PREFIX error: state file $T/run/fifo.json: not a regular file: " --state-file "$T/run/fifo.json"
	rm -r "$T/run"/*
	others_than_root
	echo '{}' >"$T/run/secret.json"
	chmod 0 "$T/run/secret.json"
	check --state-file "$T/run/secret.json"
	status_is 77 "$PREFIX error: state file $T/run/secret.json: Permission denied: "
	# Nor can one be whose directory nobody may look into: ctreval would not begin.
	mkdir -m 0 "$T/run/closed"
	check --state-file "$T/run/closed/state.json"
	status_is 77 "$PREFIX error: state file $T/run/closed/state.json: Permission denied: "
}

@test "everything that is broken at once is said at once, and the first fatal thing is the exit code" {
	others_than_root
	rm "$PROGRAMS/topoclass"
	printf 'bogus: 1\n' >"$T/c.yaml"
	chmod 0 "$NODE/dev/kmsg"
	launch_listener
	check --sysfs-root "$T/none" --config "$T/c.yaml" --boot-id-path "$T/none" --sink bogus:x --checks BogusCheck --node-name localhost \
		--metrics-port "$PORT"
	status_is 78
	says_only "$PREFIX error: $T/c.yaml:1:1: unknown key \"bogus\"$" \
		"$PREFIX error: the configuration is not good, see above$" \
		"$PREFIX error: $PROGRAMS/topoclass: No such file or directory: " \
		"$PREFIX error: $T/none: No such file or directory: mount the host's sysfs there" \
		"^ctreval: error: --checks 'BogusCheck': " \
		"^emit: error: --sink 'bogus:x': " \
		"$PREFIX error: the kernel's log will not be watched: $NODE/dev/kmsg: Permission denied: give the service CAP_SYSLOG, or leave it out with --kmsg-path ''$" \
		"$PREFIX warning: the boot id cannot be read, and no reboot noticed: $T/none: No such file or directory: " \
		"$PREFIX error: state file $T/run/state.json: its directory cannot be written to \(Permission denied\): " \
		"$PREFIX warning: spool $T/var/spool.db: its directory cannot be written to \(Permission denied\): events are kept in memory" \
		"$PREFIX warning: this node is called 'localhost', as others may be: " \
		"$PREFIX warning: metrics and health cannot be served at any address, port $PORT: Address already in use: " \
		"$(does_not_start 78)"
	cp "$NHM_BIN/topoclass" "$PROGRAMS"
	check --sysfs-root "$T/none" --metadata-path "$T/none"
	status_is 66 "$PREFIX error: $T/none: No such file or directory: mount"
	stderr_has "$PREFIX error: GPU metadata: $T/none: No such file or directory: "
}

@test "a NODE_NAME that no record can carry keeps it from starting, unless there is a --node-name" {
	local name
	name=$(printf '%0254d' 0)
	NODE_NAME=$name run --separate-stderr timeout 20 nic-health-monitor --check-config
	status_is 64 "nic-health-monitor: error: NODE_NAME: longer than 253 bytes: not a node's name"
	NODE_NAME=$name run --separate-stderr timeout 20 ibscan --sysfs-root "$NODE/sys"
	status_is 64 'ibscan: error: NODE_NAME: longer than a DNS name'
	[ -z "$output" ]
	NODE_NAME=$name check --node-name gpu-1
	status_is 0
}

# --- what does not, but has to be known ---

# launch_listener - somebody has a port. Sets PORT.
launch_listener() {
	started listener python3 -c '
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(600)'
	wait_until 10 has_lines 1 "$T/listener.out"
	PORT=$(cat "$T/listener.out")
}

# starts_loudly REGEX [OPTION...] - the service says this and starts all the same.
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

@test "a node where no port is monitored says so, with the reasons counted, and is served" {
	echo 'nicExclusionRegex: "^mlx5_[1-3]$"' >"$T/c.yaml"
	sim set mlx5_4 device/numa_node 7
	check --config "$T/c.yaml"
	status_is 0 "$PREFIX error: no port is monitored: 5 devices: 1 default_route, 3 excluded, 1 numa_gate: see topoclass\(1\)"
	none grep pre-flight <<<"$stderr"
	launch --config "$T/c.yaml"
	wait_until 20 says "$PREFIX error: no port is monitored: 5 devices: "
	wait_until 10 pgrep -P "$SERVICE" -x ctreval >/dev/null
	stops
}

@test "a node without RDMA devices is a warning, and what is no sysfs an error" {
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
	says_only "$PREFIX error: $T/nothing is no sysfs: there is no class/net: no device will be seen: "
}

@test "a device that hangs is named, and the service starts without waiting long" {
	sim hang mlx5_3/1 state
	check
	status_is 0
	says_only "$PREFIX warning: NICs that cannot be read: mlx5_3 \(timeout\)$" 'note: pre-flight: 3 ports of 3 devices'
	starts_loudly "$PREFIX warning: NICs that cannot be read: mlx5_3 \(timeout\)$"
}

@test "a NIC that only the GPU metadata know is named" {
	sim remove mlx5_2
	check
	status_is 0
	says_only "$PREFIX warning: in the GPU metadata, but not on this node: mlx5_2: " 'note: pre-flight: 3 ports of 3 devices'
}

@test "a kernel log that is not there is said, with what to do" {
	starts_loudly "$PREFIX error: the kernel's log will not be watched: $T/none: No such file or directory: name it with --kmsg-path, or leave it out with --kmsg-path ''$" \
		--kmsg-path "$T/none"
	check --kmsg-path ''
	status_is 0
	says_only "$WATCHED"
	rm "$PROGRAMS/logmatch"
	check --kmsg-path "$T/none"
	status_is 0
	says_only "$WATCHED"
}

@test "directories that cannot be written to, or are full, are said, and the service starts" {
	starts_loudly "$PREFIX error: state file $T/no/no/state.json: its directory cannot be written to \(No such file or directory\): what is known of the NICs will be forgotten" \
		--state-file "$T/no/no/state.json"
	starts_loudly "$PREFIX warning: spool $T/no/no/spool.db: its directory cannot be written to \(No such file or directory\): events are kept in memory" \
		--spool "$T/no/no/spool.db"
	check --spool /dev/full/spool.db
	status_is 0 "$PREFIX warning: spool /dev/full/spool.db: its directory cannot be written to \(Not a directory\)"
}

@test "the state file's directory is made when the service starts" {
	launch --state-file "$T/run/new/state.json"
	wait_until 20 evaluates
	[ "$(stat -c %a "$T/run/new")" = 750 ]
	none says "$PREFIX error"
	stops
}

@test "a stage that hangs or dies when it is tried is an error, and the service starts" {
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

@test "a configuration that cannot be printed is a failed run" {
	run --separate-stderr bash -c '"$@" >/dev/full' _ timeout 60 "${MONITOR[@]}" --check-config "${WHERE[@]}" "${OPTIONS[@]}"
	status_is 74 "$PREFIX error: stdout: No space left on device$"
}

@test "files in memory that may not grow are an error, not a death" {
	run --separate-stderr bash -c 'ulimit -f 0; "$@" 2>&1 >/dev/null' _ timeout 60 "${MONITOR[@]}" --check-config "${WHERE[@]}" "${OPTIONS[@]}"
	status_is 0
	[[ $output = *"topoclass, when it was tried: could not be started: File too large"* ]]
}

# --- in the place of the original ---

@test "the original's command line in a DaemonSet starts the service, and its events reach the Platform Connector" {
	start_connector connector "unix:$T/connector.sock" --strict
	# What its Helm chart makes, in YAML, with the host's sysfs mounted elsewhere.
	cat >"$T/config.yaml" <<-END
		nicExclusionRegex: "^veth.*,^docker.*,^br-.*,^lo\$"
		nicInclusionRegexOverride: ""
		sysClassNetPath: "$NODE/sys/class/net"
		sysClassInfinibandPath: "$NODE/sys/class/infiniband"
		charDeviceCheck: {issm: never}
		counterDetection:
		  enabled: true
		  counters:
		    - {name: link_downed, enabled: true, thresholdType: delta, threshold: 0}
		    - {name: efa_rx_drops, enabled: true, thresholdType: velocity, threshold: 100.0, velocityUnit: second}
	END
	export NODE_NAME=gpu-7
	PORT=$(free_port)
	# The routes, the kernel's log and the spool are not the original's.
	started service "${MONITOR[@]}" \
		-checks=InfiniBandStateCheck,InfiniBandDegradationCheck,InfiniBandCharDeviceCheck,EthernetStateCheck,EthernetDegradationCheck,EFAStateCheck,EFADegradationCheck \
		--platform-connector-socket "unix://$T/connector.sock" --platform-connector-token-path= --state-polling-interval 0.2s \
		-metrics-port "$PORT" --config="$T/config.yaml" --metadata-path "$METADATA" --state-file="$T/run/state.json" \
		-boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --processing-strategy EXECUTE_REMEDIATION \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route" --kmsg-path '' --spool "$T/var/spool.db"
	SERVICE=$PID
	wait_until 20 evaluates
	sim down mlx5_1/1
	wait_until 20 has_logged 1 connector '.event.message == "Port mlx5_1 port 1: state DOWN, phys_state Disabled"'
	logged connector 'select(.event.isFatal) | .event | "\(.nodeName) \(.checkName)"' | grep -x 'gpu-7 InfiniBandStateCheck'
	says "$PREFIX warning: --checks: not known here, and left out: InfiniBandCharDeviceCheck,EFAStateCheck,EFADegradationCheck$"
	says "$PREFIX warning: configuration: counters that are not known here, and left out: efa_rx_drops$"
	[ "$(grep -c ': warning: ' "$T/service.err")" -eq 2 ]
	stops
}

@test "its TOML file is refused by name" {
	run --separate-stderr "${MONITOR[@]}" --config /etc/nic-health-monitor/config.toml
	status_is 64
	says_only "$PREFIX error: --config '/etc/nic-health-monitor/config.toml': TOML is not read: write the same keys in YAML"
}

@test "what is looked for goes only with the service" {
	run --separate-stderr "${MONITOR[@]}" --once --check-config
	status_is 64
	says_only "$PREFIX error: --check-config does not go with --once"
}
