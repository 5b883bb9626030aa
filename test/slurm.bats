#!/usr/bin/env bats
# slurm: reactions of dist/slurm, dist/nhc and dist/node-problem-detector to niccheck's verdict,
# with test/slurm/scontrol in place of Slurm's; slurm-real.bats has the real Slurm.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	mkdir "$T/bin"
	ln -s "$ROOT/test/slurm/scontrol" "$T/bin"
	printf '#!/bin/sh\necho "$*" >>"%s"\n' "$T/log" >"$T/bin/logger"
	chmod +x "$T/bin/logger"
	PATH=$T/bin:$PATH
	export SLURM_STATE=$T/slurm SLURMD_NODENAME=n1 NHM_SLURM_SETTLE=0s NIC_HEALTH_SETTLE=0s
	unset SLURM_SCRIPT_CONTEXT NHM_SLURM_DRAIN SCONTROL_FAILS
	slurm_has IDLE
}

teardown() {
	nothing_survives
}

# a_node - make a node with four compute ports
a_node() {
	node l40s-onprem
	export NHM_ROOT=$NODE
}

# verdict CODE [TEXT] - replace nhm by a script that prints TEXT and exits with CODE
verdict() {
	printf '%s' "${2-}" >"$T/text"
	printf '#!/bin/sh\ncat "%s"\nexit %s\n' "$T/text" "$1" >"$T/bin/nhm"
	chmod +x "$T/bin/nhm"
}
FATAL='nic-health-monitor: FATAL: Port mlx5_2 port 1: state DOWN'
DEGRADED='nic-health-monitor: DEGRADED: Port mlx5_2 port 1: rate 200 Gb/s, peers 400 Gb/s'
HEALTHY='nic-health-monitor: healthy: 5 NICs, 4 ports watched: 4 up'

# slurm_has STATE [REASON [USER [SECOND-LINE]]] - set the node's state in Slurm
slurm_has() {
	printf '%s\n' "State=$1" "Reason=${2-}" "User=${3-$(id -un)}" "More=${4-}" >"$SLURM_STATE"
	: >"$SLURM_STATE.calls"
}
field() { sed -n "s/^$1=//p" "$SLURM_STATE"; }
updates() { grep -c '^update' "$SLURM_STATE.calls" || true; }

# checks CODE [CONTEXT] - run the script as slurmd does in CONTEXT, and check that it exits with
# CODE
checks() {
	run --separate-stderr env ${2:+SLURM_SCRIPT_CONTEXT="$2"} "$ROOT/dist/slurm/node-check"
	status_is "$1"
	[ -z "$output" ]
}

# says REGEX - check that one line on stderr matches and goes to syslog, too
says() {
	[ "${#stderr_lines[@]}" -eq 1 ]
	stderr_has "^nic-health-monitor: n1: $1"
	grep -q -E -- "^-t nic-health-monitor -p daemon.warning -- n1: $1" "$T/log"
}

# drained_by_us - let the script drain a failing node
drained_by_us() {
	verdict 1 "$FATAL"
	slurm_has IDLE
	checks 0
	[ "$(field State)" = IDLE+DRAIN ]
	: >"$SLURM_STATE.calls"
}

@test "a port that goes down drains its node with its name and the cause, and undrains it when it is up" {
	a_node
	sim down mlx5_2/1
	checks 0
	[ "$(field State)" = IDLE+DRAIN ]
	[[ $(field Reason) =~ ^'nic-health-monitor: FATAL: Port mlx5_2 port 1: state DOWN'.*' #'[0-9]+$ ]]
	says 'drained: nic-health-monitor: FATAL: Port mlx5_2 port 1: state DOWN'
	sim up mlx5_2/1
	checks 0
	[ "$(field State)" = IDLE ]
	says 'undrained: all NICs are healthy; it was drained for FATAL: Port mlx5_2'
}

