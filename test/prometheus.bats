#!/usr/bin/env bats
# prometheus: ibscan --format prometheus has exactly the records' values, promtool accepts it, and
# node_exporter serves it.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/exposition

setup() {
	local program
	for program in promtool prometheus-node-exporter; do
		command -v "$program" >/dev/null ||
			skip "left out: no $program (dist/install-deps installs it)"
	done
}

teardown() {
	end_background
	nothing_survives
}

# expose FILE [OPTION]... - write the exposition of the records in FILE to
# $BATS_TEST_TMPDIR/exposition and check it with promtool
expose() {
	ibscan --format prometheus "${@:2}" "$1" >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
}

# says_what_records_say - check that the exposition of $BATS_TEST_TMPDIR/records has exactly the
# samples that jq computes from them, each once
says_what_records_say() {
	expose "$BATS_TEST_TMPDIR/records"
	jq -r -s -L "$BATS_TEST_DIRNAME/lib" 'include "exposition"; samples' \
		"$BATS_TEST_TMPDIR/records" | sort >"$BATS_TEST_TMPDIR/expected"
	[ -s "$BATS_TEST_TMPDIR/expected" ]
	diff "$BATS_TEST_TMPDIR/expected" <(grep -v '^#' "$BATS_TEST_TMPDIR/exposition" | sort)
}

has_line() {
	grep -q -x -F -- "$1" "$BATS_TEST_TMPDIR/exposition" || {
		printf 'no line %s in:\n%s\n' "$1" "$(cat "$BATS_TEST_TMPDIR/exposition")" >&2
		return 1
	}
}

