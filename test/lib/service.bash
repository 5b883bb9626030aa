# service - the whole service on a simulated node, as a node runs it: with state, a spool and
# NVSentinel's Platform Connector; and checks that nothing of it is left. Load after common and, for
# the connector, servers.
# shellcheck shell=bash
# shellcheck source=test/lib/http.bash
# SPDX-License-Identifier: Apache-2.0
source "${BASH_SOURCE[0]%/*}/http.bash"
# shellcheck source=test/lib/stages.bash
source "${BASH_SOURCE[0]%/*}/stages.bash"

T=$BATS_TEST_TMPDIR
CONNECTOR=$T/connector.sock
# The parent directory of the service's run/ (which a node's reboot removes) and var/ (which it does
# not), as the service and as the test see it.
FILES=$T
SEEN=$T
# Temporary files go here, apart from those of other processes.
export TMPDIR=$T/tmp
mkdir -p "$TMPDIR"
# A file's time is the kernel's last tick: without the second, a file made right afterwards may have
# the same time and would not be newer.
touch -d '1 second ago' "$T/began"

# node_options - set NODE_OPTIONS: options for a service that watches the simulated node and reads
# nothing of this machine
node_options() {
	NODE_OPTIONS=(--sysfs-root "$NODE/sys" --node-name gpu-1
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json"
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg")
}

# service_command OPTION... - set COMMAND: the service with state and spool and a scan every 100 ms,
# for the Platform Connector unless there is a --sink
service_command() {
	node_options
	COMMAND=(nic-health-monitor "${NODE_OPTIONS[@]}" --interval 100ms \
		--state-file "$FILES/run/state.json" --spool "$FILES/var/spool.db")
	# Let the kernel choose a free port, which the service logs: two services may run at once.
	COMMAND+=(--metrics-port 0 --metrics-address 127.0.0.1)
	[[ " $* " = *' --sink '* ]] || COMMAND+=(--platform-connector-socket "unix://$CONNECTOR")
	COMMAND+=("$@")
}

# start_service OPTION... - start it in the background; sets SERVICE
start_service() {
	service_command "$@"
	started service "${ON_DISK[@]}" "${STARTER[@]}" "${COMMAND[@]}"
	SERVICE=$PID
}
# A prefix for commands that use the small disk, if there is one.
ON_DISK=()
# A prefix for the service itself only.
STARTER=()

# launch_service OPTION... - start it and wait until the first scan was evaluated
launch_service() {
	start_service "$@"
	wait_until 30 says 'ctreval: note: counters available'
}

connect() { start_connector connector "unix:$CONNECTOR" --strict; }

# disconnect PID - kill the connector and remove its socket
disconnect() {
	kill -KILL "$1"
	wait_until 10 is_gone "$1"
	rm -f "$CONNECTOR"
}

# --- a disk that can be full ---

# small_disk - put the service's files on a disk of 2 MiB: a tmpfs in a mount namespace, if that is
# permitted; else in a directory, and `full` limits the size of files
small_disk() {
	local enter=()
	[ "$(id -u)" -eq 0 ] || enter=(--user --preserve-credentials)
	mkdir "$T/disk"
	FILES=$T/disk SEEN=$T/disk
	# shellcheck disable=SC2016 # for the inner shell
	started disk unshare --mount ${enter[0]:+--map-root-user} bash \
		-c 'mount -t tmpfs -o size=2m none "$0" && echo mounted && exec sleep 900' "$FILES"
	disk_is_there() { grep -q mounted "$T/disk.out" || is_gone "$PID"; }
	wait_until 20 disk_is_there
	is_running "$PID" || return 0
	ON_DISK=(nsenter --target "$PID" --mount "${enter[@]}" --)
	SEEN=/proc/$PID/root$FILES
}

# full, roomy - fill the disk, or make room again
full() {
	if [ ${#ON_DISK[@]} -gt 0 ]; then
		none dd if=/dev/zero of="$SEEN/ballast" bs=4096 status=none 2>"$T/full"
		grep -q 'No space left' "$T/full"
	else
		# This is more than the service's messages need, and less than its files.
		each_process prlimit --fsize=4096: --pid
	fi
}
roomy() {
	rm -f "$SEEN/ballast"
	[ ${#ON_DISK[@]} -gt 0 ] || each_process prlimit \
		--fsize="$(prlimit --pid "$SERVICE" --fsize --output HARD --noheadings):" --pid
}

# each_process COMMAND... PID - run the command for the service, whose stages inherit from it, and
# for each of its stages
each_process() {
	local pid
	for pid in "$SERVICE" $(stages); do
		"$@" "$pid"
	done
}

# --- the service's state ---

# says REGEX [N] - return success if at least N lines of the service's and the stages' stderr match
says() { has_lines "${2:-1}" "$T/service.err" "$1"; }

# replace STAGE - put the script on stdin in place of a stage in $PROGRAMS, the test's directory
# that the service runs from
replace() {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	{
		echo '#!/bin/bash'
		cat
	} >"$PROGRAMS/$1.new"
	chmod +x "$PROGRAMS/$1.new"
	mv "$PROGRAMS/$1.new" "$PROGRAMS/$1"
}

# at_service PATH - print the response of its HTTP server: the status in the first line, then the
# body
at_service() {
	local answer said
	said=$(<"$T/service.err")
	[[ $said =~ (^|$'\n')nic-health-monitor:\ note:\ metrics:\ listening\ on\ ([^$'\n']+) ]] ||
		return
	answer=$(fetch "${BASH_REMATCH[2]}" "$1") && [[ $answer = *$'\r\n\r\n'* ]] || return
	said=${answer%%$'\r'*}
	said=${said#* }
	printf '%s\n%s\n' "${said%% *}" "${answer#*$'\r\n\r\n'}"
}

# answers STATUS PATH [REGEX] - return success if its HTTP server responds so, with a body that
# matches
answers() {
	local answer
	answer=$(at_service "$2") && [ "${answer%%$'\n'*}" = "$1" ] || return
	[ -z "${3-}" ] || grep -q -E -- "$3" <<<"$answer"
}

# healthy, unhealthy REASON - return success if /healthz says so
healthy() { answers 200 /healthz; }
unhealthy() { answers 503 /healthz "$1"; }

# metric NAME{LABELS} - print its value, or nothing; LABELS are those after `node`
metric() {
	local family=${1%%\{*} labels=''
	[[ $1 != *\{* ]] || labels=,${1#*\{} labels=${labels%\}}
	at_service /metrics | awk -v name="$family{node=\"gpu-1\"$labels}" '$1 == name { print $2 }'
}

# in_spool SQL - print the result of a query on its spool
in_spool() { "${ON_DISK[@]}" sqlite3 -readonly -cmd '.timeout 5000' "$FILES/var/spool.db" \
	"$1" 2>/dev/null; }

# spooled N SQL-CONDITION - return success if at least N such events are in the spool
spooled() {
	local count
	count=$(in_spool "SELECT count(*) FROM event WHERE $2") && [ "${count:-0}" -ge "$1" ]
}

# arrived N REGEX - return success if at least N events with such a message were accepted, counting
# each id once. REGEX has no anchors.
arrived() { may_have_arrived "$@" && [ "$(count_accepted "$2")" -ge "$1" ]; }

# count_accepted REGEX - print how many events with such a message were accepted, counting each id
# once, without those of correlate, which repeat other events' messages. Callers poll, so it matches
# the lines as text and parses no JSON.
count_accepted() {
	[ -e "$T/connector.log" ] || { echo 0 && return; }
	between_files <"$T/connector.log" | REGEX=$1 awk '
		index($0, "{\"kind\": \"event\",") == 1 && !index($0, "health-events-analyzer") &&
				match($0, /"answer": "OK", "id": "[^"]*"/) {
			id = substr($0, RSTART, RLENGTH)
			if (id in seen || !match($0, /"message": "[^"]*"/))
				next
			if (substr($0, RSTART + 12, RLENGTH - 13) ~ ENVIRON["REGEX"]) {
				seen[id]
				count++
			}
		}
		END { print count + 0 }'
}

# may_have_arrived N REGEX - return success if N lines of the connector's log match: a cheap check
# before the one that takes the lines apart
may_have_arrived() { has_lines "$1" "$T/connector.log" "${2//state DOWN/state (DOWN|ACTIVE)}"; }

# complaint N - print a unique line for the kernel's log. At most ten lines have the same function,
# since more than ten a minute would not all be events.
complaint() {
	printf 'mlx5_core 0000:%02x:00.0: wait_func:1176:(pid %d): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource\n' $((0x18 + $1 / 10)) "$1"
}

# complaints_are COUNT - check that the connector has accepted exactly these lines, each once and in
# order, after the baseline reset
complaints_are() {
	local number
	diff <(accepted 'select(.checkName == "SysLogsNICDriverError").message') <(
		echo 'Baseline reset: earlier conditions of SysLogsNICDriverError on this node are cleared'
		for ((number = 1; number <= $1; number++)); do complaint "$number"; done
	) >&2
}

# accepted [JQ-FILTER] - print the filter's result for the events that the connector has accepted,
# in order of arrival, each id once, with messages changed as by between_files. correlate's events
# are left out, since they depend on the duration of a test.
accepted() { all_accepted "select(.agent != \"health-events-analyzer\") | ${1:-.}"; }
all_accepted() {
	[ -e "$T/connector.log" ] || return 0
	# Ignore a line that is still being written.
	jq -n -R -c -r --arg between "$BETWEEN" --arg down "$DOWN" '
		[inputs | fromjson? | select(.kind == "event" and .answer == "OK") | .event.id = .id
		| .event]
		| to_entries | unique_by(.value.id) | sort_by(.key) | .[].value
		| .message |= (split($between) | join($down)) | '"${1:-.}" "$T/connector.log"
}

# between_files - filter: replace the message of a scan that came between the simulator's two files
# of a port going down by the usual one
between_files() { sed "s/$BETWEEN/$DOWN/"; }
BETWEEN='state ACTIVE, phys_state Disabled'
DOWN='state DOWN, phys_state Disabled'

# acknowledged - return success if the spool has all of ctreval's events
acknowledged() {
	jq -e --slurpfile acks "$SEEN/run/acks.json" \
		'$acks[0].acks as $acks | has("outbox")
			and all(.outbox[]; .seq <= ($acks[.source] // 0))' \
		"$SEEN/run/state.json" >/dev/null
} 2>/dev/null

# all_delivered - return success if every event is stored and every stored event has arrived
all_delivered() {
	acknowledged && may_have_arrived "$(in_spool 'SELECT count(*) FROM event')" \
		'^{"kind": "event",' &&
		diff <(in_spool 'SELECT id FROM event ORDER BY id') <(received connector | sort \
		-u) >/dev/null
}

# --- final checks ---

# stopped [SECONDS] - stop the service; check that no stage and only its permanent files are left
stopped() {
	local living patterns=(run/correlate.json run/correlate{,/correlate.json{,.lock}})
	[[ " ${COMMAND[*]} " != *' --rules  '* ]] || patterns=()
	# Compare start times, too: another process may have got the same process id.
	living=$(ps -o pid=,lstart=,comm= --ppid "$SERVICE" | sort)
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE" "${1:-20}"
	diff /dev/null <(comm -12 <(cat <<<"$living") <(ps -e -o pid=,lstart=,comm= | sort)) >&2
	diff <(cd "$SEEN" && find run var | sort) <(printf '%s\n' \
		run run/{acks,logmatch,state}.json run/ctreval{,/state.json{,.lock}} \
		run/emit{,/acks.json} run/logmatch{,/logmatch.json{,.lock}} "${patterns[@]}" \
		var var/spool.db{,.lock} | sort) >&2
}

# complete - check that every event in the spool has arrived, that the first arrivals of each source
# are in order and without a gap, that the spool has no event twice, and that repeated events were
# equal
complete() {
	diff <(in_spool 'SELECT id FROM event ORDER BY id') <(received connector | sort -u) >&2
	local source
	for source in $(in_spool 'SELECT DISTINCT source FROM event'); do
		diff <(all_accepted "select(.id | startswith(\"$source-\")).id" | sed 's/.*-//') \
			<(seq "$(in_spool "SELECT count(*) FROM event WHERE source = '$source'")") \
			>&2
	done
	[ "$(in_spool "SELECT count(*) = count(DISTINCT source || '-' || seq) FROM event")" -eq 1 ]
	logged connector 'select(.kind == "event" and .answer == "OK") | .event.id = .id | .event' |
		jq -c -S . | sort -u >"$T/contents"
	[ -z "$(jq -r .id "$T/contents" | sort | uniq -d)" ] || {
		grep -F -f <(jq -r .id "$T/contents" | sort | uniq -d) "$T/contents" >&2
		return 1
	}
}

# none_twice - check that no event has arrived more than once: no process died between the
# connector's response and recording it
none_twice() { [ -z "$(received connector | sort | uniq -d)" ]; }

# --- leftovers ---

# nothing_left - for teardown(): end everything that the test has started; check that no process and
# no file outside of the test's directory is left
nothing_left() {
	local status=0
	end_background
	nothing_survives || status=1
	wait_until 5 nothing_lies_about || {
		lying_about >&2
		status=1
	}
	return "$status"
}

nothing_lies_about() { [ -z "$(lying_about)" ]; }

# lying_about - list temporary files, sockets with a listener, and files with our name in shared
# places: shared memory and the default directories. (Only by name, because other programs make
# files there meanwhile.)
lying_about() {
	find "$TMPDIR" -mindepth 1
	find /dev/shm /tmp /var/tmp /run /var/run/. /var/lib -mindepth 1 -maxdepth 1 \( \
		-iname '*nic[-_]health*' -o -name 'etilqs_*' \) -newer "$T/began"
	grep -F "$T/" /proc/net/unix
}

# what_is_there - print the service's state after a failed test
what_is_there() {
	cat "$T/service.err" "$SEEN/run/acks.json"
	jq -c 'del(.counter_snapshots)' "$SEEN/run/state.json"
	ls -l "$SEEN/run" "$SEEN/var"
	in_spool 'SELECT number, source, seq, message FROM event ORDER BY number DESC LIMIT 12; SELECT * FROM source; SELECT * FROM sink'
	[ -z "${SERVICE-}" ] || ps -o pid,etimes,stat,args --ppid "$SERVICE"
}
