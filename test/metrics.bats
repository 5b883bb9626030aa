#!/usr/bin/env bats
# metrics: the HTTP pages of nic-health-monitor, and its heartbeat in the log.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: service
# SPDX-License-Identifier: Apache-2.0

load lib/common

STAGES=(ibscan topoclass ctreval correlate emit logmatch)

setup() {
	load lib/exposition
	load lib/servers
	load lib/stages
	T=$BATS_TEST_TMPDIR
	# mlx5_1 to mlx5_4 are monitored, each on a card of its own.
	node l40s-onprem
	EVENTS=$T/events
	OPTIONS=(--sysfs-root "$NODE/sys" --interval 200ms --node-name gpu-1
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json"
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route"
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg" \
			--state-file '' --spool ''
		--metrics-port 0 --metrics-address 127.0.0.1 --sink "file:$EVENTS")
	# The service starts the stages from its own directory.
	PROGRAMS=$T/programs
	mkdir "$PROGRAMS"
	cp "${STAGES[@]/#/$NHM_BIN/}" "$NHM_BIN/nic-health-monitor" "$PROGRAMS"
}

teardown() {
	end_background
	nothing_survives
}

need_promtool() { command -v promtool >/dev/null ||
	skip "left out: no promtool (dist/install-deps installs it)"; }

# A prefix for the service's command.
STARTER=()

# launch OPTION... - start the service and wait until it listens; sets SERVICE and its address, AT
launch() {
	started service "${STARTER[@]}" "$PROGRAMS/nic-health-monitor" "${OPTIONS[@]}" "$@"
	SERVICE=$PID
	wait_until 20 says 'note: metrics: listening on '
	AT=$(sed -n 's/.*note: metrics: listening on //p' "$T/service.err")
}

# launch_and_settle OPTION... - launch, and wait until the first complete scan was evaluated
launch_and_settle() {
	launch "$@"
	wait_until 20 says 'note: healthy: watching '
}

# says REGEX [N] - return success if at least N lines of the service's and the stages' stderr match
says() { has_lines "${2:-1}" "$T/service.err" "$1"; }

# hold_back STAGE - make STAGE do nothing until let_go
hold_back() {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	rm "$PROGRAMS/$1"
	cat >"$PROGRAMS/$1" <<-END
		#!/bin/bash
		until [ -e '$T/go' ]; do sleep 0.05; done
		exec '$NHM_BIN/$1' "\$@"
	END
	chmod +x "$PROGRAMS/$1"
}
let_go() { : >"$T/go"; }

# doom STAGE - make STAGE die at every start until let_go
doom() {
	# The confined service cannot start a script.
	export NHM_CONFINE=off
	rm "$PROGRAMS/$1"
	printf '#!/bin/bash\n[ -e %q ] || kill -KILL "$$"\nexec %q "$@"\n' "$T/go" \
		"$NHM_BIN/$1" >"$PROGRAMS/$1"
	chmod +x "$PROGRAMS/$1"
}

# ask PATH [METHOD] - send a request; sets STATUS, and writes the response to $T/head and $T/body
ask() {
	fetch "$AT" "$@" >"$T/answer" && [ -s "$T/answer" ] || return 1
	head_of <"$T/answer" >"$T/head"
	body_of <"$T/answer" >"$T/body"
	STATUS=$(head -n 1 "$T/head")
}

# answers PATH STATUS [REGEX] - return success if the response has STATUS and a line of its body
# matches
answers() { ask "$1" && [ "$STATUS" -eq "$2" ] && grep -q -E -- "${3:-}" "$T/body"; }

# shows REGEX - return success if a line of /metrics matches
shows() { answers /metrics 200 "$1"; }
shows_no() { ask /metrics && [ "$STATUS" -eq 200 ] && none grep -q -E -- "$1" "$T/body"; }

# --- metrics ---

