#!/usr/bin/env bats
# nhm: each command starts the right tool with the options of this machine or of a node below a
# root.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/spool

setup() {
	unset NHM_ROOT
	T=$BATS_TEST_TMPDIR
}

teardown() {
	end_background
	nothing_survives
}

# a_node - make a node with a few NICs, GPU metadata of just these, a host name and an unplugged
# cable
a_node() {
	local nics='["mlx5_2", "mlx5_3", "mlx5_5", "mlx5_7", "mlx5_11"]'
	jq --argjson nics "$nics" '.nics |= map(select(.device | IN($nics[])))
		| .nic_topology |= with_entries(select(.key | IN($nics[])))' \
		"$PLATFORMS/h100-oci.json" >"$T/few.json"
	export NODE=$T/node
	nicsim "$NODE" create "$T/few.json"
	sim unplug mlx5_3/1
	mkdir -p "$NODE/etc"
	echo gpu-42 >"$NODE/etc/hostname"
}

# nhm_says EXIT-CODE ARGUMENT... - run nhm on the node and check its exit code; sets $output
nhm_says() {
	local code=$1
	shift
	run --separate-stderr nhm --root "$NODE" "$@"
	status_is "$code"
}

# options_of TOOL COMMAND... - print the arguments with which nhm starts TOOL, one per line, from
# its own directory
options_of() {
	mkdir -p "$T/beside"
	cp "$NHM_BIN/nhm" "$T/beside"
	printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$T/beside/$1"
	chmod +x "$T/beside/$1"
	"$T/beside/nhm" "${@:2}"
}

# without_time TEXT - print TEXT without the time of its table
without_time() {
	sed -E 's/(^gpu-42.* )[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(Z| UTC)/\1TIME/' <<<"$1"
}

# status_as_typed - print the table of the pipe as a user would type it
status_as_typed() {
	scan --gids --node gpu-42 | classify --config /dev/null | nicview -
}

@test "status shows the same table as the pipe, with roles and with problems first" {
	a_node
	nhm_says 0 status
	[ "$stderr" = "" ]
	diff <(without_time "$output") <(without_time "$(status_as_typed)")
	[[ $output == 'gpu-42 '*': 1 problem'* ]]
	[[ ${lines[2]} == '!! mlx5_3 '*' compute '*DOWN* ]]
}

@test "status without GPU metadata shows the roles that the PCI bus gives" {
	a_node
	rm "$NODE/var/lib/nvsentinel/gpu_metadata.json"
	nhm_says 0 status
	[[ $stderr == "topoclass: note: no $NODE/var/lib/nvsentinel/gpu_metadata.json: taking the places of the GPUs from the PCI bus" ]]
	[[ ${lines[2]} == '!! mlx5_3 '*' compute '*DOWN* ]]
}

@test "status works where sh is bash, and has the exit code of the tool that failed" {
	a_node
	run --separate-stderr bash --posix "$NHM_BIN/nhm" --root "$NODE" status
	status_is 0
	[ "$stderr" = "" ]
	[[ $output == 'gpu-42 '*': 1 problem'* ]]
	run --separate-stderr bash --posix "$NHM_BIN/nhm" --root "$NODE" scan --count x
	status_is 64 '^ibscan: error: '
}

@test "top shows a table each second until it is stopped" {
	a_node
	background nhm --root "$NODE" top
	wait_until 10 grep -q '^gpu-42 .*: 1 problem' "$T/out"
	sim up mlx5_3/1
	wait_until 10 grep -q '^gpu-42 .*5 ports: no problem, 1 unclear$' "$T/out"
	kill "$PID"
	ends_with 143 "$PID"
	wait_until 10 none_of_ours
}

@test "scan's whole pipe ends after a complete scan when nhm alone is killed, by SIGTERM or SIGKILL" {
	local number
	a_node
	for number in 15 9; do
		background nhm --root "$NODE" scan --interval 100ms
		wait_until 10 has_lines 1 "$T/out" '"kind":"scan.end"'
		kill "-$number" "$PID"
		ends_with $((128 + number)) "$PID"
		wait_until 10 none_of_ours
		diff <(tail -n 1 "$T/out" | jq -r .kind) - <<<scan.end >&2
		cmp "$T/err" /dev/null >&2
	done
}