@test "the reason of a fatal card with an unplugged cable also names the port" {
	a_node
	sim unplug mlx5_2/1
	checks 0
	[[ $(field Reason) =~ ^'nic-health-monitor: FATAL: Card 0000:3a:00 has 0 active ports, '.*'; Port mlx5_2 port 1: state DOWN, phys_state Polling #'[0-9]+$ ]]
	nhc 1
	[[ $output =~ ^'die: 1: nic-health-monitor: FATAL: Card 0000:3a:00 has 0 active ports, '.*'; Port mlx5_2 port 1: state DOWN, phys_state Polling'$ ]]
	# A note is never part of the reason.
	verdict 1 'nic-health-monitor: FATAL: Card 0000:3a:00 has 0 active ports
  fatal     Card 0000:5a:00 has 0 active ports
  note      RoCE port mlx5_11 port 1 (storage): state DOWN
  2 NICs, 2 ports watched: 0 up'
	slurm_has IDLE
	checks 0
	[[ $(field Reason) =~ ^'nic-health-monitor: FATAL: Card 0000:3a:00 has 0 active ports #'[0-9]+$ ]]
	nhc 1
	[ "$output" = 'die: 1: nic-health-monitor: FATAL: Card 0000:3a:00 has 0 active ports' ]
}

@test "an excluded port drains no node" {
	a_node
	sim unplug mlx5_2/1
	mkdir -p "$NODE/etc/nic-health-monitor"
	echo 'nicExclusionRegex: "^mlx5_2$"' >"$NODE/etc/nic-health-monitor/config.yaml"
	checks 0
	[ "$(field State)" = IDLE ]
	[ -z "$stderr" ]
}

@test "a healthy node in service costs one request and stays unchanged" {
	a_node
	checks 0
	[ "$(cat "$SLURM_STATE.calls")" = 'show node n1' ]
	[ -z "$stderr" ]
}

@test "a failing node that is already out of service keeps its state and reason" {
	local state
	verdict 1 "$FATAL"
	for state in IDLE+DRAIN MIXED+DRAIN DOWN 'DOWN*' IDLE+FAIL IDLE+POWERED_DOWN; do
		slurm_has "$state" 'bad fan, Jo'
		checks 0
		[ "$(updates)" -eq 0 ]
	done
	drained_by_us
	checks 0
	[ "$(updates)" -eq 0 ]
}

@test "a healthy node stays drained if the reason is not the script's" {
	local reason
	verdict 0 "$HEALTHY"
	for reason in 'bad fan, Jo' 'nic-health-monitor' 'nic-health-monitor: Jo has the cable' \
		'see nic-health-monitor: FATAL #1' '' 'Prolog error' \
		"bad fan #$(($(printf 'bad fan' | cksum | cut -d ' ' -f 1) % 100000))"; do
		slurm_has IDLE+DRAIN "$reason"
		checks 0
		[ "$(updates)" -eq 0 ]
		[ -z "$stderr" ]
	done
}

@test "the reason in doc/slurm.md is one that the script takes for its own" {
	verdict 0 "$HEALTHY"
	slurm_has IDLE+DRAIN "$(sed -n 's/^    \(nic-health-monitor: .*\) node07$/\1/p' \
		"$ROOT/doc/slurm.md")"
	checks 0
	[ "$(field State)" = IDLE ]
}

@test "a healthy node stays drained if the script's reason was changed or another user gave it" {
	local ours
	drained_by_us
	ours=$(field Reason)
	verdict 0 "$HEALTHY"
	still_drained() {
		slurm_has "$@"
		checks 0
		[ "$(updates)" -eq 0 ]
	}
	still_drained IDLE+DRAIN "$ours, new cable ordered"
	still_drained IDLE+DRAIN "${ours/mlx5_2/mlx5_3}"
	still_drained IDLE+DRAIN "${ours% #*}"
	still_drained IDLE+DRAIN "$ours" jo
	still_drained IDLE+DRAIN "$ours" "$(id -un)" 'keep it drained'
	still_drained IDLE+DRAIN "$ours" "$(id -un)" 'keep it [Jo]'
	still_drained IDLE+DRAIN "$ours" "$(id -un)" 'ticket 4711]'
	slurm_has IDLE+DRAIN "$ours"
	checks 0
	[ "$(field State)" = IDLE ]
}

@test "a node that is down, failing or about to boot is not undrained, and one with a job is" {
	local ours state
	drained_by_us
	ours=$(field Reason)
	verdict 0 "$HEALTHY"
	for state in DOWN+DRAIN IDLE+DRAIN+FAIL IDLE+DRAIN+REBOOT_REQUESTED; do
		slurm_has "$state" "$ours"
		checks 0
		[ "$(updates)" -eq 0 ]
	done
	slurm_has MIXED+DRAIN "$ours"
	checks 0
	[ "$(field State)" = MIXED ]
}

