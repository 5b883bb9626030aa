#!/usr/bin/env bats
# numbers: the metrics that stages write to the page of --metrics-fd: progress, work done and device
# values.
# SPDX-License-Identifier: Apache-2.0

load lib/common
load lib/exposition
load lib/logmatch

setup() {
	PATH=$BATS_TEST_DIRNAME/lib:$PATH
	PAGE=$BATS_TEST_TMPDIR/page
	export PAGE
	page new "$PAGE"
}

teardown() {
	exec 7>&-
	end_background
	nothing_survives
}

# counted COMMAND... - run it with the page; its output goes to $BATS_TEST_TMPDIR/counted
counted() {
	local limit=(timeout 60)
	[ "$(type -t "$1")" != function ] || limit=()
	EXEC="timeout 60" "${limit[@]}" "$@" --metrics-fd 3 3<>"$PAGE" >"$BATS_TEST_TMPDIR/counted"
}

# counted_as NAME COMMAND... - run it so in the background, like started()
counted_as() {
	# shellcheck disable=SC2016 # for the inner shell
	started "$1" bash -c 'exec "$@" --metrics-fd 3 3<>"$PAGE"' _ "${@:2}"
}

# shows SERIES VALUE [SERIES VALUE]... - check that the page has all of them at the same time. Names
# without nic_ get the prefix nic_health_monitor_.
shows() {
	local series page
	page=$'\n'$(page show "$PAGE")$'\n'
	while [ $# -gt 0 ]; do
		series=$1
		[[ $series == nic_* || $series == syslog_* ]] || series=nic_health_monitor_$series
		[[ $page = *$'\n'"$series $2"$'\n'* ]] || {
			printf 'no %s %s in:\n%s\n' "$series" "$2" \
				"$(grep -F -- "${series%%\{*}" <<<"$page")" >&2
			return 1
		}
		shift 2
	done
}

# none_shown REGEX - check that no series of the page starts so, except those of downtimes, which
# persist
none_shown() { none grep "^$1" <(page show "$PAGE" | grep -v '^nic_port_down_seconds_total'); }

vital() { page vitals "$PAGE" | sed -n "s/^$1 //p"; }
vital_is() { [ "$(vital "$1")" -eq "$2" ]; }
vital_reaches() { [ "$(vital "$1")" -ge "$2" ]; }

# records JQ - print scan records made by lib/records.jq
records() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"records\"; $1"; }

ONE='[ib("mlx5_0"; {link_downed: 0})]'

@test "ctreval as a stage of the service ends without a scan and without a message" {
	run --separate-stderr counted ctreval --config /dev/null </dev/null
	status_is 0
	[ -z "$stderr" ]
}

# Thorough: tools
@test "a descriptor without a page exits 64 with one line in every stage" {
	local stage
	echo "no page" >"$BATS_TEST_TMPDIR/text"
	truncate -s 32M "$BATS_TEST_TMPDIR/zeros"
	for stage in ibscan topoclass ctreval logmatch ibevent correlate; do
		for file in /dev/null "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/zeros"; do
			run --separate-stderr timeout 10 "$stage" --metrics-fd 3 3<>"$file" \
				</dev/null
			status_is 64 "^$stage: error: --metrics-fd 3: not a metrics page$"
			[ "$(wc -l <<<"$stderr")" -eq 1 ]
		done
		run --separate-stderr timeout 10 "$stage" --metrics-fd 99 </dev/null
		status_is 64 "^$stage: error: --metrics-fd 99: Bad file descriptor$"
		run --separate-stderr timeout 10 "$stage" --metrics-fd x </dev/null
		status_is 64 "^$stage: error: --metrics-fd x: not a descriptor$"
	done
	run --separate-stderr timeout 10 ibscan --metrics-fd 3 --format table \
		- 3<>"$PAGE" </dev/null
	status_is 64 "^ibscan: error: --metrics-fd cannot be combined with records from -"
}

@test "ibscan shows progress with each scan" {
	shared_node l40s-onprem
	counted scan --count 3 --interval 10ms
	vital_is ticks 3
	vital_reaches tick_ns 1
}

@test "ibevent counts events by device, port and event, and gaps by source" {
	printf '             app-7       [000] ..... 12.3456%02d: ib_event: (ib_dispatch_event_clients+0x0/0x60 [ib_core]) event=%s\n' \
		1 '10 port=1 dev="mlx5_0"' 2 '10 port=1 dev="mlx5_0"' 3 '9 port=2 dev="mlx5_1"' \
		>"$BATS_TEST_TMPDIR/trace"
	printf '             app-7       [000] ..... 12.345%03d: cm_event_handler: cm.id=1 src=10.0.0.1:1 dst=10.0.0.2:2 tos=0 REJECTED (8/8)\n' \
		700 800 >>"$BATS_TEST_TMPDIR/trace"
	echo 'CPU:0 [LOST 7 EVENTS]' >>"$BATS_TEST_TMPDIR/trace"
	counted ibevent --sources trace --trace "$BATS_TEST_TMPDIR/trace"
	vital_reaches ticks 1
	shows 'nic_async_events_total{device="mlx5_0",port="1",event="PORT_ERR",fabric_error="true",via="trace"}' 2 \
		'nic_async_events_total{device="mlx5_1",port="2",event="PORT_ACTIVE",fabric_error="false",via="trace"}' 1 \
		'nic_cm_events_total{device="",event="REJECTED",cause="remote"}' 2 \
		'nic_event_gaps_total{via="trace"}' 1
	none_shown 'nic_event_gaps_total.via="link"'
	# The next stage that uses the page continues the counts.
	counted ibevent --sources trace --trace "$BATS_TEST_TMPDIR/trace"
	shows 'nic_event_gaps_total{via="trace"}' 2
}

@test "a table records progress with each scan that it prints" {
	local how
	shared_node l40s-onprem
	for how in nicview 'ibscan --format table'; do
		page new "$PAGE"
		# shellcheck disable=SC2086 # a command with its options
		counted $how --sysfs-root "$NODE/sys" --count 3 --interval 10ms
		[ "$(grep -c '5 NICs' "$BATS_TEST_TMPDIR/counted")" -eq 3 ]
		vital_is ticks 3
	done
	run --separate-stderr timeout 10 ibscan --format table --metrics-fd 3 3</dev/null
	status_is 64 "^ibscan: error: --metrics-fd 3: not a metrics page$"
}

@test "topoclass records progress only with each complete scan that it passes on" {
	shared_node l40s-onprem
	scan >"$BATS_TEST_TMPDIR/scan"
	{
		cat "$BATS_TEST_TMPDIR/scan" "$BATS_TEST_TMPDIR/scan"
		sed \$d "$BATS_TEST_TMPDIR/scan"
	} | counted classify
	vital_is ticks 2
	shows 'malformed_lines_total{stage="topoclass"}' 0
}

# Thorough: tools
@test "changed metadata is counted, whether accepted or rejected" {
	local metadata
	node l40s-onprem
	metadata=$NODE/var/lib/nvsentinel/gpu_metadata.json
	scan >"$BATS_TEST_TMPDIR/scan"
	feed_open bash -c "$(declare -f classify); EXEC=exec classify --metrics-fd 3 3<>\"\$PAGE\""
	cat "$BATS_TEST_TMPDIR/scan" >&7
	wait_until 10 vital_is ticks 1
	shows 'metadata_reloads_total{result="taken"}' 0 \
		'metadata_reloads_total{result="refused"}' 0
	cp "$metadata" "$BATS_TEST_TMPDIR/good"
	echo "{" >"$metadata"
	cat "$BATS_TEST_TMPDIR/scan" >&7
	wait_until 10 vital_is ticks 2
	shows 'metadata_reloads_total{result="refused"}' 1
	cp "$BATS_TEST_TMPDIR/good" "$metadata"
	cat "$BATS_TEST_TMPDIR/scan" >&7
	wait_until 10 vital_is ticks 3
	shows 'metadata_reloads_total{result="taken"}' 1 \
		'metadata_reloads_total{result="refused"}' 1
	finished
}

# Thorough: tools
@test "ctreval's metrics of devices and ports equal those of ibscan, for InfiniBand and Ethernet" {
	local platform
	for platform in dgx-a100 h100-oci; do
		node "$platform" "$platform"
		scan | classify >"$BATS_TEST_TMPDIR/records"
		page new "$PAGE"
		counted ctreval --config /dev/null <"$BATS_TEST_TMPDIR/records" 2>/dev/null
		# ibscan prints seconds with six decimals, a page has as many as needed.
		diff <(ibscan --format prometheus "$BATS_TEST_TMPDIR/records" |
			sed -E 's/(\.[0-9]*[1-9])0+$/\1/; s/\.0+$//' | sort) \
			<(page show "$PAGE" | grep -v nic_port_down_seconds_total | grep \
			-E '^(# (HELP|TYPE) )?nic_(scan|device|port|pci)_' | sort)
		[ "$(page show "$PAGE" | grep -c '^nic_port_state{')" -gt 0 ]
		rm -rf "$NODE"
	done
}

# Thorough: tools
@test "promtool accepts the stages' metrics" {
	command -v promtool >/dev/null ||
		skip "left out: no promtool (dist/install-deps installs it)"
	shared_node h100-oci
	scan | classify >"$BATS_TEST_TMPDIR/records"
	counted ctreval --config /dev/null <"$BATS_TEST_TMPDIR/records" 2>/dev/null
	page show "$PAGE" >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
	page new "$PAGE"
	counted logmatch --config /dev/null </dev/null
	counted classify <"$BATS_TEST_TMPDIR/records"
	page show "$PAGE" >"$BATS_TEST_TMPDIR/exposition"
	accepted "$BATS_TEST_TMPDIR/exposition"
}

# manual_families SECTION... - print name, type and labels of each of the service's metrics in these
# sections of the manual
manual_families() {
	local section
	for section in "$@"; do
		sed -n "/^\.Ss $section\$/,/^\.S/p" "$ROOT/doc/nic-health-monitor-metrics.5" |
			sed -n -E '
			/^\.It Li (nic|syslog)_health_monitor_/{
				s/^\.It Li ([^ ]*)( Ns Brq )?/\1 /
				s/ , /,/g
				N
				s/^([^ ]*) (.*)\n([A-Za-z]*)[.,].*$/\1 \L\3 \E\2/p
			}'
	done | sort -u
}

# shown_families FILE - print the same of an exposition, with all labels of a series
shown_families() {
	awk '/^# TYPE (nic|syslog)_health_monitor_/ { type[$3] = $4 }
		/^(nic|syslog)_health_monitor_/ {
			name = $0; sub(/[ {].*/, "", name); sub(/_(bucket|sum|count)$/, "", name)
			if (!(name in type)) next
			labels = $0; if (!sub(/^[^{]*\{/, "", labels)) labels = ""
			sub(/\} [^ ]*$/, "", labels)
			gsub(/="[^"]*"/, "", labels)
			sub(/(^|,)le$/, "", labels)
			if (length(labels) >= length(longest[name])) longest[name] = labels
		}
		END { for (name in type) print name, type[name], longest[name] }' "$1" | sort -u
}

@test "the manual has exactly the metrics of these stages, with their types and labels" {
	shared_node l40s-onprem
	echo 'stateCheck: {portStateHoldDown: 1h}' >"$BATS_TEST_TMPDIR/config.yaml"
	{
		# A link that went down three times flaps; one that is down at the end is held back.
		records "scan(1; 1; $ONE),
			(1, 2, 3 | scan(. + 1; . + 1; [ib(\"mlx5_0\"; {link_downed: .})])),
			scan(5; 5; [ib(\"mlx5_0\"; {link_downed: 3}) + {state: \"DOWN\"}])" |
			counted ctreval --config "$BATS_TEST_TMPDIR/config.yaml" 2>/dev/null
		page show "$PAGE"
		counted logmatch --config /dev/null </dev/null
		page show "$PAGE"
		for seq in 1 2 3; do
			jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"events\";
				worse($seq; \"mlx5_0\") | .seq = $seq"
		done | counted correlate >/dev/null
		page show "$PAGE"
		scan | counted classify
		page show "$PAGE"
	} >"$BATS_TEST_TMPDIR/exposition"
	diff <(manual_families 'All stages that read lines' ctreval logmatch correlate topoclass) \
		<(shown_families "$BATS_TEST_TMPDIR/exposition")
}

# judged - start ctreval with the page and with descriptor 7 as its input
# shellcheck disable=SC2016 # for the inner shell
judged() { feed_open bash -c 'exec ctreval --config /dev/null "$@" --metrics-fd 3 3<>"$PAGE"' _ \
	"$@"; }

# looked N [OPTION]... - scan the node, and wait until ctreval has evaluated N scans
looked() {
	scan "${@:2}" 2>/dev/null | classify >&7
	wait_until 10 vital_is ticks "$1"
}

finished() {
	exec 7>&-
	ends_with 0 "$PID"
}

@test "a node's fault is counted, is shown as standing, and ends" {
	local errors='state_check_errors_total{check="EthernetStateCheck",device="mlx5_0"'
	local standing='standing_conditions{stage="ctreval",is_fatal="true"}'
	local downed='device="mlx5_0",port="1",check="EthernetStateCheck",code="link_downed"'
	node h100-oci
	echo 'disappearance: {confirmScans: 1}' >"$BATS_TEST_TMPDIR/at-once.yaml"
	judged --config "$BATS_TEST_TMPDIR/at-once.yaml"
	looked 1
	shows "$standing" 0 \
		"$errors,port=\"1\"}" 0 \
		'counter_threshold_breaches_total{counter="link_downed",device="mlx5_0",port="1",is_fatal="true"}' 0 \
		'first_poll_deferred_total{check="EthernetStateCheck"}' 0 \
		'monitored_ports{role="compute"}' "$(vital compute)"
	vital_reaches compute 1
	sim down mlx5_0/1
	looked 2
	shows "$standing" 1 \
		"condition{device=\"mlx5_0\",port=\"1\",check=\"EthernetStateCheck\",code=\"port_state\",severity=\"fatal\"}" 1 \
		"$errors,port=\"1\"}" 1
	vital_is standing_fatal 1
	sim up mlx5_0/1
	sim add mlx5_0/1 counters/link_downed 3
	looked 3
	shows 'counter_threshold_breaches_total{counter="link_downed",device="mlx5_0",port="1",is_fatal="true"}' 1 \
		"condition{$downed,severity=\"fatal\"}" 1 \
		"breach_growth{$downed}" 0
	none_shown 'nic_health_monitor_condition{.*code="port_state"'
	shows "$errors,port=\"1\"}" 1
	vital_is standing_fatal 1
	sim add mlx5_0/1 counters/link_downed 7
	looked 4
	shows "breach_value{$downed}" 10 \
		"breach_growth{$downed}" 7
	sim remove mlx5_0
	looked 5
	shows 'poll_cycle_duration_seconds_count{category="state"}' 5 \
		'poll_cycle_duration_seconds_count{category="counter"}' 5 \
		'condition{device="mlx5_0",port="",check="EthernetStateCheck",code="nic_gone",severity="fatal"}' 1 \
		"$errors,port=\"\"}" 1
	none_shown 'nic_device_readable{device="mlx5_0"}'
	none_shown 'nic_port_[a-z_]*{device="mlx5_0"'
	finished
}

@test "a port's downtime adds up from scan to scan as long as the port can be read" {
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records";
		def port($n; $at; $state): scan($n; $at; [ib("mlx5_0"; {}) + {state: $state},
			ib("mlx5_1"; {}) + {pci: "0000:19:00.0"}]);
		port(1; 1; "ACTIVE"), port(2; 2; "DOWN"), port(3; 5.5; "DOWN"),
		port(4; 7; "ACTIVE"), port(5; 9; "ACTIVE"), port(6; 10; "INIT"), port(7; 11; null),
		port(8; 20; "DOWN"), port(9; 20.25; "ACTIVE"), port(10; 22; "DOWN"),
		# A NIC that is gone keeps its count, which does not grow when it is back.
		scan(11; 30; [ib("mlx5_1"; {}) + {pci: "0000:19:00.0"}])' >"$BATS_TEST_TMPDIR/in"
	counted ctreval <"$BATS_TEST_TMPDIR/in"
	shows 'nic_port_down_seconds_total{device="mlx5_0",port="1"}' 6.25 \
		'nic_port_down_seconds_total{device="mlx5_1",port="1"}' 0
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records";
		def port($n; $at; $state): scan($n; $at; [ib("mlx5_0"; {}) + {state: $state}]);
		port(12; 4000; "ACTIVE")' >>"$BATS_TEST_TMPDIR/in"
	page new "$PAGE"
	counted ctreval <"$BATS_TEST_TMPDIR/in"
	shows 'nic_port_down_seconds_total{device="mlx5_0",port="1"}' 6.25
}

@test "an extra scan counts its fatal events, its blips and the downtime of its ports" {
	local labels='check="InfiniBandStateCheck",device="mlx5_0",port="1"'
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records";
		def port($n; $at; $state): scan($n; $at; [ib("mlx5_0"; {}) + {state: $state}]);
		def extra($n; $at; $state): port($n; $at; $state)
			| if .kind == "device" then . else .extra = true end;
		port(1; 1; "ACTIVE"), port(2; 2; "ACTIVE"), extra(3; 2.25; "DOWN"),
		extra(4; 2.75; "ACTIVE"), port(5; 3; "ACTIVE")' >"$BATS_TEST_TMPDIR/in"
	counted ctreval <"$BATS_TEST_TMPDIR/in"
	shows "state_check_errors_total{$labels}" 1 scans_evaluated_total 3 \
		'nic_port_down_seconds_total{device="mlx5_0",port="1"}' 0.5
	echo 'stateCheck: {portStateHoldDown: 10s}' >"$BATS_TEST_TMPDIR/hold.yaml"
	counted ctreval --config "$BATS_TEST_TMPDIR/hold.yaml" <"$BATS_TEST_TMPDIR/in"
	shows "port_state_blips_total{$labels}" 1 "state_check_errors_total{$labels}" 1
}

# Thorough: tools
@test "a hanging device is unreadable and misses its deadline, and its ports are neither up nor down" {
	local before
	node h100-oci
	judged
	looked 1
	before=$(vital port_set)
	shows 'scan_deadline_misses_total{device="mlx5_0"}' 0
	sim hang mlx5_0/1 counters/link_downed
	looked 2 --device-timeout 1s
	shows 'scan_deadline_misses_total{device="mlx5_0"}' 1 \
		devices_unreadable 1 \
		'nic_device_readable{device="mlx5_0"}' 0 \
		nic_scan_complete 0
	none_shown 'nic_port_[a-z_]*{device="mlx5_0"'
	[ "$(vital port_set)" = "$before" ]
	finished
}

@test "a restarted stage continues its counts and shows no old values" {
	records "scan(1; 1; $ONE), scan(2; 2; $ONE)" | counted ctreval \
		--config /dev/null 2>/dev/null
	shows scans_evaluated_total 2 \
		'malformed_lines_total{stage="ctreval"}' 0
	echo "torn" | counted ctreval --config /dev/null 2>/dev/null
	shows scans_evaluated_total 2 \
		'malformed_lines_total{stage="ctreval"}' 1
	vital_is ticks 0
	vital_is port_set 0
	none_shown nic_port
	none_shown nic_health_monitor_monitored_ports
	records "scan(3; 3; $ONE)" | counted ctreval --config /dev/null 2>/dev/null
	shows scans_evaluated_total 3 \
		evaluation_duration_seconds_count 3 \
		'nic_port_info{device="mlx5_0",port="1",transport="InfiniBand",state="ACTIVE",phys_state="LinkUp",rate="",netdev="",operstate="up"}' 1
	vital_is ticks 1
}

EVALUATED=nic_health_monitor_scans_evaluated_total

# evaluated N - return success if at least N scans were evaluated
evaluated() { [ "$(page show "$PAGE" | sed -n "s/^$EVALUATED //p")" -ge "$1" ]; }

# Thorough: tools
@test "a stage killed at any moment leaves a readable page, which the next one continues" {
	local round before=0 now
	# Many ports come and go, so that it keeps adding series.
	jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records"; range(1; 400) as $n
		| scan($n; $n; [range($n % 7; 30) | ib("mlx5_\(. * ($n % 11))_\(.)";
		{link_downed: 0, "c\($n)": $n})])' >"$BATS_TEST_TMPDIR/in"
	for round in {1..8}; do
		counted_as ctreval ctreval \
			--config /dev/null < <(while cat "$BATS_TEST_TMPDIR/in"; do :; \
			done 2>/dev/null)
		# The vital metrics are the previous writer's until this stage has opened the page.
		wait_until 10 evaluated $((before + round * 20)) 2>/dev/null
		kill -KILL "$PID"
		ends_with 137 "$PID"
		page show "$PAGE" >"$BATS_TEST_TMPDIR/exposition"
		now=$(sed -n "s/^$EVALUATED //p" "$BATS_TEST_TMPDIR/exposition")
		[ "$now" -ge $((before + round * 20)) ]
		before=$now
		[ "$(grep '^nic_' "$BATS_TEST_TMPDIR/exposition" | sed 's/ [^ ]*$//' | sort | uniq \
			-d)" = "" ]
	done
	records "scan(1; 1; $ONE)" | counted ctreval --config /dev/null 2>/dev/null
	shows scans_evaluated_total $((before + 1)) \
		'nic_port_link_downed_total{device="mlx5_0",port="1",transport="InfiniBand"}' 0
}

@test "scans that lost a record are counted, and a single one hides no series" {
	judged
	records "scan(1; 1; $ONE)" >&7
	wait_until 10 vital_is ticks 1
	records "scan(2; 2; $ONE)" | sed '/"kind":"port"/s/^/x/' >&7
	wait_until 10 vital_is ticks 2
	shows scans_incomplete_total 1 \
		scans_evaluated_total 2 \
		'malformed_lines_total{stage="ctreval"}' 1 \
		'nic_port_link_downed_total{device="mlx5_0",port="1",transport="InfiniBand"}' 0
	records "scan(3; 3; $ONE)" | sed '/"kind":"port"/s/^/x/' >&7
	wait_until 10 vital_is ticks 3
	none_shown nic_port_
	finished
}

@test "unacknowledged events are counted until they are acknowledged" {
	local source
	judged --state "$BATS_TEST_TMPDIR/state.json" --acks "$BATS_TEST_TMPDIR/acks.json"
	records "scan(1; 1; $ONE)" >&7
	wait_until 10 vital_is ticks 1
	shows 'outbox_events{stage="ctreval"}' \
		"$(jq '.outbox | length' "$BATS_TEST_TMPDIR/state.json")"
	none shows 'outbox_events{stage="ctreval"}' 0 2>/dev/null
	source=$(jq -r .source "$BATS_TEST_TMPDIR/state.json")
	jq -n --arg s "$source" --argjson n "$(jq .seq "$BATS_TEST_TMPDIR/state.json")" \
		'{version: 1, acks: {($s): $n}, receiver: "r"}' \
		>"$BATS_TEST_TMPDIR/acks.json"
	records "scan(2; 2; $ONE)" >&7
	wait_until 10 vital_is ticks 2
	shows 'outbox_events{stage="ctreval"}' 0
	finished
}

# log FIRST TEXT... - append records to the kernel log, numbered from FIRST
log() {
	local seq=$1
	shift
	printf '%s\n' "$@" | kmsg_records "$seq" >>"$BATS_TEST_TMPDIR/kmsg"
}

@test "logmatch counts records, matches and lost records over restarts" {
	local fault="mlx5_core 0000:18:00.0: wait_func:1176:(pid 1): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource"
	local following=(logmatch --kmsg="$BATS_TEST_TMPDIR/kmsg" --config /dev/null \
		--sysfs-root "$BATS_TEST_TMPDIR" --state "$BATS_TEST_TMPDIR/state.json"
		--boot-id-file "$BATS_TEST_TMPDIR/boot_id")
	echo "00000001-0000-4000-8000-000000000000" >"$BATS_TEST_TMPDIR/boot_id"
	log 0 "hello" "$fault" "$fault"
	counted_as a "${following[@]}"
	wait_until 10 shows kernel_log_records_total 3 2>/dev/null
	shows 'kernel_log_matches_total{pattern="cmd_exec_timeout"}' 2 \
		'kernel_log_matches_total{pattern="netdev_watchdog"}' 0 \
		'syslog_health_monitor_nic_driver_errors{event="cmd_exec_timeout",severity="fatal"}' 2 \
		'syslog_health_monitor_nic_driver_errors{event="netdev_watchdog",severity="non_fatal"}' 0 \
		'standing_conditions{stage="logmatch",is_fatal="true"}' 1 \
		'condition{device="",port="",check="SysLogsNICDriverError",code="cmd_exec_timeout",severity="fatal"}' 1
	vital_is standing_fatal 1
	shows kernel_log_gaps_total 0 \
		kernel_log_records_lost_total 0 \
		'malformed_lines_total{stage="logmatch"}' 0
	log 10 "after a gap" "mlx5_cmd_out_err: 12 callbacks suppressed"
	echo "4,12,1012000,-" >>"$BATS_TEST_TMPDIR/kmsg"
	wait_until 10 shows 'malformed_lines_total{stage="logmatch"}' 1 2>/dev/null
	shows kernel_log_gaps_total 2 \
		kernel_log_records_lost_total 19
	kill -TERM "$PID"
	ends_with 0 "$PID"
	log 13 "$fault"
	counted_as b "${following[@]}"
	wait_until 10 shows 'kernel_log_matches_total{pattern="cmd_exec_timeout"}' 3 2>/dev/null
	shows 'syslog_health_monitor_nic_driver_errors{event="cmd_exec_timeout",severity="fatal"}' \
		3 \
		'standing_conditions{stage="logmatch",is_fatal="true"}' 1
	# It skips records that it has read before.
	none shows kernel_log_records_total 9 2>/dev/null
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

# Thorough: tools
@test "logmatch records progress even when the kernel logs nothing" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	exec 7<>"$BATS_TEST_TMPDIR/fifo"
	counted_as a logmatch --kmsg="$BATS_TEST_TMPDIR/fifo" --config /dev/null \
		--sysfs-root "$BATS_TEST_TMPDIR" --boot-id-file /dev/null
	wait_until 10 vital_reaches ticks 1
	wait_until 10 vital_reaches ticks 2
	kill -TERM "$PID"
	ends_with 0 "$PID"
}

@test "driver errors are counted with the severity of their events, even those of a storm without events" {
	local failed="probe with driver mlx5_core failed with error -12" \
		errors='syslog_health_monitor_nic_driver_errors{event="probe_failed",severity'
	functions
	# The first function is a physical one, and the second a virtual function of it.
	ln -s ../0000:18:00.0 "$SYS/devices/pci0000:17/0000:17:01.0/0000:18:00.1/physfn"
	for _ in {1..12}; do
		echo "mlx5_core 0000:18:00.0: $failed"
	done >"$BATS_TEST_TMPDIR/log"
	echo "mlx5_core 0000:18:00.1: $failed" >>"$BATS_TEST_TMPDIR/log"
	counted logmatch --config /dev/null --sysfs-root "$SYS" "$BATS_TEST_TMPDIR/log"
	[ "$(jq -s 'map(select(.isFatal)) | length' "$BATS_TEST_TMPDIR/counted")" -eq 10 ]
	shows "$errors=\"fatal\"}" 12 \
		"$errors=\"non_fatal\"}" 1 \
		'kernel_log_matches_total{pattern="probe_failed"}' 13 \
		'condition{device="mlx5_0",port="",check="SysLogsNICDriverError",code="probe_failed",severity="fatal"}' 1 \
		'condition{device="mlx5_1",port="",check="SysLogsNICDriverError",code="probe_failed",severity="non_fatal"}' 1 \
		'standing_conditions{stage="logmatch",is_fatal="true"}' 1
}
