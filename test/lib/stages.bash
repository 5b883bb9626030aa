# stages - the running processes of the service $SERVICE.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# PF_EXITING of the kernel, in the flags of /proc/PID/stat, see proc_pid_stat(5).
EXITING=$((0x4))

# children PID - set CHILDREN to its child processes and NAMES to their names, without starting a
# process, since callers poll. Exiting processes are left out: pre-flight kills its trial ibscan,
# and one with a large memory takes a while to exit.
children() {
	local tasks task some pid stat fields
	CHILDREN=() NAMES=()
	tasks=(/proc/"$1"/task/*/children)
	for task in "${tasks[@]}"; do
		some=()
		{ read -r -a some <"$task"; } 2>/dev/null || true
		for pid in "${some[@]}"; do
			stat=
			{ read -r stat <"/proc/$pid/stat"; } 2>/dev/null || true
			# state, ppid, pgrp, session, tty, its group, flags
			read -r -a fields <<<"${stat##*) }"
			if [ -z "${fields[6]-}" ] || ((fields[6] & EXITING)); then
				continue
			fi
			stat=${stat#*(}
			CHILDREN+=("$pid") NAMES+=("${stat%)*}")
		done
	done
}

# stages - print the process ids of all stages
stages() {
	children "$SERVICE"
	printf '%s\n' "${CHILDREN[@]}"
}

# stage NAME [SERVICE] - print its process id; fail if it does not run
stage() {
	local i status=1
	children "${2:-$SERVICE}"
	for i in "${!CHILDREN[@]}"; do
		[ "${NAMES[i]}" != "$1" ] || { echo "${CHILDREN[i]}" && status=0; }
	done
	return "$status"
}

# stage_is_back NAME OLD-PID - return success if another process has replaced it
stage_is_back() {
	local pid
	pid=$(stage "$1") && [ "$pid" != "$2" ]
}

# all_stages_run - return success if all of STAGES, which the test file sets, run
all_stages_run() {
	local name
	for name in "${STAGES[@]}"; do
		stage "$name" >/dev/null || return 1
	done
}
