#!/usr/bin/env bats
# What ibscan reads from a real kernel is what libibverbs and the rdma tool say.
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
}

teardown() { nothing_left; }

# as_read - a line per port: what ibscan reads.
as_read() {
	ibscan --gids --counters none | jq -r 'select(.kind == "port") |
		[.device, .port, .state, .phys_state, .link_layer, .rate_gbps, .netdev, .operstate,
		.gids.total, .gids.ipv4_mapped, .gids.roce_v2] | map(tostring) | join(" ")'
}

# as_verbs - the same, by ibv_devinfo (device, port, states, link layer, width times speed, GIDs),
# the rdma tool (interface) and ip (its state).
as_verbs() {
	local device netdev
	for device in rxe0 rxe1; do
		netdev=$(rdma -j link | jq -r --arg name "$device" \
			'.[] | select(.ifname == $name).netdev')
		ibv_devinfo -v -d "$device" | awk -v device="$device" -v netdev="$netdev" \
			-v operstate="$(ip -j link show "$netdev" |
			jq -r '.[0].operstate | ascii_downcase')" '
			BEGIN {
				name["LINK_UP"] = "LinkUp"
				name["POLLING"] = "Polling"
				name["DISABLED"] = "Disabled"
			}
			$1 == "port:" { port = $2 }
			$1 == "state:" { state = substr($2, 6) }
			$1 == "phys_state:" { phys_state = name[$2] }
			$1 == "link_layer:" { link_layer = $2 }
			$1 == "active_width:" { width = $2 + 0 }
			$1 == "active_speed:" { speed = $2 + 0 }
			$1 == "GID[" { gids++; ipv4 += /::ffff:[0-9.]+,/; v2 += /RoCE v2/ }
			END {
				print device, port, state, phys_state, link_layer, width * speed,
					netdev, operstate, gids + 0, ipv4 + 0, v2 + 0
			}'
	done
}

agree() {
	as_read | tee "$T/read"
	[ "$(wc -l <"$T/read")" -eq 2 ]
	diff "$T/read" <(as_verbs) >&2
	diff <(rdma -j link | jq -r \
		'.[] | [.ifname, .port, .state, .netdev] | map(tostring) | join(" ")') \
		<(cut -d ' ' -f 1,2,3,7 "$T/read") >&2
}

@test "both soft RoCE devices are found as libibverbs and the rdma tool see them" {
	agree
	[ "$(cat "$T/read")" = "rxe0 1 ACTIVE LinkUp Ethernet 10 eth0 up 2 1 2
rxe1 1 ACTIVE LinkUp Ethernet 10 eth1 up 2 1 2" ]
}

@test "with a cable pulled and an interface down they are still seen alike" {
	ip link set cable0 down
	ip link set eth1 down
	wait_until 20 port_is rxe0 '1: DOWN' '2: Polling'
	wait_until 20 port_is rxe1 '1: DOWN' '3: Disabled'
	agree
	grep -q '^rxe0 1 DOWN Polling Ethernet 10 eth0 lowerlayerdown ' "$T/read"
	grep -q '^rxe1 1 DOWN Disabled Ethernet 10 eth1 down ' "$T/read"
}

@test "another address is another GID in the next scan of a new reader" {
	ip address add 10.0.1.77/24 dev eth1
	grown() { [ "$(as_verbs | awk '{ print $(NF - 1) }' | paste -s -d ' ')" = '1 2' ]; }
	wait_until 20 grown
	agree
}

@test "attributes that refuse to be read on a healthy device do not make it unreadable" {
	ip link set eth0 down
	# EINVAL, as unused entries of the tables of GIDs give, too.
	none cat /sys/class/net/eth0/carrier 2>"$T/refused"
	grep -q 'Invalid argument' "$T/refused"
	none cat /sys/class/infiniband/rxe0/ports/1/gid_attrs/types/1000 2>"$T/refused"
	grep -q 'Invalid argument' "$T/refused"
	run --separate-stderr ibscan --gids
	status_is 0
	[ -z "$stderr" ]
	jq -s -e 'map(select(.kind == "scan.end")) == [.[-1]] and (.[-1] | .complete
		and .unreadable == [] and .devices == 2 and .ports == 2) and all(.[]; has("error")
		| not)' <<<"$output"
}