@test "a degraded node stays in service unless NHM_SLURM_DRAIN=degraded; a drained one stays drained" {
	verdict 2 "$DEGRADED"
	checks 0
	checks 0 prolog_slurmd
	[ ! -s "$SLURM_STATE.calls" ]
	[ -z "$stderr" ]
	drained_by_us
	verdict 2 "$DEGRADED"
	checks 0
	[ "$(field State)" = IDLE+DRAIN ]
	slurm_has IDLE
	export NHM_SLURM_DRAIN=degraded
	checks 0
	[[ $(field Reason) = "$DEGRADED #"* ]]
	checks 1 prolog_slurmd
}

@test "a Prolog on a failing node drains it and fails, so that slurmd requeues the job" {
	verdict 1 "$FATAL"
	checks 1 prolog_slurmd
	[[ $(field Reason) = "$FATAL #"* ]]
	says 'drained: '
	# The Prolog also fails if the node is already drained for another reason.
	slurm_has MIXED+DRAIN 'bad fan, Jo'
	checks 1 prolog_slurmd
	[ "$(updates)" -eq 0 ]
}

@test "an Epilog on a failing node drains it and succeeds, so that the script's reason stays" {
	verdict 1 "$FATAL"
	checks 0 epilog_slurmd
	[[ $(field Reason) = "$FATAL #"* ]]
}

@test "Prolog and Epilog of a healthy node succeed without a request to slurmctld" {
	verdict 0 "$HEALTHY"
	checks 0 prolog_slurmd
	checks 0 epilog_slurmd
	[ ! -s "$SLURM_STATE.calls" ]
}

@test "unknown health is reported in one line, changes nothing and succeeds in every context" {
	local context
	unknown() {
		for context in '' prolog_slurmd epilog_slurmd; do
			rm -f "$T/log"
			checks 0 "$context"
			[ ! -s "$SLURM_STATE.calls" ]
			says "health is unknown: $1"
		done
	}
	drained_by_us
	verdict 3 'nic-health-monitor: UNKNOWN: NIC mlx5_3 cannot be read (timeout)'
	unknown 'nhm check exited with 3: UNKNOWN: NIC mlx5_3 cannot be read .timeout.$'
	verdict 78
	unknown 'nhm check exited with 78$'
	# A shell that cannot read its script exits like this.
	verdict 2
	export NHM_SLURM_DRAIN=degraded
	unknown 'nhm check exited with 2 and no verdict$'
	verdict 1 'sh: nhm: No such file'
	unknown 'nhm check exited with 1 and no verdict'
	printf '#!/bin/sh\nexec sleep 600\n' >"$T/bin/nhm"
	export NHM_SLURM_CHECK_SECONDS=0.1
	unknown 'no answer within 0.1 s$'
}

@test "a hanging NIC drains no node" {
	a_node
	sim hang mlx5_3/1 state
	checks 0
	[ "$(field State)" = IDLE ]
	says 'health is unknown: nhm check exited with 3: UNKNOWN: NIC mlx5_3 cannot be read'
}

@test "if Slurm cannot be told of a failing node, the script fails, so that slurmd drains the node" {
	local context
	verdict 1 "$FATAL"
	for context in '' prolog_slurmd epilog_slurmd; do
		rm -f "$T/log"
		NHM_SLURM_SCONTROL_SECONDS=0.1 SCONTROL_FAILS=hang:show checks 1 "$context"
		says "cannot read the node's state: scontrol exited with 124"
		rm "$T/log"
		SCONTROL_FAILS=update checks 1 "$context"
		stderr_has "cannot drain: scontrol exited with 1: $FATAL"
	done
	rm "$T/log"
	# The first request must be answered within the same time.
	NHM_SLURM_SCONTROL_SECONDS=5 SCONTROL_FAILS=hang:update checks 1 epilog_slurmd
	says "cannot drain: scontrol exited with 124: $FATAL"
	SLURMD_NODENAME=n2 checks 1
	stderr_has "n2: cannot read the node's state: scontrol exited with 1"
	[ "$(field State)" = IDLE ]
}