@test "a pipe whose next scan is an hour away ends at once when nhm is killed" {
	a_node
	background nhm --root "$NODE" scan --interval 1h
	wait_until 10 has_lines 1 "$T/out" '"kind":"scan.end"'
	kill "$PID"
	wait_until 10 none_of_ours
}

@test "scan writes the pipe's records and passes its options to ibscan" {
	a_node
	nhm_says 0 scan --count 2 --interval 20ms
	[ "$stderr" = "" ]
	[ "$(grep -c '"kind":"scan.end"' <<<"$output")" = 2 ]
	[ "$(jq -r 'select(.kind == "device") | .device + " " + .role' <<<"$output" | sort -u |
		grep mlx5_3)" = 'mlx5_3 compute' ]
	nhm_says 64 scan --count x
	[[ $stderr == *"ibscan: error: "* ]]
}

# answers TOOL ARGUMENT... - check that nhm shows TOOL's help and version, and nothing else, after
# these arguments
answers() {
	local option
	for option in -h --help -V --version; do
		run --separate-stderr nhm "${@:2}" "$option"
		status_is 0
		[ "$stderr" = "" ]
		diff <(echo "$output") <("$1" "$option")
	done
}

@test "--help and --version after a command are of the tool that gets its options, else of nhm" {
	local command
	answers ibscan scan
	answers ibscan scan --count 2
	answers niccheck check
	answers nichist changes
	answers nic-health-monitor run
	for command in status top why runbook test-sink demo; do
		answers nhm "$command"
	done
}

# told_why EXIT-CODE ARGUMENT... - run why, and check that it leaves no temporary file behind
told_why() {
	mkdir -p "$T/tmp"
	TMPDIR=$T/tmp nhm_says "$1" why "${@:2}"
	[ -z "$(ls -A "$T/tmp")" ]
}

# story_has TEXT - return success if $output has this line, indented or not
story_has() { printf '%s\n' "$output" | sed 's/^ *//' | grep -q -x -F -- "$1"; }

@test "why explains a device's role and its state in three scans, and says that there is no history" {
	a_node
	told_why 0 mlx5_3
	[ "$stderr" = "" ]
	[[ $output == 'mlx5_3 on gpu-42, PCI 0000:2a:00.0, '* ]]
	story_has 'Its role is compute, and it is monitored: a GPU is next to it (PIX or PXB).'
	[[ $output == *'Port 1: Ethernet, DOWN, Polling, '* ]]
	[[ $output == *$'\n  port: not healthy'* ]]
	[[ $output == *$'\n  not grown since the last scan: '*symbol_error* ]]
	story_has 'Active conditions are unknown: the input has no history.'
}

@test "why of a lost device reports the service's state, events, sinks and silences" {
	local state=$T/node/var/run/nic_health_monitor/ctreval/state.json
	a_node
	mkdir -p "${state%/*}"
	decided() { scan --node gpu-42 --count "$1" --interval 10ms | classify --config /dev/null |
		ctreval --config /dev/null --state "$state" 2>"$T/notes" |
		emit --spool "$NODE/var/lib/nic-health-monitor/spool.db" --sink "file:$T/sent"; }
	decided 2
	sims 'remove mlx5_7' 'add mlx5_5/1 counters/link_downed 1'
	decided 3
	cp "$state" "$T/before"
	told_why 0 mlx5_7
	[ "$stderr" = "" ]
	story_has 'No scan of the input contains it.'
	[[ $output == 'mlx5_7 on gpu-42, PCI 0000:58:00.0'$'\n'* ]]
	story_has 'Its role was compute when it was last seen.'
	story_has 'device: it is gone, already reported'
	[[ $output == *$'\n  Fatal since '*': RoCE device mlx5_7 disappeared from sysfs'* ]]
	story_has "Delivered to: file:$T/sent"
	sqlite3 "$NODE/var/lib/nic-health-monitor/spool.db" "INSERT INTO dead_letter
		(sink, number, event_id, time_ns, reason, record)
		SELECT 'file:$T/sent', updated, 'x', 1, 'full', '{}'
		FROM condition WHERE device = 'mlx5_7'"
	told_why 0 mlx5_7
	story_has "Refused by: file:$T/sent"
	nhm_says 0 silence mlx5_5 --for 1h --why 'new cable' --by ada
	told_why 0 mlx5_5/1
	[[ $output == *$'\n  link_downed is 1: in breach since '* ]]
	[[ $output == *$'\n  Silenced until '*' UTC: all events of the device, by ada: new cable' ]]
	cmp "$state" "$T/before"
}