files_in() { find "$1" -mindepth 1 -printf '%f\n' | sort; }

@test "a counter is there under the name that its file has, and none of them is missing" {
	ibscan >"$T/scan"
	diff <(jq -r 'select(.kind == "port" and .device == "rxe0").hw_counters | keys[]' \
		"$T/scan" | sort) <(files_in /sys/class/infiniband/rxe0/ports/1/hw_counters) >&2
	diff <(jq -r 'select(.kind == "port" and .device == "rxe0").net | keys[]' "$T/scan" |
		sort) \
		<({ files_in /sys/class/net/eth0/statistics && echo carrier_changes; } | sort) >&2
	# Soft RoCE has no such directory: that is no error.
	[ ! -e /sys/class/infiniband/rxe0/ports/1/counters ]
	jq -e -s 'map(select(.kind == "port").counters) == [{}, {}]' "$T/scan"
}

@test "what changes is in the very next scan, though files are kept open" {
	feed_open ibscan --interval 100ms --counters none
	states() { jq -r 'select(.device == "rxe0" and .kind == "port") | "\(.state) \(.phys_state) \(.operstate)"' "$T/out" | uniq; }
	shows() { [ "$(states | tail -n 1)" = "$1" ]; }
	wait_until 20 shows 'ACTIVE LinkUp up'
	# The scan that begins next after the kernel has made the change shows it: its number is at
	# most one beyond the scan that may be going on.
	local fault
	for fault in 'cable0 down/DOWN Polling lowerlayerdown' 'cable0 up/ACTIVE LinkUp up' \
		'eth0 down/DOWN Disabled down' 'eth0 up/ACTIVE LinkUp up'; do
		# shellcheck disable=SC2086 # two words
		ip link set ${fault%%/*}
		kernel_shows() { shows_state "${fault#*/}"; }
		wait_until 20 kernel_shows
		local begun
		begun=$(jq -r 'select(.kind == "scan.begin").scan' "$T/out" | tail -n 1)
		ended() { jq -e -s --argjson n $((begun + 1)) \
			'any(.[]; .kind == "scan.end" and .scan == $n)' "$T/out" >/dev/null; }
		wait_until 20 ended
		[ "$(jq -r --argjson n $((begun + 1)) \
			'select(.device == "rxe0" and .kind == "port" and .scan == $n) | "\(.state) \(.phys_state) \(.operstate)"' "$T/out")" = "${fault#*/}" ]
	done
	[ ! -s "$T/err" ]
}

@test "state and phys_state of a scan are of one moment, whenever the port changes" {
	# Nobody takes the processor away from it between two readings.
	started scans chrt --fifo 10 ibscan --interval 50ms --counters none
	wait_until 20 has_lines 1 "$T/scans.out" '"scan.end"'
	# Some dozens of milliseconds apart, and looked at all the time.
	for _ in {1..40}; do
		ip link set eth0 down
		ip link set eth0 up
	done
	wait_until 20 all_active
	kill -TERM "$PID"
	ends_with 0 "$PID"
	jq -r 'select(.kind == "port" and .device == "rxe0") | "\(.state) \(.phys_state)"' \
		"$T/scans.out" | sort | uniq -c | tee "$T/pairs"
	# There was something to see, and of that no mixture.
	diff <(awk '{ print $2, $3 }' "$T/pairs") <(printf '%s\n' 'ACTIVE LinkUp' 'DOWN Disabled') \
		>&2
}

# shows_state STATE PHYS_STATE OPERSTATE - the kernel does, of rxe0 and eth0.
shows_state() {
	[[ $(cat /sys/class/infiniband/rxe0/ports/1/state) = *": ${1%% *}" &&
		$(cat /sys/class/net/eth0/operstate) = "${1##* }" ]]
}
