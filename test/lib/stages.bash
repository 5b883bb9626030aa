# stages - which processes of the service $SERVICE run.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# PF_EXITING of the kernel, in the flags of /proc/PID/stat, see proc_pid_stat(5).
EXITING=$((0x4))

# children PID - sets CHILDREN to its processes and NAMES to what they are called, by reading
# alone: this is asked again and again. Those that end are not among them: pre-flight kills the
# ibscan that it has tried, and one with a large memory takes a while.
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

# stages - the pids of all that run.
stages() {
	children "$SERVICE"
	printf '%s\n' "${CHILDREN[@]}"
}

# stage NAME [SERVICE] - its pid; fails when it is not running.
stage() {
	local i status=1
	children "${2:-$SERVICE}"
	for i in "${!CHILDREN[@]}"; do
		[ "${NAMES[i]}" != "$1" ] || { echo "${CHILDREN[i]}" && status=0; }
	done
	return "$status"
}

# stage_is_back NAME OLD-PID - another process has that place.
stage_is_back() {
	local pid
	pid=$(stage "$1") && [ "$pid" != "$2" ]
}

# all_stages_run - those of STAGES, which the test file sets.
all_stages_run() {
	local name
	for name in "${STAGES[@]}"; do
		stage "$name" >/dev/null || return 1
	done
}
