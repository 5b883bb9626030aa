# guest - what the tests in a virtual machine use: soft RoCE devices as new, the service on them, what the kernel and its own tools say.
# shellcheck shell=bash
# shellcheck disable=SC2034 # for service.bash

load ../lib/common
load ../lib/service

# The paths of a node are those of the machine itself.
NODE=''
EVENTS=$T/events

# sleep SECONDS - without a process, of which each takes some 25 ms of the one processor that there is. (Nobody ever writes into that pipe.)
exec {NEVER}<> <(:)
sleep() { read -r -t "$1" -u "$NEVER" || true; }

# new_devices - rxe0 and rxe1 on eth0 and eth1, as vm makes them, with counters that stand at 0, whatever a test has done.
new_devices() {
	local i name
	for name in /sys/class/infiniband/*; do
		[ ! -e "$name" ] || echo "link delete ${name##*/}"
	done >"$T/rdma"
	rdma -b "$T/rdma"
	for i in 0 1; do
		[ ! -e "/sys/class/net/eth$i" ] || echo "link delete eth$i"
		printf '%s\n' "link add eth$i address 02:00:00:00:0$i:01 type veth peer name cable$i address 02:00:00:00:0$i:02" \
			"link set cable$i up" "link set eth$i up" "address add 10.0.$i.1/24 dev eth$i"
	done >"$T/ip"
	ip -batch "$T/ip"
	printf 'link add rxe%s type rxe netdev eth%s\n' 0 0 1 1 >"$T/rdma"
	rdma -b "$T/rdma"
	wait_until 20 all_active
}
all_active() {
	local file is
	for file in /sys/class/infiniband/rxe{0,1}/ports/1/state /sys/class/net/eth{0,1}/operstate; do
		read -r is 2>/dev/null <"$file" && [[ $is = '4: ACTIVE' || $is = up ]] || return 1
	done
}

# port_is DEVICE STATE PHYS_STATE - so the kernel says.
port_is() { [ "$(</sys/class/infiniband/"$1"/ports/1/state)" = "$2" ] && [ "$(</sys/class/infiniband/"$1"/ports/1/phys_state)" = "$3" ]; }

# configure [YAML-LINE]... - soft RoCE is not mlx5: it is watched because the configuration says so.
# shellcheck disable=SC2120 # the tests give it some
configure() { printf '%s\n' 'nicInclusionRegexOverride: "^(rxe|renamed)"' "$@" >"$T/config.yaml"; }

# watch OPTION... - starts the service, and returns when all that is to be said of a first scan has arrived. Sets SEEN_BEFORE.
watch() {
	# shellcheck disable=SC2119
	[ -e "$T/config.yaml" ] || configure
	launch_service --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms "$@"
	wait_until 30 arrived_all
	SEEN_BEFORE=$(wc -l <"$EVENTS")
}
arrived_all() { acknowledged && [ "$(wc -l <"$EVENTS")" -eq "$(in_spool 'SELECT count(*) FROM event')" ]; }

# new_events - those since, a line each: fatal, healthy or other, and the message.
new_events() {
	tail -n "+$((SEEN_BEFORE + 1))" "$EVENTS" | jq -r '(if .isHealthy then "healthy" elif .isFatal then "fatal" else "other" end) + ": " + .message'
}

# new_event N - so many there are, at least.
new_event() {
	local lines
	mapfile -t lines <"$EVENTS"
	[ ${#lines[@]} -ge $((SEEN_BEFORE + $1)) ]
}

# events_are LINE... - just these, in this order, and after two more scans nothing has come behind them.
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
	wget -q -O - "http://$(sed -n 's/^nic-health-monitor: note: metrics: listening on //p' "$T/service.err")/metrics" |
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

# no_complaint - the kernel has not said, since `dmesg --clear`, that anything was wrong with a program or with itself.
no_complaint() {
	dmesg >"$T/dmesg"
	none grep -E -i 'segfault|traps:|audit|denied|WARNING|BUG:|Call Trace|blocked for more|out of memory|syscall|capability|deprecated' "$T/dmesg"
}

# traffic - a few hundred packets from rxe0 to itself, and all of them have arrived when it returns.
traffic() {
	started pong ibv_rc_pingpong -d rxe0 -g 1 -n 100
	local server=$PID
	listens() { grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; }
	wait_until 20 listens
	ibv_rc_pingpong -d rxe0 -g 1 -n 100 10.0.0.1 >/dev/null
	ends_with 0 "$server"
}

# sleep_lifespan - until the kernel no longer answers with counters that it has kept.
sleep_lifespan() { sleep "0.$(printf '%03d' $(($(cat /sys/class/infiniband/rxe0/ports/1/hw_counters/lifespan) + 10)))"; }
