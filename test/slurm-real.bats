#!/usr/bin/env bats
# slurm-real: dist/slurm/node-check with Debian's slurmctld, slurmd and munged on this machine, for
# one simulated node.
# shellcheck disable=SC2154 # bats sets output and stderr
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/http

setup() {
	T=$BATS_TEST_TMPDIR
	export SLURM_CONF=$T/slurm.conf
}

teardown() {
	end_background
	# A check that slurmd started does not belong to this test's processes.
	wait_until 60 none pgrep -f "$T/node-check"
	nothing_survives
}

# start_slurm SECONDS - start the three daemons with all files in the test's directory, with that
# HealthCheckInterval (0: none) and the script as Prolog, too
start_slurm() {
	local host
	host=$(hostname)
	node l40s-onprem
	mkdir -m 755 "$T"/{run,state,spool}
	mkdir -m 700 "$T/munge"
	(umask 077 && head -c 1024 /dev/urandom >"$T/munge/key")
	started munged munged --foreground --force --key-file="$T/munge/key" \
		--socket="$T/run/munge" --pid-file="$T/munge/pid" --log-file="$T/munge/log" \
		--seed-file="$T/munge/seed"
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$(free_port)
		SlurmdPort=$(free_port)
		SlurmUser=root
		AuthInfo=socket=$T/run/munge
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		MpiDefault=none
		StateSaveLocation=$T/state
		SlurmdSpoolDir=$T/spool
		SlurmctldPidFile=$T/run/slurmctld.pid
		SlurmdPidFile=$T/run/slurmd.pid
		HealthCheckInterval=$1
		HealthCheckNodeState=ANY
		HealthCheckProgram=$T/node-check
		Prolog=$T/node-check
		PrologFlags=Alloc
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
		PartitionName=p Nodes=ALL Default=YES State=UP
	END
	# Wrap the script: set the simulated node's paths and record the exit codes.
	cat >"$T/node-check" <<-END
		#!/bin/sh
		export PATH='$NHM_BIN' SLURM_CONF='$SLURM_CONF' NHM_ROOT='$NODE' NHM_SLURM_SETTLE=0s
		'$ROOT/dist/slurm/node-check' 2>>'$T/said'
		code=\$?
		echo "\${SLURM_SCRIPT_CONTEXT:-health check} \$code" >>'$T/ended'
		exit "\$code"
	END
	chmod +x "$T/node-check"
	: >"$T/ended"
	wait_until 20 test -S "$T/run/munge"
	started slurmctld slurmctld -D
	started slurmd slurmd -D -N n1
	wait_until 60 node_is IDLE
}

state() { scontrol show node n1 2>/dev/null | sed -n 's/^   State=\([^ ]*\).*/\1/p'; }
reason() { scontrol show node n1 | sed -n 's/^   Reason=\(.*\) \[root@.*/\1/p'; }
node_is() { [ "$(state)" = "$1" ]; }

# stays STATE REASON - check that both hold after two more health checks, the second of which
# started since
stays() {
	wait_until 30 has_lines "$(($(wc -l <"$T/ended") + 2))" "$T/ended"
	node_is "$1"
	[ "$(reason)" = "$2" ]
}

OURS='^nic-health-monitor: FATAL: Port mlx5_2 port 1: state DOWN, phys_state Disabled .* #[0-9]+$'

@test "a health check drains a node with a port down and undrains it, and leaves humans' drains and reasons alone" {
	local ours
	start_slurm 1
	sim down mlx5_2/1
	wait_until 30 node_is IDLE+DRAIN
	[[ $(reason) =~ $OURS ]]
	ours=$(reason)
	stays IDLE+DRAIN "$ours"
	sim up mlx5_2/1
	wait_until 30 node_is IDLE
	[ -z "$(reason)" ]
	none grep -v '^health check 0$' "$T/ended"

	scontrol update nodename=n1 state=drain reason='bad fan, Jo'
	stays IDLE+DRAIN 'bad fan, Jo'
	sim down mlx5_2/1
	stays IDLE+DRAIN 'bad fan, Jo'
	scontrol update nodename=n1 state=resume
	wait_until 30 node_is IDLE+DRAIN
	[[ $(reason) =~ $OURS ]]
	scontrol update nodename=n1 reason="$ours, Jo orders a cable"
	sim up mlx5_2/1
	stays IDLE+DRAIN "$ours, Jo orders a cable"
}

@test "a Prolog keeps a job off a node with a port down and drains it with this reason instead of slurmd's" {
	start_slurm 0
	timeout 30 srun true
	sim down mlx5_2/1
	run timeout 30 srun true
	[ "$status" -ne 0 ]
	wait_until 30 node_is IDLE+DRAIN
	[[ $(reason) =~ $OURS ]]
	[ "$(cat "$T/ended")" = 'prolog_slurmd 0
prolog_slurmd 1' ]
}