@test "a healthy node whose state cannot be read makes a line and succeeds" {
	drained_by_us
	verdict 0 "$HEALTHY"
	NHM_SLURM_SCONTROL_SECONDS=0.1 SCONTROL_FAILS=hang:show checks 0
	says "cannot read the node's state: scontrol exited with 124"
	SCONTROL_FAILS=update checks 0
	stderr_has 'cannot undrain: scontrol exited with 1$'
}

@test "a reason is one bounded line of ASCII without quotes and control characters" {
	local reason
	verdict 1 "nic-health-monitor: FATAL: \"a\" 'b' \\ \$(id) \`id\` @ # % é"$'\e[31m\t\r'" end
second line"
	checks 1 prolog_slurmd
	reason=$(field Reason)
	[ "${reason% #*}" = 'nic-health-monitor: FATAL: ?a? ?b? ? ?(id) ?id? ? ? ? ????31m?? end' ] || {
		echo "$reason" >&2
		return 1
	}
	verdict 0 "$HEALTHY"
	checks 0
	[ "$(field State)" = IDLE ]
	verdict 1 "nic-health-monitor: FATAL: $(printf '%05000d' 0)"
	checks 0
	[ "$(field Reason | wc -c)" -le 210 ]
}

@test "the script finds its programs even if slurmd sets no PATH" {
	verdict 1 "$FATAL"
	run --separate-stderr env -i PATH="$T/bin" SLURM_STATE="$SLURM_STATE" \
		SLURMD_NODENAME=n1 "$ROOT/dist/slurm/node-check"
	status_is 0
	[ "$(field State)" = IDLE+DRAIN ]
	# shellcheck disable=SC2016
	run --separate-stderr env -i SLURM_SCRIPT_CONTEXT=prolog_task SLURMD_NODENAME=n1 \
		/bin/sh -c 'unset PATH; . "$0"' "$ROOT/dist/slurm/node-check"
	status_is 64 '^nic-health-monitor: n1: only for HealthCheckProgram'
}

@test "in a context on another machine or as a user, the script exits 64" {
	local context
	verdict 1 "$FATAL"
	for context in prolog_slurmctld epilog_slurmctld prolog_task epilog_task prolog_srun; do
		checks 64 "$context"
		stderr_has "not for $context\$"
	done
	[ ! -s "$SLURM_STATE.calls" ]
}

# --- NHC ---

# nhc CODE ARGUMENT... - run the check as NHC does: sourced by bash, with globbing off and the IFS
# that another check left; die() returns only if all checks are to run
nhc() {
	local code=$1
	shift
	cat >"$T/nhc" <<-'END'
		set -f
		shopt -s expand_aliases extglob
		IFS=''
		function log() { echo "log: $*"; }
		function die() {
			echo "die: $1: ${*:2}"
			[[ -n "$NHC_CHECK_ALL" ]] || exit "$1"
			return 0
		}
		. "$SCRIPT"
		CHECK="check_nic_health $*"
		IFS=$' \t\n'
		eval $CHECK
		echo "returned $?"
	END
	SCRIPT=$ROOT/dist/nhc/nic_health_monitor.nhc run --separate-stderr bash "$T/nhc" "$@"
	status_is "$code"
	[ -z "$stderr" ]
}

@test "NHC: a port that is down fails the check with a text of port and cause" {
	a_node
	sim down mlx5_2/1
	nhc 1
	[[ $output = 'die: 1: nic-health-monitor: FATAL: Port mlx5_2 port 1: state DOWN, '* ]]
	[ "${#lines[@]}" -eq 1 ]
	NHC_CHECK_ALL=1 nhc 0
	[ "${lines[1]}" = 'returned 1' ]
}

@test "NHC: a healthy node passes silently, and a degraded one fails only on request" {
	verdict 0 "$HEALTHY"
	nhc 0
	[ "$output" = 'returned 0' ]
	verdict 2 "$DEGRADED"
	nhc 0
	[ "$output" = 'returned 0' ]
	nhc 1 degraded
	[ "$output" = "die: 1: $DEGRADED" ]
}

