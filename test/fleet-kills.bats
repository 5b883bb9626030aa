#!/usr/bin/env bats
# fleet-kills: twenty nodes send events through a stream into a database while processes on the way
# are killed; each event is stored once, and each pattern is found once.
#
#	nic-health-monitor, for each node ─▶ nats-server
#	nats-server ─▶ fleetread | correlate | blastradius | emit ─▶ PostgreSQL
#
# A port changes again only after its node has stored the previous change, so the expected events
# are known however slow the machine is.
#
# Thorough: fleet
# SPDX-License-Identifier: Apache-2.0

load lib/common

NODES=20
DEVICES=(mlx5_1 mlx5_2)
# The number of link-downs that each pattern needs.
DOWNS=(2 3 5 8)
KILLS=$((${NHM_CRASH_KILLS:-60} / 2))

setup() {
	load lib/servers
	load lib/postgres
	load lib/nats
	load lib/stages
	T=$BATS_TEST_TMPDIR
	umask 077
	SERVICES=() CHAIN=
	start_nats
	timeout 60 fleetsetup --replicas 1 "nats://$NATS/nic" >"$T/stream"
	make_postgres
	make_rules
	make_nodes
}

teardown() {
	# shellcheck disable=SC2046 # pids
	[ -z "$CHAIN" ] || kill -KILL "$CHAIN" $(stages_of "$CHAIN") 2>/dev/null || true
	remove_postgres
	end_background
	nothing_survives
}

make_rules() {
	local downs
	echo 'rules:'
	for downs in "${DOWNS[@]}"; do
		echo "  - {name: Down$downs, match: {errorCode: port_state, isFatal: true},"
		echo "     group: [entity.NIC], count: $downs, within: 2h}"
	done
} >"$T/rules"

# make_nodes - make nodes with three NICs each, of which two are monitored, and all ports up.
make_nodes() {
	local i
	nicsim --generate 3 >"$T/platform.json"
	nicsim "$T/n1" create "$T/platform.json" >"$T/created"
	for ((i = 2; i <= NODES; i++)); do
		cp -a "$T/n1" "$T/n$i"
		cat /proc/sys/kernel/random/uuid >"$T/n$i/proc/sys/kernel/random/boot_id"
	done
}

# run_node N - start its service, without the patterns that the fleet's correlate finds.
run_node() {
	local root=$T/n$1
	mkdir "$root/run"
	started "service$1" nic-health-monitor --sysfs-root "$root/sys" --node "node$1" \
		--metadata "$root/var/lib/nvsentinel/gpu_metadata.json" \
		--route "$root/proc/net/route" --route6 "$root/proc/net/ipv6_route" \
		--boot-id-file "$root/proc/sys/kernel/random/boot_id" --kmsg "$root/dev/kmsg" \
		--events '' --rules '' --metrics-port '' --interval 500ms \
		--state "$root/run/state.json" --spool "$root/run/spool.db" \
		--sink "nats:nats://$NATS/nic"
	SERVICES[$1]=$PID
}

# run_chain - start the chain that reads the stream; it restarts as a whole when one process dies.
run_chain() {
	# shellcheck disable=SC2016 # for the inner shell
	started chain bash -c 'while [ ! -e "$1/end" ]; do
		fleetread --acks "$1/acks" "$2" |
			correlate --live --late 1h --rules "$1/rules" --state "$1/correlate" \
				--acks "$1/acks" |
			blastradius --live --state "$1/blastradius" --acks "$1/acks" |
			emit --spool "$1/fleet.db" --acks "$1/acks" --sink "$3"
	done' _ "$T" "nats://$NATS/nic" "$DATABASE"
	CHAIN=$PID
}

# --- changes on the nodes ---

# of_node N SQL - query the node's spool; print nothing if there is none.
of_node() { sqlite3 -readonly -cmd '.timeout 5000' "$T/n$1/run/spool.db" "$2" 2>"$T/of_node"; }

# changes N - print how often each of its ports has changed since the first event, by the node's
# spool: DEVICE COUNT.
changes() {
	of_node "$1" "SELECT device || ' ' || (count(*) - 1) FROM event
		WHERE code = 'port_state' GROUP BY device" 2>"$T/changes.err"
}
has_begun() { [ "$(changes "$1" | wc -l)" -eq "${#DEVICES[@]}" ]; }

# turn N DEVICE STATE - set the port's state atomically.
turn() {
	local port=$T/n$1/sys/class/infiniband/$2/ports/1
	echo "$3" >"$T/n$1/state"
	mv "$T/n$1/state" "$port/state"
}

