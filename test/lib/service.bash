# service - the whole service on a simulated node, as a node runs it: with state, a spool and
# NVSentinel's Platform Connector; and whether anything of it is left. After common and, for the
# connector and what it has got, servers.
# shellcheck shell=bash
# shellcheck source=test/lib/http.bash
# SPDX-License-Identifier: Apache-2.0
source "${BASH_SOURCE[0]%/*}/http.bash"
# shellcheck source=test/lib/stages.bash
source "${BASH_SOURCE[0]%/*}/stages.bash"

T=$BATS_TEST_TMPDIR
CONNECTOR=$T/connector.sock
# Where the service has run/ (on a node it is gone after a reboot) and var/ (it is not), and where
# they are to be found from here.
FILES=$T
SEEN=$T
# Whatever makes temporary files makes them here, where they can be told from everybody else's.
export TMPDIR=$T/tmp
mkdir -p "$TMPDIR"
# A file has the time of the kernel's last tick: one made at once after this may have the same,
# and would not be newer.
touch -d '1 second ago' "$T/began"

# node_options - sets NODE_OPTIONS: what a service that watches the simulated node is started
# with, so that it sees nothing of this machine.
node_options() {
	NODE_OPTIONS=(--sysfs-root "$NODE/sys" --node-name gpu-1
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json"
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg")
}

# service_command OPTION... - sets COMMAND: the service with state and spool, and a look every 100
# ms, for the Platform Connector unless a --sink says otherwise.
service_command() {
	node_options
	COMMAND=(nic-health-monitor "${NODE_OPTIONS[@]}" --interval 100ms \
		--state-file "$FILES/run/state.json" --spool "$FILES/var/spool.db")
	# One that is free, and said: two services at once have two.
	COMMAND+=(--metrics-port 0 --metrics-address 127.0.0.1)
	[[ " $* " = *' --sink '* ]] || COMMAND+=(--platform-connector-socket "unix://$CONNECTOR")
	COMMAND+=("$@")
}

# start_service OPTION... - in the background. Sets SERVICE.
start_service() {
	service_command "$@"
	started service "${ON_DISK[@]}" "${STARTER[@]}" "${COMMAND[@]}"
	SERVICE=$PID
}
# What makes the service see the small disk, if there is one.
ON_DISK=()
# And what starts only the service itself.
STARTER=()

# launch_service OPTION... - and waits until the first scan has been judged.
launch_service() {
	start_service "$@"
	wait_until 30 says 'ctreval: note: counters available'
}

connect() { start_connector connector "unix:$CONNECTOR" --strict; }

# disconnect - the connector, PID of which is given, is gone, and so is its socket.
disconnect() {
	kill -KILL "$1"
	wait_until 10 is_gone "$1"
	rm -f "$CONNECTOR"
}

# --- a disk that can be full ---

# small_disk - what the service keeps is on a disk of 2 MiB: a tmpfs in a mount namespace of its
# own, where such a thing may be made; else in a directory, and `full` limits
# the size of files.
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

# full, roomy - there is no room on it, or there is again.
full() {
	if [ ${#ON_DISK[@]} -gt 0 ]; then
		none dd if=/dev/zero of="$SEEN/ballast" bs=4096 status=none 2>"$T/full"
		grep -q 'No space left' "$T/full"
	else
		# More than the messages of the service are, less than its files.
		each_process prlimit --fsize=4096: --pid
	fi
}
roomy() {
	rm -f "$SEEN/ballast"
	[ ${#ON_DISK[@]} -gt 0 ] || each_process prlimit \
		--fsize="$(prlimit --pid "$SERVICE" --fsize --output HARD --noheadings):" --pid
}

# each_process COMMAND... PID - for that of the service, whose stages inherit from it, and for
# those of its stages.
each_process() {
	local pid
	for pid in "$SERVICE" $(stages); do
		"$@" "$pid"
	done
}

# --- how it is ---

# says REGEX [N] - the service or a stage has said so, in at least N lines.
says() { has_lines "${2:-1}" "$T/service.err" "$1"; }

# replace STAGE - puts a script, from stdin, in the place of a stage in $PROGRAMS, a directory of
# the test's own, where the service is too.
replace() {
	# Confined, the service starts its own programs, and no script.
	export NHM_CONFINE=off
	{
		echo '#!/bin/bash'
		cat
	} >"$PROGRAMS/$1.new"
	chmod +x "$PROGRAMS/$1.new"
	mv "$PROGRAMS/$1.new" "$PROGRAMS/$1"
}

# at_service PATH - what its HTTP server answers: the status in the first line, then the text.
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

# answers STATUS PATH [REGEX] - its HTTP server does, with a text that has that.
answers() {
	local answer
	answer=$(at_service "$2") && [ "${answer%%$'\n'*}" = "$1" ] || return
	[ -z "${3-}" ] || grep -q -E -- "$3" <<<"$answer"
}

# healthy, unhealthy REASON - that is what /healthz says.
healthy() { answers 200 /healthz; }
unhealthy() { answers 503 /healthz "$1"; }

# metric NAME{LABELS} - its value; nothing when it has none. Of the labels, those behind `node`.
metric() {
	local family=${1%%\{*} labels=''
	[[ $1 != *\{* ]] || labels=,${1#*\{} labels=${labels%\}}
	at_service /metrics | awk -v name="$family{node=\"gpu-1\"$labels}" '$1 == name { print $2 }'
}

# in_spool SQL - as lines.
in_spool() { "${ON_DISK[@]}" sqlite3 -readonly -cmd '.timeout 5000' "$FILES/var/spool.db" \
	"$1" 2>/dev/null; }

# spooled N SQL-CONDITION - at least so many events of that sort are in the spool.
spooled() {
	local count
	count=$(in_spool "SELECT count(*) FROM event WHERE $2") && [ "${count:-0}" -ge "$1" ]
}

# arrived N REGEX - so many events with such a message have been accepted, each id counted once.
# REGEX has no anchors.
arrived() { may_have_arrived "$@" && [ "$(count_accepted "$2")" -ge "$1" ]; }

# count_accepted REGEX - how many events with such a message have been accepted, each id counted
# once, but for those of correlate, which have the messages of others in theirs. Callers that wait
# ask often, so it looks at the lines as text and parses no JSON.
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

# may_have_arrived N REGEX - so many lines of the connector's log have that: a cheap look, before
# the one that takes the lines apart.
may_have_arrived() { has_lines "$1" "$T/connector.log" "${2//state DOWN/state (DOWN|ACTIVE)}"; }

# complaint N - a line of the kernel's log, different from all others. At most ten are about one
# function, because of more within a minute not each would be an event.
complaint() {
	printf 'mlx5_core 0000:%02x:00.0: wait_func:1176:(pid %d): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource\n' $((0x18 + $1 / 10)) "$1"
}

# complaints_are COUNT - just these the connector has accepted, each once and in order, behind
# what a new node is told.
complaints_are() {
	local number
	diff <(accepted 'select(.checkName == "SysLogsNICDriverError").message') <(
		echo 'Baseline reset: earlier conditions of SysLogsNICDriverError on this node are cleared'
		for ((number = 1; number <= $1; number++)); do complaint "$number"; done
	) >&2
}

# accepted [JQ-FILTER] - over the events that the connector has accepted, in the order they came,
# each id once; a message is as between_files makes it. Not those of correlate, which depend on how
# long a test takes.
accepted() { all_accepted "select(.agent != \"health-events-analyzer\") | ${1:-.}"; }
all_accepted() {
	[ -e "$T/connector.log" ] || return 0
	# A line that is being written is none yet.
	jq -n -R -c -r --arg between "$BETWEEN" --arg down "$DOWN" '
		[inputs | fromjson? | select(.kind == "event" and .answer == "OK") | .event.id = .id
		| .event]
		| to_entries | unique_by(.value.id) | sort_by(.key) | .[].value
		| .message |= (split($between) | join($down)) | '"${1:-.}" "$T/connector.log"
}

# between_files - as a filter of text: what is said about a port when a look came between the two
# files by which the simulator takes it down, as in all other cases.
between_files() { sed "s/$BETWEEN/$DOWN/"; }
BETWEEN='state ACTIVE, phys_state Disabled'
DOWN='state DOWN, phys_state Disabled'

# acknowledged - what ctreval keeps is in the spool: it keeps that only until it is delivered.
acknowledged() {
	jq -e --slurpfile acks "$SEEN/run/acks.json" \
		'$acks[0].acks as $acks | has("outbox")
			and all(.outbox[]; .seq <= ($acks[.source] // 0))' \
		"$SEEN/run/state.json" >/dev/null
} 2>/dev/null

# all_delivered - every event that was decided is stored, and every one that is stored has arrived.
all_delivered() {
	acknowledged && may_have_arrived "$(in_spool 'SELECT count(*) FROM event')" \
		'^{"kind": "event",' &&
		diff <(in_spool 'SELECT id FROM event ORDER BY id') <(received connector | sort \
		-u) >/dev/null
}

# --- what must hold ---

# stopped [SECONDS] - the service ends in order, no stage of it is left, and of its files just
# those that it keeps.
stopped() {
	local living patterns=(run/correlate.json run/correlate{,/correlate.json{,.lock}})
	[[ " ${COMMAND[*]} " != *' --rules  '* ]] || patterns=()
	# With when they began: another process may have got the number of one that has ended.
	living=$(ps -o pid=,lstart=,comm= --ppid "$SERVICE" | sort)
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE" "${1:-20}"
	diff /dev/null <(comm -12 <(cat <<<"$living") <(ps -e -o pid=,lstart=,comm= | sort)) >&2
	diff <(cd "$SEEN" && find run var | sort) <(printf '%s\n' \
		run run/{acks,logmatch,state}.json run/ctreval{,/state.json{,.lock}} \
		run/emit{,/acks.json} run/logmatch{,/logmatch.json{,.lock}} "${patterns[@]}" \
		var var/spool.db{,.lock} | sort) >&2
}

# complete - every event that is in the spool has arrived, and in each source first arrivals are
# in order, without a hole; none is in the spool twice, and one that came twice was the
# same both times.
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

# none_twice - no event has arrived more than once: nobody died between the connector's answer and
# noting it.
none_twice() { [ -z "$(received connector | sort | uniq -d)" ]; }

# --- afterwards ---

# nothing_left - for teardown(): what the test has started is ended; none of it is left, nor what
# it may have put anywhere outside the test's directory.
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

# lying_about - temporary files, sockets that somebody still listens at, and what has our name in
# the places that are everybody's: shared memory, files in the default directories.
# (Only by name, because others make files there meanwhile.)
lying_about() {
	find "$TMPDIR" -mindepth 1
	find /dev/shm /tmp /var/tmp /run /var/run/. /var/lib -mindepth 1 -maxdepth 1 \( \
		-iname '*nic[-_]health*' -o -name 'etilqs_*' \) -newer "$T/began"
	grep -F "$T/" /proc/net/unix
}

# what_is_there - for whoever has to find out why a test failed.
what_is_there() {
	cat "$T/service.err" "$SEEN/run/acks.json"
	jq -c 'del(.counter_snapshots)' "$SEEN/run/state.json"
	ls -l "$SEEN/run" "$SEEN/var"
	in_spool 'SELECT number, source, seq, message FROM event ORDER BY number DESC LIMIT 12; SELECT * FROM source; SELECT * FROM sink'
	[ -z "${SERVICE-}" ] || ps -o pid,etimes,stat,args --ppid "$SERVICE"
}
