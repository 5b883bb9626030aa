# guest - what the tests in a virtual machine use: soft RoCE devices as new, the service on them,
# what the kernel and its own tools say.
# shellcheck shell=bash
# shellcheck disable=SC2034 # for service.bash
# SPDX-License-Identifier: Apache-2.0

load ../lib/common
load ../lib/service

# The paths of a node are those of the machine itself.
NODE=''
EVENTS=$T/events

# sleep SECONDS - without a process, of which each takes some 25 ms of the one processor that there
# is. (Nobody ever writes into that pipe.)
exec {NEVER}<> <(:)
sleep() { read -r -t "$1" -u "$NEVER" || true; }

# new_devices - as the machine had them when it began, with counters that stand at 0, and they are
# up.
new_devices() {
	new-devices
	wait_until 20 all_active
}
all_active() {
	local file is
	for file in /sys/class/infiniband/rxe{0,1}/ports/1/state \
		/sys/class/net/eth{0,1}/operstate; do
		read -r is 2>/dev/null <"$file" && [[ $is = '4: ACTIVE' || $is = up ]] || return 1
	done
}

# port_is DEVICE STATE PHYS_STATE - so the kernel says.
port_is() { [ "$(</sys/class/infiniband/"$1"/ports/1/state)" = "$2" ] &&
	[ "$(</sys/class/infiniband/"$1"/ports/1/phys_state)" = "$3" ]; }

# configure [YAML-LINE]... - soft RoCE is not mlx5: it is watched because the configuration says so.
# shellcheck disable=SC2120 # the tests give it some
configure() { printf '%s\n' 'nicInclusionRegexOverride: "^(rxe|renamed)"' "$@" >"$T/config.yaml"; }

# watch OPTION... - starts the service, and returns when all that is to be said of a first scan has
# arrived. Sets SEEN_BEFORE.
watch() {
	# shellcheck disable=SC2119
	[ -e "$T/config.yaml" ] || configure
	launch_service --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms "$@"
	wait_until 30 arrived_all
	from_now
}
# from_now - later events are the new ones.
from_now() { SEEN_BEFORE=$(in_file | wc -l); }
# A file does not get the healthy events of a baseline, and is not there before the first that it
# gets.
in_file() { [ ! -e "$EVENTS" ] || cat "$EVENTS"; }
arrived_all() { acknowledged && [ \
	"$(in_spool 'SELECT count(*) > 0 AND max(number) <= (SELECT min(position) FROM sink) FROM event')" = 1 ]; }

# new_events - those since, a line each: fatal, healthy or other, and the message. A host that gives
# this machine no time for a second makes every reader late, and that is said, truly: it is left out
# when it is over.
new_events() {
	in_file | tail -n "+$((SEEN_BEFORE + 1))" |
		jq -r '(if .isHealthy then "healthy" elif .isFatal then "fatal"
			else "other" end) + ": " + .message' |
		awk '{ line[NR] = $0 }
			/^other: NIC [^ ]+ cannot be read \(timeout\)$/ { late[$3] = NR; next }
			/^healthy: NIC [^ ]+ can be read again$/ && $3 in late {
				left_out[late[$3]] = left_out[NR] = 1
				delete late[$3]
			}
			END { for (i = 1; i <= NR; i++) if (!(i in left_out)) print line[i] }'
}

# new_event N - so many there are, at least, of those that are not left out.
new_event() {
	local lines line seen=0
	[ -e "$EVENTS" ] || return 1
	mapfile -t -s "$SEEN_BEFORE" lines <"$EVENTS"
	for line in "${lines[@]}"; do
		[[ $line = *' cannot be read (timeout)"'* || $line = *' can be read again"'* ]] ||
			seen=$((seen + 1))
	done
	[ "$seen" -ge "$1" ]
}

# events_are LINE... - just these, in this order, and after two more scans nothing has come behind
# them.
events_are() {
	wait_until 30 new_event $# || true
	scans_pass 2
	diff <(new_events) <([ $# -eq 0 ] || printf '%s\n' "$@") >&2
}

# scans_pass N - so many scans have been read and judged, from beginning to end, since now.
scans_pass() {
	local before
	before=$(scans_made)
	wait_until 30 scans_made_beyond $((before + $1 + 1))
	wait_until 30 arrived_all
}
scans_made() {
	wget -q -O - "http://$(sed -n 's/^nic-health-monitor: note: metrics: listening on //p' \
		"$T/service.err")/metrics" |
		awk '$1 ~ /^nic_health_monitor_scans_evaluated_total/ { print $2; found = 1 } END { exit !found }'
}
# unseen COMMAND... - what that does is not looked at before it is done.
unseen() {
	local scanner
	scanner=$(stage ibscan)
	kill -STOP "$scanner"
	"$@"
	kill -CONT "$scanner"
}
scans_made_beyond() {
	local made
	made=$(scans_made) && [ "$made" -ge "$1" ]
}

UP='healthy (ACTIVE, LinkUp)'
DOWN='state DOWN, phys_state Disabled, operstate down'
UNPLUGGED='state DOWN, phys_state Polling, operstate lowerlayerdown'

# no_complaint - the kernel has not said, since `dmesg --clear`, that anything was wrong with a
# program or with itself.
no_complaint() {
	dmesg >"$T/dmesg"
	none grep -E -i 'segfault|traps:|audit|denied|WARNING|BUG:|Call Trace|blocked for more|out of memory|syscall|capability|deprecated' "$T/dmesg"
}

# inject PARAMETER... - the kernel's RDMA core is given that event, as by the driver of rxe0. The
# module never stays.
inject() { none insmod /lib/ibinject.ko device=rxe0 "$@" 2>"$T/insmod" && grep -q 'temporarily' \
	"$T/insmod"; }

# traffic - a few hundred packets from rxe0 to itself, and all of them have arrived when it returns.
traffic() {
	started pong ibv_rc_pingpong -d rxe0 -g 1 -n 100
	local server=$PID
	listens() { grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; }
	wait_until 20 listens
	ibv_rc_pingpong -d rxe0 -g 1 -n 100 10.0.0.1 >/dev/null
	ends_with 0 "$server"
}
