#!/usr/bin/env bats
# dist/grafana with a real Prometheus that scrapes the services of two simulated nodes on which
# things break: each query of each panel gives data, and a dashboard can be drawn from it.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/service
	load lib/servers
	command -v prometheus >/dev/null ||
		skip "left out: no prometheus (dist/install-deps installs it)"
	DASHBOARDS=$ROOT/dist/grafana
	declare -gA SERVICES
	echo "http://127.0.0.1:$(free_port)/" >"$T/nobody"
	chmod 600 "$T/nobody"
	traffic_counted >"$T/config.yaml"
	# With InfiniBand ports, and with EFA.
	a_node gpu-1 l40s-onprem mlx5_{0,1,2,3,4}
	a_node gpu-2 aws-p5 rdmap79s0 rdmap80s0
	a_prometheus
	wait_until 30 asked_both
}

teardown() { nothing_left; }

# traffic_counted - the configuration that doc/prometheus.md has for who wants to see traffic.
traffic_counted() { sed -n '/^    counterDetection:/,/^$/s/^    //p' "$ROOT/doc/prometheus.md"; }

# a_node NAME PLATFORM DEVICE... - a node with these NICs of a platform, and the service on it. One
# of its sinks is never there.
a_node() {
	few "$2" "${@:3}"
	mv "$NODE" "$T/$1"
	NODE=$T/$1
	node_options
	started "$1" nic-health-monitor "${NODE_OPTIONS[@]/#gpu-1/$1}" --interval 200ms \
		--config "$T/config.yaml" --state-file "$NODE/run/state.json" \
		--spool "$NODE/run/spool.db" --metrics-port 0 --metrics-address 127.0.0.1 \
		--sink "file:$T/$1.events" --sink "webhook:@$T/nobody"
	wait_until 30 has_lines 1 "$T/$1.err" 'ctreval: note: counters available'
	SERVICES[$1]=$PID
}

address() { sed -n 's/.*note: metrics: listening on //p' "$T/$1.err"; }

# a_prometheus - asks both nodes, and one that does not answer, each second.
a_prometheus() {
	local port
	port=$(free_port)
	cp "$ROOT/dist/prometheus/recording.yaml" "$T"
	sed -E "/_interval:/s/: .*/: 1s/; /-alerts.yaml/d; /^alerting:/,/^$/d
		s/targets: \[.*/targets: ['$(address gpu-1)', '$(address gpu-2)', '127.0.0.1:1']/" \
		"$ROOT/dist/prometheus/prometheus.yaml" >"$T/prometheus.yaml"
	started prometheus prometheus --config.file="$T/prometheus.yaml" \
		--storage.tsdb.path="$T/tsdb" --web.listen-address="127.0.0.1:$port"
	PROMETHEUS=http://127.0.0.1:$port
}

# asked_both - Prometheus has seen both nodes, so that what grows from now on has grown.
asked_both() {
	[ "$(get "$PROMETHEUS/api/v1/query?query=nic_health_monitor_build_info" |
		jq '.data.result | length')" = 2 ]
}

# --- what breaks ---

# What the dashboard of a node asks for, of InfiniBand and of EFA.
IB_COUNTERS=(counters/{port_rcv_data,port_xmit_data,port_xmit_wait,link_downed,symbol_error}
	counters/{link_error_recovery,port_rcv_errors,port_xmit_discards}
	counters/{local_link_integrity_errors,excessive_buffer_overrun_errors}
	hw_counters/{out_of_sequence,local_ack_timeout_err,rnr_nak_retry_err,roce_slow_restart})
EFA_COUNTERS=(hw_counters/{rx_bytes,tx_bytes,rx_drops,retrans_timeout_events}
	hw_counters/{unresponsive_remote_events,impaired_remote_conn_events})

# grow NODE PORT COUNTER... - by much, at once.
grow() {
	local counters=("${@:3}")
	counters=("${counters[@]/#/add $2 }")
	NODE=$T/$1 sims "${counters[@]/%/ 1000000}"
}

# things_break - on both nodes counters grow and a port or a NIC goes. On the first, the kernel
# complains and a stage dies.
things_break() {
	grow gpu-1 mlx5_2/1 "${IB_COUNTERS[@]}"
	grow gpu-2 rdmap79s0/1 "${EFA_COUNTERS[@]}"
	nicsim "$T/gpu-1" down mlx5_3/1
	nicsim "$T/gpu-2" remove rdmap80s0
	nicsim "$T/gpu-1" kmsg "mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource"
	kill -KILL "$(stage logmatch "${SERVICES[gpu-1]}")"
}

# --- what is asked ---

# ask DASHBOARD [WORD]... - into $T/answers.
ask() { "$ROOT/test/grafana/ask" "$DASHBOARDS/$1.json" "$PROMETHEUS" "${@:2}" >"$T/answers"; }

# answers_all DASHBOARD - each query has data. A single number is not just 0, which would also be
# there if the query asked for something that does not exist.
answers_all() {
	ask "$1" && [ -s "$T/answers" ] && none grep -q '^empty' "$T/answers" &&
		none grep -q -F -f <(jq -r '.panels[] | select(.type == "stat") | "zero\t\(.title)\t"' \
			"$DASHBOARDS/$1.json") "$T/answers"
}

# lacking - says which have no data, and fails.
lacking() {
	grep -v '^full' "$T/answers" >&2
	return 1
}

# panels_full DASHBOARD [NAME=VALUE]... - no panel is empty.
panels_full() {
	ask "$@" && [ -s "$T/answers" ] &&
		diff /dev/null <(comm -13 <(grep -v '^empty' "$T/answers" | cut -f 2 | sort -u) \
			<(cut -f 2 "$T/answers" | sort -u))
}

# can_choose DASHBOARD VARIABLE VALUES [NAME=VALUE]...
can_choose() { ask "$1" --variable "$2" "${@:4}" && [ "$(xargs <"$T/answers")" = "$3" ]; }

# all_drawn DASHBOARD [NAME=VALUE]... - the picture has all its panels.
all_drawn() {
	"$ROOT/test/grafana/draw" "$DASHBOARDS/$1.json" "$PROMETHEUS" "${@:2}" >"$T/$1.svg"
	diff <(jq '[.panels[] | select(.type != "row")] | length' "$DASHBOARDS/$1.json") \
		<(grep -c 'class="title"' "$T/$1.svg") >&2
}

@test "each query of each panel gives data of nodes on which things break, and can be drawn" {
	things_break
	wait_until 30 answers_all node || lacking
	wait_until 30 answers_all fleet || lacking
	panels_full node node=gpu-1
	can_choose node node 'gpu-1 gpu-2'
	can_choose node device 'mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4' node=gpu-1
	can_choose fleet job nic-health-monitor
	# With devices that are chosen.
	panels_full node node=gpu-1 'device=(mlx5_2|mlx5_3)'
	all_drawn node node=gpu-1
	all_drawn fleet
}