# records LINE... - write a scan of these records, with ' for ", to $BATS_TEST_TMPDIR/records
records() {
	local devices ports
	devices=$(grep -c "'kind':'device'" <<<"$(printf '%s\n' "$@")") || true
	ports=$(grep -c "'kind':'port'" <<<"$(printf '%s\n' "$@")") || true
	{
		echo "{'kind':'scan.begin','v':1,'scan':1,'node':'n','boot_id':'b','ts':'2026-01-02T03:04:05.000000Z','boottime_ns':1,'interval_ms':0}"
		[ $# -eq 0 ] || printf '%s\n' "$@"
		echo "{'kind':'scan.end','scan':1,'ts':'2026-01-02T03:04:06.000000Z','boottime_ns':2,'devices':$devices,'ports':$ports,'complete':true}"
	} | tr "'" '"' >"$BATS_TEST_TMPDIR/records"
}

device() { echo "{'kind':'device','scan':1,'device':'$1','vf':false,'numa_node':-1,'ports':1${2-}}"; }
port() { echo "{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'$1','port':1,'link_layer':'Ethernet'${2-}}"; }

@test "promtool accepts the exposition of every platform, which has exactly the records' values" {
	for platform in $(each_nth 3 "$PLATFORMS"/*.json); do
		echo "# $platform"
		node "$(basename "$platform" .json)" "$(basename "$platform")"
		scan --gids >"$BATS_TEST_TMPDIR/records"
		says_what_records_say
		classify <"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/classified"
		mv "$BATS_TEST_TMPDIR/classified" "$BATS_TEST_TMPDIR/records"
		says_what_records_say
		grep -q 'role="' "$BATS_TEST_TMPDIR/exposition"
		rm -rf "$NODE"
	done
}

@test "promtool accepts every recorded machine, with a series for every counter that was read" {
	need_fixtures
	for recorded in $(each_nth 3 "$FIXTURES"/{sysfs,platforms}/*.tree); do
		echo "# $recorded"
		recorded=${recorded#"$FIXTURES"/}
		untree "${recorded%.tree}"
		ibscan --sysfs-root "$TREE/sys" --boot-id-file /dev/null \
			>"$BATS_TEST_TMPDIR/records"
		expose "$BATS_TEST_TMPDIR/records"
		[ "$(jq -s '[.[] | select(.kind == "port") | (.counters, .net, (.hw_counters, .device_hw_counters // {} | del(.lifespan))) | length] | add' "$BATS_TEST_TMPDIR/records")" \
			-eq "$(grep -c '^nic_port_[^ {]*_total{' "$BATS_TEST_TMPDIR/exposition")" ]
		rm -rf "$TREE"
	done
}

@test "counters have their exact values, data in bytes, even the largest" {
	node h100-oci
	local n=1 moves=()
	for file in $(cd "$NODE/sys/class/infiniband/mlx5_0/ports/1" && printf '%s\n' counters/* \
		hw_counters/*) net/carrier_changes net/statistics/rx_bytes; do
		moves+=("set mlx5_0/1 $file $((n++ * 1000003))")
	done
	sims "${moves[@]}"
	scan >"$BATS_TEST_TMPDIR/records"
	says_what_records_say

	sims 'set mlx5_0/1 counters/port_rcv_data 18446744073709551615' \
		'set mlx5_0/1 counters/port_rcv_packets 18446744073709551615' \
		'set mlx5_0/1 counters/port_xmit_packets 9007199254740993' \
		'set mlx5_0/1 hw_counters/lifespan 12'
	scan >"$BATS_TEST_TMPDIR/records"
	expose "$BATS_TEST_TMPDIR/records"
	has_line 'nic_port_rcv_data_total{device="mlx5_0",port="1",transport="Ethernet"} 73786976294838206460'
	has_line 'nic_port_rcv_packets_total{device="mlx5_0",port="1",transport="Ethernet"} 18446744073709551615'
	has_line 'nic_port_xmit_packets_total{device="mlx5_0",port="1",transport="Ethernet"} 9007199254740993'
	none grep lifespan "$BATS_TEST_TMPDIR/exposition"
}

@test "the exposition is the same live and from the records of the same scan" {
	shared_node h100-oci
	scan --format prometheus | sed -E '/^nic_scan_(timestamp|duration)_seconds/d' \
		>"$BATS_TEST_TMPDIR/live"
	scan | ibscan --format prometheus - | sed -E '/^nic_scan_(timestamp|duration)_seconds/d' \
		>"$BATS_TEST_TMPDIR/recorded"
	cmp "$BATS_TEST_TMPDIR/live" "$BATS_TEST_TMPDIR/recorded"
}

@test "an unreadable counter has no series, and the others keep their names" {
	node h100-oci
	sim set mlx5_0/1 hw_counters/rx_bytes 5
	sim set mlx5_0/1 net/statistics/rx_bytes 7
	scan --format prometheus >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_port_hw_rx_bytes_total{device="mlx5_0",port="1",transport="Ethernet"} 5'
	has_line 'nic_port_rx_bytes_total{device="mlx5_0",port="1",transport="Ethernet"} 7'
	sim unreadable mlx5_0/1 net/statistics/rx_bytes
	scan --format prometheus >"$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_port_hw_rx_bytes_total{device="mlx5_0",port="1",transport="Ethernet"} 5'
	none grep '^nic_port_rx_bytes_total{device="mlx5_0",' "$BATS_TEST_TMPDIR/exposition"
	sim unreadable mlx5_0/1 hw_counters/rx_bytes
	sim mend mlx5_0/1 net/statistics/rx_bytes
	scan --format prometheus >"$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_port_rx_bytes_total{device="mlx5_0",port="1",transport="Ethernet"} 7'
	none grep 'hw_rx_bytes' "$BATS_TEST_TMPDIR/exposition"
}

@test "present, absent and unreadable devices differ in their series" {
	node h100-oci
	sim dangle mlx5_3
	sim remove mlx5_4
	scan --format prometheus >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_device_readable{device="mlx5_0"} 1'
	has_line 'nic_device_readable{device="mlx5_3"} 0'
	none grep 'device="mlx5_4"' "$BATS_TEST_TMPDIR/exposition"
	none grep '^nic_port_.*device="mlx5_3"' "$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_scan_complete 0'
	has_line 'nic_scan_listed 1'
}

@test "a node without RDMA makes a valid exposition with nic_scan_listed 0" {
	mkdir -p "$BATS_TEST_TMPDIR/sys/class"
	ibscan --sysfs-root "$BATS_TEST_TMPDIR/sys" \
		--format prometheus >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
	has_line 'nic_scan_listed 0'
	has_line 'nic_scan_complete 0'
	has_line 'nic_scan_devices 0'
	grep -q '^nic_scan_timestamp_seconds [1-9]' "$BATS_TEST_TMPDIR/exposition"
}

@test "the exposition of a scan that lost a record is valid and has nic_scan_complete 0" {
	shared_node h100-oci
	scan >"$BATS_TEST_TMPDIR/whole"
	for drop in 3 5 '$'; do
		sed "${drop}d" "$BATS_TEST_TMPDIR/whole" >"$BATS_TEST_TMPDIR/records"
		expose "$BATS_TEST_TMPDIR/records"
		has_line 'nic_scan_complete 0'
	done
	sed '4s/.\{40\}$//' "$BATS_TEST_TMPDIR/whole" >"$BATS_TEST_TMPDIR/records"
	expose "$BATS_TEST_TMPDIR/records"
	has_line 'nic_scan_complete 0'
	expose "$BATS_TEST_TMPDIR/whole"
	has_line 'nic_scan_complete 1'
}

@test "promtool accepts any counter names, and no series is there twice" {
	records "$(device a)" "$(port a \
		",'counters':{'x':1,'a.b':2,'a-b':3,'aB':4,'rx_bytes':5,'timeout_ms':6,'':7,'é':8
		,'x_total':9,'le':10,'x y':11}
		,'hw_counters':{'x':12,'rx_bytes':13,'ip4InOctets':14,'ip4_in_octets':15,'ms':16
		,'s':17,'bits':18,'x_count':19,'x_sum':20,'x_bucket':21,'x_info':22,'x_counter':23
		,'milliseconds_gauge':24,'k_b':25,'*/ # HELP':26,'back\\\\slash\\nline':27,'nan':28
		,'9':29,'__name__':30}
		,'net':{'x':31,'rx_bytes':32,'symbol_error':33,'rx_megabytes':34}" | tr '\n' ' ')"
	expose "$BATS_TEST_TMPDIR/records"
	# Each value is there once: none was dropped or replaced.
	diff <(seq 1 34) <(sed -n \
		-E 's/^nic_port_[a-z0-9_]*_total\{device="a",port="1",transport="Ethernet"\} ([0-9]+)$/\1/p' "$BATS_TEST_TMPDIR/exposition" | sort -n)
	none grep -q -E '^[^#].*total\{.*\} .*[^0-9]' "$BATS_TEST_TMPDIR/exposition"
}

@test "any device name is in a label unchanged" {
	records "$(device 'quote\"back\\slash\nline' ",'fw_ver':'}\\\\'")" \
		"$(port 'quote\"back\\slash\nline' ",'counters':{'link_downed':1}")" \
		"$(device 'ünï {x=\"y\"} 1')" \
		"$(port 'ünï {x=\"y\"} 1' ",'counters':{'link_downed':2}")"
	jq -e -s 'length == 6' "$BATS_TEST_TMPDIR/records"
	says_what_records_say
	has_line 'nic_port_link_downed_total{device="quote\"back\\slash\nline",port="1",transport="Ethernet"} 1'
	has_line 'nic_port_link_downed_total{device="ünï {x=\"y\"} 1",port="1",transport="Ethernet"} 2'
}

# --- a real node_exporter ---

# serve DIRECTORY - start node_exporter with only that textfile directory on a free port; sets PORT
serve() {
	started exporter prometheus-node-exporter --collector.disable-defaults \
		--collector.textfile "--collector.textfile.directory=$1" \
		--web.listen-address=127.0.0.1:0 --web.disable-exporter-metrics
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/exporter.err" \
		'msg="Listening on" address=127\.0\.0\.1:[0-9]'
	PORT=$(sed -n -E 's/.*msg="Listening on" address=127\.0\.0\.1:([0-9]+).*/\1/p' \
		"$BATS_TEST_TMPDIR/exporter.err")
}

# asked - fetch its metrics into $BATS_TEST_TMPDIR/reply, and check that it reports no error in the
# file
asked() {
	printf 'GET /metrics HTTP/1.0\r\n\r\n' | timeout 20 socat -t 20 - "TCP:127.0.0.1:$PORT" \
		>"$BATS_TEST_TMPDIR/reply"
	head -n 1 "$BATS_TEST_TMPDIR/reply" | grep -q '^HTTP/1\.[01] 200 '
	grep -q -x -F 'node_textfile_scrape_error 0' "$BATS_TEST_TMPDIR/reply"
}

# served - do the same, with normalised samples in $BATS_TEST_TMPDIR/served
served() {
	asked
	sed '1,/^\r$/d' "$BATS_TEST_TMPDIR/reply" | "$BATS_TEST_DIRNAME/lib/samples" \
		>"$BATS_TEST_TMPDIR/served"
}

# serves_all_of FILE - check that it serves all samples of FILE and no others
serves_all_of() {
	served
	diff <("$BATS_TEST_DIRNAME/lib/samples" <"$1" | sort) <(grep '^nic_' \
		"$BATS_TEST_TMPDIR/served" | sort)
}

@test "node_exporter serves every sample of the textfile that --output writes, scan after scan" {
	node h100-oci-one-port-down
	directory=$BATS_TEST_TMPDIR/textfiles
	mkdir "$directory"
	scan --gids | classify | ibscan --format prometheus --output "$directory/nic.prom" -
	[ "$(ls -A "$directory")" = nic.prom ]
	[ "$(stat -c %a "$directory/nic.prom")" = 644 ]
	serve "$directory"
	serves_all_of "$directory/nic.prom"
	[ "$(grep -c '^nic_port_link_downed_total ' "$BATS_TEST_TMPDIR/served")" -eq 18 ]

	sim add mlx5_0/1 counters/link_downed 3
	sim dangle mlx5_3
	scan --format prometheus --output "$directory/nic.prom"
	serves_all_of "$directory/nic.prom"
	grep -q -x -F "nic_port_link_downed_total [('device', 'mlx5_0'), ('port', '1'), ('transport', 'Ethernet')] 3.0" "$BATS_TEST_TMPDIR/served"
	grep -q -x -F "nic_device_readable [('device', 'mlx5_3')] 0.0" "$BATS_TEST_TMPDIR/served"
}

@test "node_exporter serves names and numbers of every kind" {
	directory=$BATS_TEST_TMPDIR/textfiles
	mkdir "$directory"
	records "$(device 'quote\"back\\slash\nline')" \
		"$(port 'quote\"back\\slash\nline' \
			",'counters':{'x':'18446744073709551615','x.y':2,'x-y':3},'hw_counters':{'x':4,'ip4InOctets':5}")" \
		"$(device 'ünï')" "$(port 'ünï' ",'net':{'x':6,'rx_bytes':7}")"
	ibscan --format prometheus --output "$directory/nic.prom" "$BATS_TEST_TMPDIR/records"
	serve "$directory"
	serves_all_of "$directory/nic.prom"
	[ "$(grep -c '^nic_port_.*_total ' "$BATS_TEST_TMPDIR/served")" -eq 7 ]
}

@test "node_exporter never serves half a scan while the textfile is being replaced" {
	shared_node dgx-h100
	directory=$BATS_TEST_TMPDIR/textfiles
	mkdir "$directory"
	scan --format prometheus --output "$directory/nic.prom"
	samples=$("$BATS_TEST_DIRNAME/lib/samples" <"$directory/nic.prom" | wc -l)
	serve "$directory"
	background scan --interval 10ms --format prometheus --output "$directory/nic.prom"
	for _ in {1..20}; do
		asked
		[ "$(grep -c '^nic_' "$BATS_TEST_TMPDIR/reply")" -eq "$samples" ]
	done
	served
	is_running "$PID"
	[ "$("$BATS_TEST_DIRNAME/lib/samples" <"$directory/nic.prom" | wc -l)" -eq "$samples" ]
}