# story - change ports until $T/peace exists and all are up; then write what happened to $T/told:
# NODE DEVICE DOWNS.
story() {
	local -A turned=() stored=()
	local i device count port is_up is_over=''
	while [ -z "$is_over" ]; do
		[ ! -e "$T/peace" ] || is_over=yes
		for ((i = 1; i <= NODES; i++)); do
			stored=()
			while read -r device count; do
				stored[$device]=$count
			done < <(changes "$i")
			for device in "${DEVICES[@]}"; do
				port="node$i $device"
				is_up=$((${turned[$port]:-0} % 2 == 0))
				[ "${stored[$device]:-0}" -eq "${turned[$port]:-0}" ] || is_over=''
				if [ -e "$T/peace" ] && ((is_up)); then continue; fi
				is_over=''
				[ "${stored[$device]:-0}" -eq "${turned[$port]:-0}" ] || continue
				((!is_up || RANDOM % 3 == 0)) || continue
				if ((is_up)); then
					turn "$i" "$device" '1: DOWN'
				else
					turn "$i" "$device" '4: ACTIVE'
				fi
				turned[$port]=$((${turned[$port]:-0} + 1))
			done
		done
		pause 0.1
	done
	for port in "${!turned[@]}"; do
		echo "$port $((turned[$port] / 2))"
	done | sort >"$T/told.new"
	mv "$T/told.new" "$T/told"
}

# --- kills ---

stages_of() { SERVICE=$1 stages; }

# strike - kill or restart a random process; restart it if nothing else does.
strike() {
	local victim pid
	case $((RANDOM % 10)) in
	[0-3]) pid=$(stage emit "${SERVICES[RANDOM % NODES + 1]}") ;;
	4)
		end_nats
		start_nats
		return
		;;
	5)
		end_postgres
		start_postgres
		return
		;;
	*)
		victim=(fleetread correlate blastradius emit)
		pid=$(stage "${victim[RANDOM % 4]}" "$CHAIN")
		;;
	esac || return
	kill -KILL "$pid"
}

# --- results ---

# in_nodes - print the ids of the events that the nodes have stored, without those that arrived
# after their recovery, which are not sent.
in_nodes() {
	local i
	for ((i = 1; i <= NODES; i++)); do
		of_node "$i" "SELECT id FROM event WHERE answered_by = ''"
	done | sort
}
in_database() { ask "SELECT id FROM nic.event WHERE $1" | sort; }
OF_NODES="agent <> 'health-events-analyzer'"
FOUND="check_name LIKE 'Down%' AND NOT is_healthy"

stream_is_whole() { [ "$(in_stream | wc -l)" -ge "$(in_nodes | wc -l)" ]; }
database_is_whole() { [ "$(in_database "$OF_NODES" | wc -l)" -ge "$(in_nodes | wc -l)" ]; }

# expected - print the patterns to be found: CHECK NODE DEVICE.
expected() {
	local node device downs least
	while read -r node device downs; do
		for least in "${DOWNS[@]}"; do
			[ "$downs" -lt "$least" ] || echo "Down$least $node $device"
		done
	done <"$T/told" | sort
}
found() { ask "SELECT check_name || ' ' || node || ' ' || device FROM nic.event
	WHERE $FOUND" | sort; }
all_found() { [ "$(found | wc -l)" -ge "$(expected | wc -l)" ]; }

@test "a fleet whose emits, stages, stream and database are killed stores each event once and finds each pattern once" {
	local i kills=0
	for ((i = 1; i <= NODES; i++)); do run_node "$i"; done
	for ((i = 1; i <= NODES; i++)); do wait_until 60 has_begun "$i"; done
	run_chain
	story &
	BACKGROUND+=($!)
	while [ "$kills" -lt "$KILLS" ]; do
		! strike || kills=$((kills + 1))
		pause "0.$((RANDOM % 9))5"
	done
	touch "$T/peace"
	wait_until 120 test -e "$T/told"

	wait_until 120 stream_is_whole
	diff <(in_nodes) <(in_stream | sort) >&2
	wait_until 120 database_is_whole
	diff <(in_nodes) <(in_database "$OF_NODES") >&2
	wait_until 60 all_found
	diff <(expected) <(found) >&2
	[ "$(expected | wc -l)" -ge "$NODES" ]
	# Only the killed processes died.
	none grep -E 'Aborted|Segmentation|Bad system call' "$T/chain.err"
	none grep -E 'killed by SIG([^K]|K[^I])' "$T"/service*.err
}