@test "promtool accepts the metrics before the first scan, while all is well, and with stages down" {
	need_promtool
	hold_back ibscan
	launch
	ask /metrics
	accepted "$T/body"
	grep -q -x 'nic_health_monitor_stage_up{node="gpu-1",stage="ctreval"} 1' "$T/body"
	none grep -q last_evaluated_scan_age "$T/body"
	let_go
	wait_until 20 shows '^nic_port_state\{'
	accepted "$T/body"
	grep -q -E '^nic_health_monitor_last_evaluated_scan_age_seconds\{node="gpu-1"\} [0-9.]+$' \
		"$T/body"
	grep -q -E '^nic_health_monitor_build_info\{node="gpu-1",version="[0-9.]+"\} 1$' "$T/body"
	[ "$(grep '^content-type:' -i "$T/head")" \
		= 'Content-Type: text/plain; version=0.0.4; charset=utf-8' ]
	# Each of the service's own metrics has the node's name.
	none grep -v -E '^#|^nic_(port|device|scan|pci)_|^(nic|syslog)_health_monitor_[a-z_]+\{node="gpu-1"[,}]' "$T/body"
	rm "$T/go"
	hold_back ctreval
	kill -KILL "$(stage ctreval)"
	wait_until 10 shows '^nic_health_monitor_stage_restarts_total\{node="gpu-1",stage="ctreval"\} 1$'
	accepted "$T/body"
	let_go
	wait_until 20 shows '^nic_port_state\{'
	accepted "$T/body"
}

@test "Prometheus ingests every sample" {
	need_promtool
	local port
	port=$(free_port)
	launch_and_settle
	printf 'global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs: [{job_name: nic, static_configs: [{targets: ["%s"]}]}]\n' "$AT" >"$T/prometheus.yml"
	started prometheus prometheus --config.file="$T/prometheus.yml" \
		--storage.tsdb.path="$T/prometheus" --web.listen-address="127.0.0.1:$port"
	query() { get "http://127.0.0.1:$port/api/v1/query?query=$1" |
		jq -r '.data.result[0].value[1] // empty'; }
	query_is() { [ "$(query "$1")" = "$2" ]; }
	wait_until 30 query_is up 1
	ask /metrics
	wait_until 10 query_is scrape_samples_scraped "$(grep -v -c '^#' "$T/body")"
	query_is 'count(nic_port_state)' "$(grep -c '^nic_port_state{' "$T/body")"
	query_is 'sum(nic_health_monitor_stage_up)' 5
	none grep -i -E 'ingesting|duplicate|out-of-order' "$T/prometheus.err"
}

@test "--ingero-names also shows port counters under those names" {
	launch_and_settle
	shows_no '^ingero_rdma'
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	launch_and_settle --ingero-names
	sim set mlx5_1/1 counters/link_downed 7
	wait_until 10 shows '^ingero_rdma_link_downed\{rdma_device="mlx5_1",rdma_port="1",rdma_transport="[A-Za-z]+"\} 7$'
	shows '^nic_port_link_downed_total\{([^}]*,)?device="mlx5_1"[^}]*\} 7$'
	shows '^ingero_rdma_port_rcv_errors\{rdma_device="mlx5_1",.*\} 0$'
}

@test "/metrics shows a port's current values in sysfs" {
	launch_and_settle
	shows '^nic_port_link_downed_total\{([^}]*,)?device="mlx5_1"[^}]*\} 0$'
	sim set mlx5_1/1 counters/link_downed 9007199254740993
	wait_until 10 shows '^nic_port_link_downed_total\{([^}]*,)?device="mlx5_1"[^}]*\} 9007199254740993$'
	shows '^nic_port_state\{([^}]*,)?device="mlx5_1"[^}]*\} 4$'
	sim down mlx5_1/1
	wait_until 10 shows '^nic_port_state\{([^}]*,)?device="mlx5_1"[^}]*\} 1$'
	sim remove mlx5_2
	wait_until 10 shows_no '^nic_port_state{[^ ]*device="mlx5_2"'
	shows '^nic_port_state\{([^}]*,)?device="mlx5_3"'
}