@test "NHC: unknown health, a failing shell and a hung check are logged and pass" {
	verdict 3 'nic-health-monitor: UNKNOWN: no RDMA devices'
	nhc 0
	[ "${lines[0]}" = 'log: check_nic_health: NIC health is unknown: nhm check exited with 3: nic-health-monitor: UNKNOWN: no RDMA devices' ]
	[ "${lines[1]}" = 'returned 0' ]
	for code in 1 2 78; do
		verdict "$code" 'no verdict'
		nhc 0 degraded
		[ "${lines[0]}" = "log: check_nic_health: NIC health is unknown: nhm check exited with $code" ]
	done
	printf '#!/bin/sh\nexec sleep 600\n' >"$T/bin/nhm"
	NIC_HEALTH_SECONDS=0.1 nhc 0
	[[ ${lines[0]} = 'log: '*' exited with 124' ]]
}

@test "NHC: the text of a fault is one bounded line without quotes and control characters" {
	verdict 1 "nic-health-monitor: FATAL: \"a\" 'b' \\ \$(id)"$'\e\t'"* end
second line"
	nhc 1
	[ "$output" = 'die: 1: nic-health-monitor: FATAL: ?a? ?b? ? ?(id)??? end' ]
	verdict 1 "nic-health-monitor: FATAL: $(printf '%05000d' 0)"
	nhc 1
	[ "${#output}" -eq 208 ]
}

# --- node-problem-detector ---

NPD=$ROOT/dist/node-problem-detector/nic-health-monitor.json

# npd_takes FILE - check that it has only keys that the node-problem-detector knows
# (CustomPluginConfig, pluginGlobalConfig, Condition and CustomRule; it ignores others silently),
# and that its Validate() accepts it
npd_takes() {
	jq -e '
		def seconds: capture("^(?<n>[0-9]+)s$").n | tonumber;
		def only($known): keys - $known == [];
		only(["plugin", "pluginConfig", "source", "conditions", "rules",
			"metricsReporting"])
		and (.pluginConfig | only(["invoke_interval", "timeout", "max_output_length",
			"concurrency", "enable_message_change_based_condition_update",
			"skip_initial_status"]))
		and (.conditions | all(only(["type", "status", "transition", "reason", "message"])))
		and (.rules | all(only(["type", "condition", "reason", "path", "args", "timeout",
			"invoke_interval"])))
		and .plugin == "custom"
		and (.pluginConfig.timeout | seconds) as $timeout
			| ([.conditions[].type]) as $types
			| .rules | length > 0 and all((.timeout | seconds) <= $timeout
				and .type == "permanent" and IN(.condition; $types[]))' "$1"
}

@test "node-problem-detector: the file has only known keys, and the check finds a misspelt one" {
	npd_takes "$NPD"
	local change
	for change in '.pluginConfig.interval = "1s"' '.rules[0].argv = []' '.rule = []' \
		'.conditions[0].name = "a"' '.rules[0].timeout = "21s"' \
		'.rules[0].condition = "x"'; do
		jq "$change" "$NPD" >"$T/changed.json"
		run npd_takes "$T/changed.json"
		[ "$status" -ne 0 ]
	done
}

# npd_runs EXIT-CODE - run the rule as the node-problem-detector does, with stdout cut to
# max_output_length; check its exit code
npd_runs() {
	local args
	mapfile -t args < <(jq -r '.rules[0].args[]' "$NPD")
	[ "$(jq -r '.rules[0].path' "$NPD")" = /usr/bin/niccheck ]
	run --separate-stderr nhm check "${args[@]}" --settle 0s
	status_is "$1"
	MESSAGE=${output:0:$(jq .pluginConfig.max_output_length "$NPD")}
}

@test "node-problem-detector: 0 is a healthy node, 1 a failing one with its port, 2 an unknown one" {
	a_node
	npd_runs 0
	sim down mlx5_2/1
	npd_runs 1
	[[ $MESSAGE = 'FATAL: Port mlx5_2 port 1: state DOWN'* ]]
	[ "$MESSAGE" = "$output" ]
	[ "${#lines[@]}" -eq 1 ]
	rm -r "$NODE/sys/class/infiniband"
	npd_runs 2
	[[ $MESSAGE = 'UNKNOWN: no RDMA devices'* ]]
}