@test "why knows a NIC that is dead from boot, by its name and by its PCI address" {
	a_node
	sim eject mlx5_7
	told_why 0 mlx5_7
	[ "$stderr" = "" ]
	story_has 'It is in the GPU metadata, but not on this node, and it served the GPUs.'
	sims 'restore mlx5_7' 'remove mlx5_7'
	told_why 0 0000:58:00.0
	[ "$stderr" = "" ]
	story_has 'It has no driver.'
	rm "$NODE/var/lib/nvsentinel/gpu_metadata.json"
	told_why 0 0000:58:00.0
	story_has 'It has no driver, and it is in the place of a GPU NIC on the PCI bus.'
}

@test "why rejects a missing device and a second one with 64, and an unknown one with 66" {
	a_node
	told_why 64
	[ "$stderr" = "nhm: error: a device is missing, such as mlx5_0 (try 'nhm --help')" ]
	told_why 64 mlx5_3 mlx5_5
	[ "$stderr" = "nhm: error: unexpected argument of why: 'mlx5_5' (try 'nhm --help')" ]
	told_why 66 mlx5_4
	[ "$stderr" = 'nicwhy: error: mlx5_4: nothing in the input is about it' ]
}

@test "why without permission to read the history reports the rest" {
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	a_node
	chmod -R a+rX "$NODE"
	for_anybody nhm ibscan topoclass ctreval nichist nicwhy
	a_night "$NODE/var/lib/nic-health-monitor/spool.db"
	chmod 0600 "$NODE/var/lib/nic-health-monitor/spool.db"
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		nhm --root "$NODE" why mlx5_3
	status_is 0
	[[ $stderr == 'nhm: warning: '*'/spool.db: Permission denied: active conditions are unknown' ]]
	story_has 'Active conditions are unknown: the input has no history.'
	# As a user whom systemd keeps out of the directory of a DynamicUser.
	chmod 0700 "$NODE/var/lib/nic-health-monitor"
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		nhm --root "$NODE" why mlx5_3
	status_is 0
	[[ $stderr == 'nhm: warning: '*'/spool.db: Permission denied: active conditions are unknown' ]]
}

@test "a configuration in a directory without permission is an error for every command, not ignored" {
	local command
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	a_node
	mkdir "$NODE/etc/nic-health-monitor"
	echo 'nicExclusionRegex: ^mlx5_3$' >"$NODE/etc/nic-health-monitor/config.yaml"
	chmod -R a+rX "$NODE"
	chmod 0700 "$NODE/etc/nic-health-monitor"
	for_anybody nhm ibscan topoclass ctreval nichist nicview nicwhy niccheck
	for command in status scan 'why mlx5_3' check; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
			nhm --root "$NODE" $command
		status_is 77
		stderr_has "error: $NODE/etc/nic-health-monitor/config.yaml: Permission denied"
	done
}

@test "run watches the node below the root and keeps its state there" {
	a_node
	started service nhm --root "$NODE" run --interval 100ms --sink "file:$T/events"
	wait_until 20 grep -q 'counters available' "$T/service.err"
	[ -s "$NODE/var/lib/nic-health-monitor/spool.db" ]
	sim remove mlx5_7
	wait_until 20 grep -q '"nic_gone"' "$T/events"
	[ "$(jq -r 'select(.errorCode == ["nic_gone"]) | .nodeName' "$T/events")" = gpu-42 ]
	told_why 0 mlx5_7
	story_has 'device: it is gone, already reported'
	story_has "Delivered to: file:$T/events"
}

