#!/usr/bin/env bats
# grafana-live: dist/grafana with a real Prometheus that scrapes two simulated nodes with faults:
# each query of each panel gives data, and the dashboards can be drawn.
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
	# One node with InfiniBand ports, one with EFA.
	a_node gpu-1 l40s-onprem mlx5_{0,1,2,3,4}
	a_node gpu-2 aws-p5 rdmap79s0 rdmap80s0
	a_prometheus
	wait_until 30 asked_both
}

teardown() { nothing_left; }

# traffic_counted - print the configuration in doc/prometheus.md that counts traffic.
traffic_counted() { sed -n '/^    counterDetection:/,/^$/s/^    //p' "$ROOT/doc/prometheus.md"; }

# a_node NAME PLATFORM DEVICE... - start the service on a node with these NICs of a platform. One of
# its sinks is always down.
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

# a_prometheus - start a Prometheus that scrapes both nodes, and one that does not respond, each
# second.
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

# asked_both - return success if Prometheus has scraped both nodes, so that it sees later growth.
asked_both() {
	[ "$(get "$PROMETHEUS/api/v1/query?query=nic_health_monitor_build_info" |
		jq '.data.result | length')" = 2 ]
}

# --- faults ---

# The counters that the node dashboard shows, for InfiniBand and EFA.
IB_COUNTERS=(counters/{port_rcv_data,port_xmit_data,port_xmit_wait,link_downed,symbol_error}
	counters/{link_error_recovery,port_rcv_errors,port_xmit_discards}
	counters/{local_link_integrity_errors,excessive_buffer_overrun_errors}
	hw_counters/{out_of_sequence,local_ack_timeout_err,rnr_nak_retry_err,roce_slow_restart})
EFA_COUNTERS=(hw_counters/{rx_bytes,tx_bytes,rx_drops,retrans_timeout_events}
	hw_counters/{unresponsive_remote_events,impaired_remote_conn_events})

# grow NODE PORT COUNTER... - raise the counters by a large amount at once.
grow() {
	local counters=("${@:3}")
	counters=("${counters[@]/#/add $2 }")
	NODE=$T/$1 sims "${counters[@]/%/ 1000000}"
}

# things_break - raise counters on both nodes, take a port or a NIC down, and on the first node
# write a kernel message and kill a stage.
things_break() {
	grow gpu-1 mlx5_2/1 "${IB_COUNTERS[@]}"
	grow gpu-2 rdmap79s0/1 "${EFA_COUNTERS[@]}"
	nicsim "$T/gpu-1" down mlx5_3/1
	nicsim "$T/gpu-2" remove rdmap80s0
	nicsim "$T/gpu-1" kmsg "mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource"
	kill -KILL "$(stage logmatch "${SERVICES[gpu-1]}")"
}

# --- queries ---

# ask DASHBOARD [WORD]... - run the dashboard's queries and write the results to $T/answers.
ask() { "$ROOT/test/grafana/ask" "$DASHBOARDS/$1.json" "$PROMETHEUS" "${@:2}" >"$T/answers"; }

# answers_all DASHBOARD - check that each query has data. A single number must not be 0, which a
# query of a missing series would give, too.
answers_all() {
	ask "$1" && [ -s "$T/answers" ] && none grep -q '^empty' "$T/answers" &&
		none grep -q -F -f <(jq -r '.panels[] | select(.type == "stat") | "zero\t\(.title)\t"' \
			"$DASHBOARDS/$1.json") "$T/answers"
}

# lacking - print the queries without data, and fail.
lacking() {
	grep -v '^full' "$T/answers" >&2
	return 1
}

# panels_full DASHBOARD [NAME=VALUE]... - check that no panel is empty.
panels_full() {
	ask "$@" && [ -s "$T/answers" ] &&
		diff /dev/null <(comm -13 <(grep -v '^empty' "$T/answers" | cut -f 2 | sort -u) \
			<(cut -f 2 "$T/answers" | sort -u))
}

# can_choose DASHBOARD VARIABLE VALUES [NAME=VALUE]... - check the values that a variable offers.
can_choose() { ask "$1" --variable "$2" "${@:4}" && [ "$(xargs <"$T/answers")" = "$3" ]; }

# all_drawn DASHBOARD [NAME=VALUE]... - draw the dashboard and check that the picture has all
# panels.
all_drawn() {
	"$ROOT/test/grafana/draw" "$DASHBOARDS/$1.json" "$PROMETHEUS" "${@:2}" >"$T/$1.svg"
	diff <(jq '[.panels[] | select(.type != "row")] | length' "$DASHBOARDS/$1.json") \
		<(grep -c 'class="title"' "$T/$1.svg") >&2
}

@test "each query of each panel gives data on nodes with faults, and the dashboards can be drawn" {
	things_break
	wait_until 30 answers_all node || lacking
	wait_until 30 answers_all fleet || lacking
	panels_full node node=gpu-1
	can_choose node node 'gpu-1 gpu-2'
	can_choose node device 'mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4' node=gpu-1
	can_choose fleet job nic-health-monitor
	# With selected devices.
	panels_full node node=gpu-1 'device=(mlx5_2|mlx5_3)'
	all_drawn node node=gpu-1
	all_drawn fleet
}