@test "a stage's counters continue after it is killed, and its restart is counted" {
	local malformed='^nic_health_monitor_malformed_lines_total\{node="gpu-1",stage="ctreval"\}'
	launch_and_settle
	echo '{"kind":' >"/proc/$(stage ctreval)/fd/0"
	wait_until 10 shows "$malformed 1$"
	kill -KILL "$(stage ctreval)"
	wait_until 10 shows '^nic_health_monitor_stage_restarts_total\{node="gpu-1",stage="ctreval"\} 1$'
	grep -q -E "$malformed 1$" "$T/body"
	wait_until 10 stage ctreval
	# Its successor may have started in the middle of a scan.
	wait_until 10 shows '^nic_port_state\{'
	grep -q -E "$malformed [1-9]" "$T/body"
}

# standing_shown - print the standing conditions of /metrics: device, port, check, code, severity
standing_shown() {
	local labels='node="gpu-1",device="([^"]*)",port="([^"]*)"'
	labels+=',check="([^"]*)",code="([^"]*)",severity="([^"]*)"'
	sed -n -E "s/^nic_health_monitor_condition\{$labels\} 1\$/\1 \2 \3 \4 \5/p" "$T/body" | sort
}

# standing_told - print the same from emit --standing
standing_told() {
	emit --spool "$T/spool.db" --standing --format json | jq -r 'select(.kind == "condition")
		| [.device, .port, .checkName, .code, if .isFatal then "fatal" else "non_fatal" end]
		| map(. // "") | join(" ")' | sort
}

# stands LINE... - return success if exactly these conditions stand in both
stands() {
	ask /metrics && diff <(printf '%s\n' "$@" | sort) <(standing_shown) &&
		diff <(standing_shown) <(standing_told) &&
		[ "$(awk '/^nic_health_monitor_standing_conditions/ { sum += $NF } END { print sum }' "$T/body")" -eq $# ]
}

@test "each standing condition is a series, as in emit --standing, as long as it stands" {
	need_promtool
	local pci downed="mlx5_2 1 InfiniBandStateCheck link_downed fatal" breaches sent
	local flapping="mlx5_2 1 InfiniBandDegradationCheck link_flap non_fatal"
	breaches='^nic_health_monitor_counter_threshold_breaches_total\{node="gpu-1",counter="link_downed",device="mlx5_2",port="1",is_fatal="true"\}'
	sent='^nic_health_monitor_health_events_sent_total\{node="gpu-1",check="InfiniBandStateCheck",is_fatal="true"\}'
	pci=$(basename "$(readlink -f "$NODE/sys/class/infiniband/mlx5_3/device")")
	echo 'disappearance: {confirmScans: 1}' >"$T/at-once.yaml"
	launch_and_settle --config "$T/at-once.yaml" --state-file "$T/state.json" \
		--spool "$T/spool.db"
	wait_until 10 shows "$breaches 0$"
	shows "$sent 0$"
	shows "^nic_health_monitor_sink_events_refused_total\\{node=\"gpu-1\",sink=\"file:$EVENTS\"\\} 0$"
	shows '^syslog_health_monitor_nic_driver_errors\{node="gpu-1",event="health_poll_failed",severity="fatal"\} 0$'
	accepted "$T/body"

	sim down mlx5_1/1
	sim add mlx5_2/1 counters/link_downed 1
	sim kmsg "mlx5_core $pci: poll_health:833:(pid 0): device's health compromised - reached miss count"
	wait_until 20 stands "mlx5_1 1 InfiniBandStateCheck port_state fatal" "$downed" \
		"mlx5_3  SysLogsNICDriverError health_poll_failed fatal"
	shows "$breaches 1$"
	shows '^syslog_health_monitor_nic_driver_errors\{node="gpu-1",event="health_poll_failed",severity="fatal"\} 1$'
	wait_until 10 shows "$sent 2$"
	accepted "$T/body"
	says '^nic-health-monitor: note: healthy: .*; standing: none; '

	# A restarted stage knows the standing conditions.
	kill -KILL "$(stage ctreval)"
	sim add mlx5_2/1 counters/link_downed 40
	wait_until 20 shows '^nic_health_monitor_breach_growth\{node="gpu-1",device="mlx5_2",port="1",check="InfiniBandStateCheck",code="link_downed"\} 40$'
	shows '^nic_health_monitor_breach_value\{node="gpu-1",device="mlx5_2",port="1",check="InfiniBandStateCheck",code="link_downed"\} 41$'
	shows '^nic_health_monitor_flap_link_downs\{node="gpu-1",device="mlx5_2",port="1",check="InfiniBandDegradationCheck",code="link_flap"\} 41$'
	accepted "$T/body"
	sim up mlx5_1/1
	sim remove mlx5_4
	sim kmsg "mlx5_core $pci: health recovery succeeded"
	wait_until 20 stands "$downed" "$flapping" "mlx5_4  InfiniBandStateCheck nic_gone fatal"
	accepted "$T/body"
	sim set mlx5_2/1 counters/link_downed 0
	wait_until 20 stands "$flapping" "mlx5_4  InfiniBandStateCheck nic_gone fatal"
	shows_no breach_
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
}

@test "a finding of a pattern over time is a condition like others as long as it stands" {
	need_promtool
	local down='mlx5_1 1 InfiniBandStateCheck port_state fatal'
	# Two rules find the same condition: receivers take the more severe one.
	cat >"$T/rules.yaml" <<'EOF'
rules:
  - {name: Down, match: &down {errorCode: port_state}, group: &port [entity.NIC, entity.NICPort],
     lasts: 10ms, action: NONE}
  - {name: DownAlso, check: Down, match: *down, group: *port, lasts: 20ms, action: REPLACE_VM}
  - {name: Any, match: *down, lasts: 10ms, action: NONE}
EOF
	launch_and_settle --spool "$T/spool.db" --state-file "$T/state.json" \
		--rules "$T/rules.yaml"
	wait_until 10 shows '^nic_health_monitor_pattern_findings_total\{node="gpu-1",rule="DownAlso"\} 0$'
	sim down mlx5_1/1
	wait_until 20 stands "$down" "mlx5_1 1 Down port_state fatal" "  Any port_state non_fatal"
	shows '^nic_health_monitor_pattern_findings_total\{node="gpu-1",rule="DownAlso"\} 1$'
	accepted "$T/body"
	# A restarted correlate knows its findings.
	kill -KILL "$(stage correlate)"
	wait_until 10 shows '^nic_health_monitor_stage_restarts_total\{node="gpu-1",stage="correlate"\} 1$'
	wait_until 20 stands "$down" "mlx5_1 1 Down port_state fatal" "  Any port_state non_fatal"
	sim up mlx5_1/1
	wait_until 20 shows '^nic_health_monitor_standing_conditions\{node="gpu-1",stage="correlate",is_fatal="true"\} 0$'
	wait_until 20 shows_no '^nic_health_monitor_condition'
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
}

# --- health ---

@test "/readyz is 503 until the first scan was evaluated; /healthz does not wait for it" {
	hold_back ibscan
	launch
	answers /readyz 503 '^no scan has been evaluated yet$'
	answers /healthz 200 '^ok$'
	let_go
	wait_until 20 answers /readyz 200 '^ok$'
	answers /healthz 200 '^ok$'
}

@test "/healthz names a stage that is down, and the reason, until it runs again" {
	# Before the launch: doom needs it.
	export NHM_CONFINE=off
	# With this interval /healthz does not fail for lack of scans during the test.
	launch_and_settle --interval 10s
	answers /healthz 200 '^ok$'
	local dead
	dead=$(stage topoclass)
	doom topoclass
	kill -KILL "$dead"
	wait_until 10 answers /healthz 503 '^stage topoclass is down: killed by SIGKILL$'
	[ "$(wc -l <"$T/body")" -eq 1 ]
	answers /readyz 200
	let_go
	wait_until 20 answers /healthz 200 '^ok$'
}

@test "/healthz reports a stage that died while the service itself was stopped at the first request" {
	launch_and_settle --interval 10s
	local dead
	dead=$(stage topoclass)
	kill -STOP "$SERVICE"
	wait_until 10 grep -q '^State:.T' "/proc/$SERVICE/status"
	kill -KILL "$dead"
	wait_until 10 grep -q '^State:.Z' "/proc/$dead/status"
	# The request waits for the service to continue, like the notice that the stage died.
	exec 9<>"/dev/tcp/127.0.0.1/${AT##*:}"
	printf 'GET /healthz HTTP/1.0\r\n\r\n' >&9
	kill -CONT "$SERVICE"
	timeout 20 cat <&9 >"$T/answer"
	exec 9>&-
	grep -q '^HTTP/1.[01] 503 ' "$T/answer"
	grep -q -x 'stage topoclass is down: killed by SIGKILL' "$T/answer"
}

# fill FIFO - write into it until nothing fits
fill() {
	/usr/bin/python3 -S - "$1" <<-'END'
		import os, sys
		fd = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
		for size in (4096, 1):
		    try:
		        while True:
		            os.write(fd, b"\n" * size)
		    except BlockingIOError:
		        pass
	END
}

@test "/healthz reports a stage that died while a message about another one waited for stderr" {
	local reader dead other
	export NHM_CONFINE=off
	mkfifo "$T/messages"
	started reader bash -c 'exec cat "$0" >>"$1"' "$T/messages" "$T/service.err"
	reader=$PID
	STARTER=(bash -c 'exec "$@" 2>"$0"' "$T/messages")
	launch_and_settle --interval 10s
	dead=$(stage topoclass) other=$(stage logmatch)
	doom topoclass
	kill -STOP "$reader"
	wait_until 10 grep -q '^State:.T' "/proc/$reader/status"
	fill "$T/messages"
	kill -KILL "$other"
	# The service has noticed the death, and waits for stderr to accept the message.
	wait_until 10 is_gone "$other"
	kill -KILL "$dead"
	answers /healthz 503 '^stage topoclass is down: killed by SIGKILL$'
	kill -CONT "$reader"
	let_go
	wait_until 20 answers /healthz 200 '^ok$'
}

@test "/healthz reports that the spool's disk hangs, and for how long, until it answers again" {
	load lib/hangs
	make_hangs
	started service "${ON_HANGING[@]}" "$PROGRAMS/nic-health-monitor" "${OPTIONS[@]}" \
		--spool "$DISK/spool.db"
	SERVICE=$PID
	wait_until 20 says 'note: healthy: watching '
	AT=$(sed -n 's/.*note: metrics: listening on //p' "$T/service.err")
	answers /healthz 200 '^ok$'
	hang sync
	sim add mlx5_2/1 counters/link_downed 1
	wait_until 20 answers /healthz 503 \
		"^the spool's disk has not answered for [0-9]+ s: events are delivered from memory, and not stored$"
	wait_until 20 grep -q '"isFatal":true' "$EVENTS"
	shows '^nic_health_monitor_spool_up{node="gpu-1"} 0$'
	unhang
	wait_until 20 answers /healthz 200 '^ok$'
	shows '^nic_health_monitor_spool_up{node="gpu-1"} 1$'
	[ "$(sqlite3 "$DISK/spool.db" 'SELECT count(*) FROM event')" -eq "$(wc -l <"$EVENTS")" ]
}

@test "/healthz reports that no scan is evaluated, whichever of the three stages is stopped" {
	local name pid
	# With this interval /healthz fails after 6 s without a scan, and a stage is killed after 20
	# s.
	launch_and_settle --interval 2s
	for name in ibscan topoclass ctreval; do
		pid=$(stage "$name")
		kill -STOP "$pid"
		wait_until 10 answers /healthz 503 '^no scan was evaluated for [0-9.]+ s$'
		answers /readyz 200
		kill -CONT "$pid"
		wait_until 10 answers /healthz 200 '^ok$'
	done
}

@test "without a kernel log the service is healthy and shows logmatch as down; an empty --kmsg-path disables it" {
	launch_and_settle --kmsg-path "$T/none"
	wait_until 10 shows '^nic_health_monitor_stage_up\{node="gpu-1",stage="logmatch"\} 0$'
	answers /healthz 200 '^ok$'
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	launch_and_settle --kmsg-path ''
	answers /healthz 200 '^ok$'
	shows_no 'stage="logmatch"'
	none says logmatch
}

# --- HTTP ---

@test "GET and HEAD of the four paths succeed; other paths are 404, other methods 405" {
	launch_and_settle
	answers / 200 '^/metrics '
	ask /metrics HEAD
	[ "$STATUS" -eq 200 ]
	[ ! -s "$T/body" ]
	grep -q -i -E '^content-length: [1-9][0-9]{3,}$' "$T/head"
	answers /nothing 404
	local method
	for method in POST PUT DELETE OPTIONS; do
		ask /metrics "$method"
		[ "$STATUS" -eq 405 ]
		grep -q -x -i 'allow: GET, HEAD' "$T/head"
	done
}

@test "slow clients and many clients delay neither a scrape nor an event" {
	launch_and_settle
	started slow /usr/bin/python3 -c '
import socket, sys, time
where, port = sys.argv[1].rsplit(":", 1)
clients = []
def connect():
    client = socket.create_connection((where, int(port)))
    client.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
    clients.append(client)
for _ in range(100):
    connect()
print("connected", flush=True)
while True:
    connect()
    for client in clients[-20:]:
        try:
            client.send(b"x")
        except OSError:
            pass
    del clients[:-100]
    time.sleep(0.01)' "$AT"
	wait_until 20 has_lines 1 "$T/slow.out" connected
	for _ in {1..20}; do
		ask /metrics
		[ "$STATUS" -eq 200 ]
		grep -q '^nic_port_state{' "$T/body"
	done
	is_running "$PID"
	sim down mlx5_1/1
	wait_until 5 has_lines 1 "$EVENTS" "Port mlx5_1 port 1: $GOES_DOWN"
	answers /healthz 200
}

@test "the service works while another process uses its port, and listens once the port is free" {
	local port holder
	port=$(free_port)
	started holder /usr/bin/python3 -c '
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
time.sleep(600)' "$port"
	holder=$PID
	wait_until 20 has_lines 1 "$T/holder.out" listening
	started service "$PROGRAMS/nic-health-monitor" "${OPTIONS[@]}" --metrics-port "$port"
	SERVICE=$PID
	wait_until 20 says "warning: metrics: cannot listen on port $port of 127.0.0.1: Address already in use"
	wait_until 20 says 'note: healthy: watching '
	sim down mlx5_1/1
	wait_until 10 has_lines 1 "$EVENTS" "Port mlx5_1 port 1: $GOES_DOWN"
	kill "$holder"
	AT=127.0.0.1:$port
	wait_until 20 says "note: metrics: listening on $AT"
	answers /readyz 200
	[ "$(grep -c 'metrics: cannot listen' "$T/service.err")" -eq 1 ]
}

# sockets PID - print the process's open sockets
sockets() { find "/proc/$1/fd" -lname 'socket:*'; }

@test "an empty --metrics-port opens no socket, and no stage inherits a socket of the service" {
	launch_and_settle
	[ -n "$(sockets "$SERVICE")" ]
	local name
	for name in "${STAGES[@]}"; do
		[ "$(sockets "$(stage "$name")")" = "" ]
	done
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE"
	started service "$PROGRAMS/nic-health-monitor" "${OPTIONS[@]}" --metrics-port ''
	SERVICE=$PID
	wait_until 20 says 'note: healthy: watching '
	[ "$(sockets "$SERVICE")" = "" ]
	none says 'metrics: '
}

@test "an IPv6 address is served, too" {
	[ -e /proc/net/if_inet6 ] || skip "left out: this machine has no IPv6"
	launch --metrics-address ::1
	[[ $AT = '[::1]:'* ]]
	wait_until 20 answers /readyz 200
}

# --- the heartbeat ---

@test "the first complete scan, and each change of the monitored ports, is a line in the log" {
	echo 'disappearance: {confirmScans: 1}' >"$T/at-once.yaml"
	launch --config "$T/at-once.yaml"
	wait_until 20 says '^nic-health-monitor: note: healthy: watching 4 ports of 4 devices \(.*\), 5 devices found; standing: none; restarts: none$'
	sim remove mlx5_2
	wait_until 10 says '^nic-health-monitor: note: healthy: watching 3 ports of 3 devices \(.*\), 4 devices found; standing: 1 fatal; restarts: none$'
	[ "$(grep -c 'healthy: ' "$T/service.err")" -eq 2 ]
}

@test "while the devices cannot be listed the log says so once, and /healthz stays 200" {
	launch_and_settle
	mv "$NODE/sys/class/infiniband" "$NODE/listing"
	wait_until 10 says '^ctreval: warning: scan [0-9]+: the devices cannot be listed \(ENOENT\)'
	answers /healthz 200
	mv "$NODE/listing" "$NODE/sys/class/infiniband"
	wait_until 10 says '^ctreval: note: scan [0-9]+: the devices can be listed again$'
	says 'cannot be listed'
	[ "$(grep -c 'can.* be listed' "$T/service.err")" -eq 2 ]
}

@test "a node without RDMA devices is healthy: its scans count as completed, and the log says that there are 0 devices" {
	rm -r "$NODE/sys/class/infiniband"
	launch
	wait_until 20 says '^nic-health-monitor: note: healthy: NO PORT IS MONITORED, 0 devices found; standing: none; restarts: none$'
	none says 'CANNOT BE LISTED'
	local completed='^nic_health_monitor_poll_cycle_last_completed_timestamp_seconds\{.*category="state"\} '
	wait_until 20 shows "$completed"
	local first
	first=$(grep -E "$completed" "$T/body")
	goes_on() { shows "$completed" && none grep -q -x -F "$first" "$T/body"; }
	wait_until 20 goes_on
	# So that NICMonitorNothingMonitored leaves such nodes out.
	wait_until 20 shows '^nic_scan_devices(\{.*\})? 0$'
}

@test "a node whose driver did not load shows its NICs without a driver, and that no port is monitored" {
	local device
	for device in "$NODE"/sys/class/infiniband/*; do sim remove "${device##*/}"; done
	rm -r "$NODE/sys/class/infiniband"
	launch
	# So that NICMonitorNothingMonitored tells of such nodes.
	wait_until 20 shows '^nic_pci_functions_unbound(\{.*\})? [1-9][0-9]*$'
	wait_until 20 shows '^nic_health_monitor_monitored_ports\{.*role="compute"\} 0$'
}

@test "without a monitored port the log says so in capitals" {
	printf 'nicExclusionRegex: ".*"\n' >"$T/config.yaml"
	launch --config "$T/config.yaml"
	wait_until 20 says '^nic-health-monitor: note: healthy: NO PORT IS MONITORED, [0-9]+ devices found; '
}