@test "run prints the events of a node below a root if no sink is named" {
	a_node
	started service nhm --root "$NODE" run --interval 100ms
	wait_until 20 grep -q 'counters available' "$T/service.err"
	sim remove mlx5_7
	wait_until 20 grep -q '"nic_gone"' "$T/service.out"
	none grep -q 'nvsentinel' "$T/service.err"
}

@test "check has niccheck's verdict and exit code" {
	a_node
	nhm_says 1 check --settle 50ms
	[[ $output == 'gpu-42: FATAL: '*mlx5_3* ]]
	sim up mlx5_3/1
	nhm_says 0 check --settle 50ms
	nhm_says 0 check --settle 50ms --json
	[ "$(jq -r .node <<<"$output")" = gpu-42 ]
}

@test "run keeps its state also below the root of an unpacked record, and --check-config makes nothing" {
	a_node
	nhm --root "$NODE" capture "$T/record"
	nhm-capture --unpack "$T/record/node.tree" "$T/copy"
	[ ! -e "$T/copy/var/run" ]
	run --separate-stderr nhm --root "$T/copy" run --check-config
	status_is 0
	[ ! -e "$T/copy/var/run" ]
	started service nhm --root "$T/copy" run --interval 100ms --sink "file:$T/events"
	wait_until 20 [ -s "$T/copy/var/run/nic_health_monitor/ctreval/state.json" ]
	none grep 'continuing without it' "$T/service.err"
}

@test "run --once below a root is check under the service's name" {
	a_node
	nhm_says 1 check --settle 50ms
	local verdict=$output
	nhm_says 1 run --once --settle 50ms
	[ "$output" = "$verdict" ]
	[ "$stderr" = "" ]
	[ ! -e "$NODE/var/run/nic_health_monitor" ]
}

@test "the node's host name may follow comments and empty lines" {
	a_node
	printf '# Managed by a program\n\n  gpu-42 \r\n' >"$NODE/etc/hostname"
	nhm_says 1 check --settle 50ms
	[[ $output == 'gpu-42: FATAL: '* ]]
	printf '# no name\n' >"$NODE/etc/hostname"
	nhm_says 1 check --settle 50ms
	[[ $output == 'node: FATAL: '* ]]
}

@test "a node without a host name, a boot id and a configuration is named after its directory" {
	a_node
	rm -r "${NODE:?}"/{etc,proc/sys}
	nhm_says 0 status
	[[ $output == 'node '* ]]
	nhm_says 1 check --settle 50ms
	[[ $output == 'node: FATAL: '* ]]
}

@test "the node's own configuration applies, YAML or TOML, and not this machine's" {
	a_node
	mkdir -p "$NODE/etc/nic-health-monitor"
	echo 'nicExclusionRegex: ^mlx5_3$' >"$NODE/etc/nic-health-monitor/config.yaml"
	nhm_says 0 status
	[[ $output != *'1 problem'* ]]
	nhm_says 0 check --settle 50ms
	mv "$NODE/etc/nic-health-monitor/config."{yaml,toml}
	echo 'nicExclusionRegex = "^mlx5_[34]$"' >"$NODE/etc/nic-health-monitor/config.toml"
	nhm_says 0 check --settle 50ms
}

@test "a mistake in the configuration is one line for every command" {
	local command
	a_node
	mkdir "$NODE/etc/nic-health-monitor"
	echo 'nonsense: 1' >"$NODE/etc/nic-health-monitor/config.yaml"
	for command in status scan top 'why mlx5_3' check; do
		# shellcheck disable=SC2086 # words
		nhm_says 78 $command
		stderr_has "error: $NODE/etc/nic-health-monitor/config.yaml:1:1: unknown key"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "on this machine sysfs is where the configuration says, and all counters are read" {
	local command
	a_node
	mkdir "$T/etc"
	printf '%s\n' "sysClassInfinibandPath: $NODE/sys/class/infiniband" \
		'counterDetection: {enabled: false}' >"$T/etc/config.yaml"
	for command in status scan 'why mlx5_3' check; do
		# shellcheck disable=SC2086 # words
		with_etc "$T/etc" nhm $command
		[[ $output == *mlx5_3* ]]
	done
	with_etc "$T/etc" nhm scan
	jq -e 'select(.device == "mlx5_3" and .kind == "port") | .counters.symbol_error == 0' \
		<<<"$output"
}

@test "history without options shows a day and what stands, and changes is nichist --changes" {
	local spool
	a_node
	spool=$NODE/var/lib/nic-health-monitor/spool.db
	a_night "$spool"
	nhm_says 0 history
	diff <(without_time "$output") \
		<(without_time "$(nichist --history --standing --since 24h --spool "$spool")")
	[[ $output == *'mlx5_3 port 1: state DOWN'* ]]
	nhm_says 0 history --dead-letters
	diff <(echo "$output") <(nichist --dead-letters --spool "$spool")
	nhm_says 0 changes
	diff <(echo "$output") <(nichist --changes --spool "$spool")
	rm "$spool"
	nhm_says 66 history
	stderr_has "^nichist: error: $spool: "
}

@test "silence writes a silence of the node and lists it" {
	a_node
	nhm_says 0 silence mlx5_3 --for 4h --why 'cable is being replaced' --by ann
	[ -s "$NODE/var/lib/nic-health-monitor/silences.ndjson" ]
	nhm_says 0 silence
	[[ $output == *mlx5_3*'cable is being replaced'* ]]
	nhm_says 0 silence mlx5_9 --for 4h --why x
	[ "$stderr" = 'nicsilence: warning: mlx5_9: there is no such device at present' ]
}

@test "capture records the node, and nhm shows the unpacked record as it shows the node" {
	local shown
	a_node
	mkdir "$NODE/etc/nic-health-monitor"
	echo 'nicExclusionRegex: ^mlx5_3$' >"$NODE/etc/nic-health-monitor/config.yaml"
	nhm_says 0 status
	shown=$output
	nhm_says 0 capture "$T/record"
	nhm-capture --unpack "$T/record/node.tree" "$T/copy"
	run --separate-stderr nhm --root "$T/copy" status
	status_is 0
	diff <(without_time "${output/#copy/gpu-42}") <(without_time "$shown")
	run --separate-stderr nhm --root "$T/record" status
	status_is 66 "^nhm: error: $T/record is a capture: unpack it first, with nhm-capture --unpack $T/record/node.tree DIR$"
}

@test "diff compares two nodes" {
	a_node
	nhm_says 0 capture "$T/record"
	sim up mlx5_3/1
	nhm_says 1 diff "$T/record" "$NODE"
	diff <(tail -n +2 <<<"$output") <(nicdiff "$T/record" "$NODE" | tail -n +2)
	[[ $output == *mlx5_3* ]]
}

@test "test-sink sends a test event to each sink" {
	run --separate-stderr nhm test-sink "file:$T/a" "file:$T/b"
	status_is 0
	[ -s "$T/a" ]
	[ -s "$T/b" ]
	run --separate-stderr nhm test-sink
	status_is 64 "^nhm: error: a sink is missing, such as journal or grpc:unix:///PATH \(try 'nhm --help'\)$"
}

@test "on this machine the tools get no node options, only those of the command" {
	[ "$(options_of niccheck check --json)" = --json ]
	[ "$(options_of nichist history | xargs)" = '--history --standing --since 24h' ]
	[ "$(options_of nichist history --fatal)" = --fatal ]
	[ "$(options_of nichist changes --since 'two days' | tail -n 1)" = 'two days' ]
	[ "$(options_of nicsilence silence)" = '' ]
	[ "$(options_of nhm-capture capture 'a dir')" = 'a dir' ]
	[ "$(options_of nicdiff diff a b | xargs)" = 'a b' ]
	[ "$(options_of emit test-sink journal file:x | xargs)" = \
		'--test-sink --sink journal --sink file:x' ]
}

@test "demo runs the demo of nhm's source tree, and names it in an error outside of one" {
	mkdir -p "$T"/sources/{bin,test/demo}
	cp "$NHM_BIN/nhm" "$T/sources/bin"
	printf '#!/bin/sh\necho "the demo of $NHM_BIN"\n' >"$T/sources/test/demo/demo"
	chmod +x "$T/sources/test/demo/demo"
	run --separate-stderr "$T/sources/bin/nhm" demo
	status_is 0
	[ "$output" = "the demo of $T/sources/bin" ]
	rm "$T/sources/test/demo/demo"
	run --separate-stderr "$T/sources/bin/nhm" demo
	status_is 66 "^nhm: error: the demo is in the sources: type 'make demo' there$"
}

@test "NHM_ROOT sets the root, --root overrides it, and / is this machine" {
	NHM_ROOT=$T/nowhere run --separate-stderr nhm status
	status_is 66 "^nhm: error: $T/nowhere/sys: No such file or directory$"
	NHM_ROOT=$T/nowhere run --separate-stderr nhm --root="$T" status
	status_is 66 "^nhm: error: $T/sys: No such file or directory$"
	[ "$(NHM_ROOT=/ options_of niccheck check)" = '' ]
	[ "$(NHM_ROOT=$T/nowhere options_of niccheck --root / check)" = '' ]
	mkdir -p "$T/-r/sys"
	[ "$(cd "$T" && options_of niccheck --root=-r check | sed -n 2p)" = ./-r/sys ]
}

@test "a root that may not be searched exits 77 with the reason" {
	[ "$(id -u)" -eq 0 ] || skip "as root, who can become anybody"
	mkdir -p "$T/root/node/sys"
	chmod 0700 "$T/root"
	for_anybody nhm
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		nhm --root "$T/root/node" status
	status_is 77 "^nhm: error: $T/root/node/sys: Permission denied$"
}

@test "nhm finds a tool beside itself, else in PATH, else exits 71 naming the tool" {
	mkdir "$T/alone"
	cp "$NHM_BIN/nhm" "$T/alone"
	run --separate-stderr "$T/alone/nhm" check --version
	status_is 0
	[[ $output == 'niccheck '* ]]
	run --separate-stderr env PATH=/usr/bin:/bin "$T/alone/nhm" check
	status_is 71 '^nhm: error: niccheck: not found$'
	run --separate-stderr env PATH=/usr/bin:/bin "$T/alone/nhm" status
	status_is 71 '^nhm: error: ibscan: not found$'
}

@test "nhm finds the tools also if it is called by a link" {
	ln -s "$NHM_BIN/nhm" "$T/link"
	run --separate-stderr env PATH=/usr/bin:/bin "$T/link" check --version
	status_is 0
	[[ $output == 'niccheck '* ]]
}

@test "a write error of the table exits 74" {
	a_node
	run --separate-stderr bash -c 'nhm --root "$NODE" status >/dev/full'
	status_is 74 '^nicview: error: stdout: No space left on device$'
}

# closed_stdout TOOL ARGUMENT... - run nhm on the node without stdout, and check that TOOL says so
closed_stdout() {
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'nhm --root "$NODE" "$@" >&-' _ "${@:2}"
	status_is 74 "^$1: error: stdout: Bad file descriptor$"
	none grep -q -v -E '^[a-z]+: ' <<<"$stderr"
}

@test "a closed stdout exits 74, in a pipe of tools too" {
	a_node
	closed_stdout nicview status
	closed_stdout topoclass scan
	closed_stdout nicwhy why mlx5_3
	closed_stdout niccheck check --settle 50ms
	closed_stdout nhm status --help
}

@test "--help whose reader has gone ends quietly, like other programs" {
	mkfifo "$T/pipe"
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'exec 3<>"$1" >"$1" 3>&- && exec nhm --help' _ "$T/pipe"
	status_is 141
	[ "$stderr" = "" ]
}

@test "a wrong command line is one line and exits 64" {
	local wrong
	while IFS='|' read -r arguments wrong; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr nhm $arguments
		status_is 64 "^nhm: error: $wrong \(try 'nhm --help'\)$"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		[ "$output" = "" ]
	done <<-END
		|a command is missing
		--root /|a command is missing
		--root|a value is missing after '--root'
		fix|unknown command 'fix'
		status mlx5_3|unexpected argument of status: 'mlx5_3'
		top --interval|unexpected argument of top: '--interval'
		--verbose status|unknown option '--verbose'
		--version=1|no value is allowed for '--version'
		scan --count 1 --format prometheus|scan writes records: pipe them to 'ibscan --format ... -'
		scan --output=x|scan writes records: pipe them to 'ibscan --output=x ... -'
	END
}
