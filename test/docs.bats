#!/usr/bin/env bats
# docs: run every block of commands in README and the manuals on a simulated node, in the order of
# the text.
#
# test/docs/how lists blocks, by their first line, that are treated differently: output (no
# commands), ends-N, silent, config-FILE (saved there), elsewhere, and why. All other blocks must
# exit 0 and leave something on stdout, in a file or with a receiver.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/spool
	load lib/servers
	load lib/platforms
}

teardown() {
	end_background
	nothing_survives
}

# documents - print the documents that have blocks.
# shellcheck disable=SC2153 # ROOT is not ROOM
documents() { (cd "$ROOT" && grep -l -E '^(\.Bd -literal|    [^ ])' README.md tools/*/*.1 \
	doc/*.[57]); }

# room - make a directory that stands for /var, /tmp and /run of a node with a broken port, a kernel
# log and a spool. Copy slow parts from $MADE.
room() {
	local tool spool
	export ROOM=$BATS_TEST_TMPDIR/room NODE=$BATS_TEST_TMPDIR/node
	mkdir "$ROOM"
	cp -a "$MADE/node" "$NODE"
	ln -s "$NODE" "$ROOM/host"
	ln -s "$ROOT/test" "$ROOM/test"
	mkdir -p "$ROOM"/{bin,tmp,run/secrets} \
		"$ROOM"/var/{log,run,tmp,lib/nic-health-monitor,lib/prometheus/node-exporter}
	for tool in ibscan ibevent rdmatrace topoparse lnetread topoclass logmatch correlate \
		blastradius fleetread fleetview fleetpage fleetsetup emit nicdiff nichist \
		nicsilence nicview nicwhy nhm nhm-capture niccheck pcitopo \
		nic-health-monitor lnetctl nvidia-smi ibnetdiscover dmesg journalctl curl sudo \
		systemctl systemd-sysusers; do
		ln -s "$ROOT/test/docs/stand-in" "$ROOM/bin/$tool"
	done
	cp "$MADE"/{mail.txt,matrix,events.ndjson} "$ROOT/test/docs/try.yaml" "$ROOM"
	cp "$ROOT/test/fleet/topology/topology.conf" "$ROOM"
	install -D "$MADE/events.ndjson" "$ROOM/node001/events.ndjson"
	install -D "$ROOT/test/corpus/lnetread/rdma/input" "$ROOM/run/nic-health-monitor-lnet/read"
	cp "$MADE/kern.log" "$ROOM/var/log/kern.log"
	cp "$MADE/kern.log" "$ROOM/var/log/kern.log.1"
	spool=$ROOM/var/lib/nic-health-monitor/spool.db
	cp "$MADE/spool.db" "$spool"
	sqlite3 "$spool" "UPDATE dead_letter SET sink = 'grpc:unix://$ROOM/var/run/nvsentinel.sock'"
	cp "$spool" "$spool.corrupt-20261121T031500Z"
	(umask 077 && echo secret >"$ROOM/run/secrets/token")
}

# setup_file - make once what all rooms share: the node, its kernel log, its events, its spool,
# certificates.
setup_file() {
	export MADE=$BATS_FILE_TMPDIR TLS
	BATS_TEST_TMPDIR=$MADE
	setup
	few h100-oci mlx5_{0,2,3,4,11,12}
	sim unplug mlx5_3/1
	sim add mlx5_4/1 counters/symbol_error 5
	echo "$COMPLAINT" >"$MADE/mail.txt"
	sim kmsg "$COMPLAINT"
	sed 's/^/Jan  2 03:04:05 gpu-42 kernel: [   12.345678] /' "$MADE/mail.txt" >"$MADE/kern.log"
	scan --interval 50ms --count 2 | classify | ctreval --baseline >"$MADE/events.ndjson"
	matrix h100-oci >"$MADE/matrix"
	a_night "$MADE/spool.db"
	make_certificates
}
COMPLAINT="mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource"

# blocks DOCUMENT - write the document's blocks into the room.
blocks() { "$ROOT/test/docs/blocks" "$1" "$ROOM/blocks"; }

# named REGEX - return success if a block matches.
named() { grep -q -r -E -- "$1" "$ROOM/blocks"; }

# receivers - start the receivers that the blocks send events to; without them the blocks fail.
receivers() {
	cp "$TLS/ca.pem" "$ROOM/ca.pem"
	if named 'nvsentinel|nic-health-monitor|emit|nichist'; then
		start_connector plain "unix:$ROOM/var/run/nvsentinel.sock"
	fi
	if named 'connector:8443'; then
		start_connector secret 127.0.0.1:0 --cert "$TLS/server.pem" --key "$TLS/server.key"
		SECRET=$ADDRESS
	fi
	if named 'hooks\.example\.com|alertmanager:9093'; then
		start_webhook web
		WEB=$ADDRESS
	fi
	if named 'collector:7000|127\.0\.0\.1:5170|TCP-LISTEN'; then
		PORT=$(free_port)
		TCP=127.0.0.1:$PORT
		"$ROOT/test/docs/blocks" "$ROOT/tools/emit/emit.1" "$ROOM/emit"
		started collector bash -c "$(in_room "$(grep -l -r TCP-LISTEN "$ROOM/emit")")"
		wait_until 20 takes_connections
	fi
	if named 'events\.sock'; then
		started events socat -u "UNIX-LISTEN:$ROOM/run/events.sock,fork" STDOUT
		wait_until 20 test -S "$ROOM/run/events.sock"
	fi
	! named 'localhost:2112' || watch
}

# watch OPTION... - start the service for the blocks that query it, or run beside it.
watch() {
	started service nic-health-monitor --sysfs-root "$NODE/sys" \
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json" --kmsg-path '' \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route" \
		--state-file '' --spool '' --sink "file:$ROOM/tmp/service" \
		--metrics-port 0 --metrics-address 127.0.0.1 "$@"
	wait_until 20 is_watching
}

is_watching() {
	SERVICE_AT=$(sed -n 's/^nic-health-monitor: note: metrics: listening on //p' \
		"$BATS_TEST_TMPDIR/service.err")
	[ -n "$SERVICE_AT" ] && get "http://$SERVICE_AT/healthz" >/dev/null
}
takes_connections() { (: >"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; }

# in_room BLOCK - print its text with the room's files and receivers instead of a node's.
in_room() {
	sed -E -e "s#(^|[^[:alnum:]_.])/(var|tmp|run|host)/#\1$ROOM/\2/#g" \
		-e "s#(collector:7000|127\.0\.0\.1:5170)#$TCP#g" \
		-e "s#TCP-LISTEN:5170#TCP-LISTEN:$PORT#; s#connector:8443#$SECRET#" \
		-e "s#https://hooks\.example\.com#http://$WEB#" \
		-e "s#alertmanager:9093#$WEB#; s#localhost:2112#$SERVICE_AT#" "$1"
}

# how DOCUMENT BLOCK - print the word and reason that test/docs/how has for the block, or nothing if
# it is to be run.
how() { awk -F '\t' -v document="$1" -v first="$(head -n 1 "$2")" \
	'$1 == document && $2 == first { print $3 }' "$ROOT/test/docs/how"; }

# typed FILE - run its blocks, which the room has, in one shell.
typed() {
	local block word
	{
		echo 'shopt -s expand_aliases; set -o pipefail; trap '\''code=$?'\'' ERR; unset BASH_ENV'
		for block in "$ROOM"/blocks/*; do
			word=$(how "${1#"$ROOT"/}" "$block")
			case ${word%% *} in
			'' | silent | ends-*)
				in_room "$block" >"$block.typed"
				# Each block starts in the room's directory; its background jobs
				# must end. File times advance in steps of up to 10 ms.
				echo \
					"touch '$block.began'; sleep 0.02; code=0; . '$block.typed' <'$ROOM/events.ndjson' >'$block.out' 2>'$block.err'; wait; echo \$code >'$block.code'"
				;;
			config-*) cp "$block" "$ROOM/${word#config-}" ;;
			esac
		done
	} >"$ROOM/script"
	(cd "$ROOM" && PATH=$ROOM/bin:$PATH timeout 300 bash "$ROOM/script" 7>&- 3>&-)
}

# has_left_something BLOCK - return success if the block or a receiver has written a file.
has_left_something() { [ -n "$(find "$ROOM" "$BATS_TEST_TMPDIR" -path "$ROOM/blocks" -prune -o \
	-path "$NODE" -prune -o -type f -size +0 -newer "$1.began" -print -quit)" ]; }

# as_it_should DOCUMENT - check that every block exited as expected, with some output and no error
# message.
as_it_should() {
	local block word code wrong=0 count=0
	for block in "$ROOM"/blocks/??; do
		word=$(how "$1" "$block")
		case ${word%% *} in '' | silent) code=0 ;; ends-*) code=${word%% *} \
			code=${code#ends-} ;; *) continue ;; esac
		count=$((count + 1))
		if [ "$(cat "$block.code")" = "$code" ] && { [ -s "$block.out" ] ||
			[[ $word = silent* ]] || has_left_something "$block"; } &&
			! grep -i \
			-E "syntax error|compile error|usage:|--help|not found|unrecognized|No such file" "$block.err"; then
			continue
		fi
		printf '%s: this block ended with %s, expected %s:\n%s\nstdout: %s\nstderr: %s\n' \
			"$1" "$(cat "$block.code")" "$code" \
			"$(cat "$block")" "$(head -c 2000 "$block.out")" "$(cat "$block.err")" >&2
		wrong=1
	done
	[ "$count" -gt 0 ] && [ "$wrong" -eq 0 ]
}

# holds DOCUMENT - run all blocks of the document and check them.
holds() {
	room
	blocks "$ROOT/$1"
	receivers
	typed "$ROOT/$1"
	as_it_should "$1"
}

# answers DOCUMENT REGEX COUNT - run, in the room, the blocks of the document that have a line that
# matches, of which there are COUNT; check them, and set ANSWERS to their output.
answers() {
	local block
	rm -rf "$ROOM/blocks"
	blocks "$ROOT/$1"
	for block in "$ROOM"/blocks/*; do
		grep -q -E -- "$2" "$block" || rm "$block"
	done
	[ "$(find "$ROOM/blocks" -type f | wc -l)" -eq "$3" ]
	typed "$ROOT/$1"
	as_it_should "$1"
	ANSWERS=$(cat "$ROOM"/blocks/*.out)
}

@test "no command in a document uses a known file name in a world-writable directory" {
	none grep -n -E '(^|[^[:alnum:]_.])/(var/)?tmp/' "$ROOT/README.md" \
		"$ROOT"/test/sim/README.md "$ROOT"/tools/*/*.1 "$ROOT"/doc/*.[57]
}

@test "the commands in README.md work as typed" { holds README.md; }
@test "the commands in tools/blastradius/blastradius.1 work as typed" {
	holds tools/blastradius/blastradius.1
}
@test "the commands in tools/ctreval/ctreval.1 work as typed" { holds tools/ctreval/ctreval.1; }
@test "the commands in tools/correlate/correlate.1 work as typed" { holds tools/correlate/correlate.1; }
@test "the commands in tools/emit/emit.1 work as typed" { holds tools/emit/emit.1; }
@test "the commands in tools/ibevent/ibevent.1 work as typed" { holds tools/ibevent/ibevent.1; }
@test "the commands in tools/ibscan/ibscan.1 work as typed" { holds tools/ibscan/ibscan.1; }
@test "the commands in tools/logmatch/logmatch.1 work as typed" { holds tools/logmatch/logmatch.1; }
@test "the commands in tools/fleetsetup/fleetsetup.1 work as typed" {
	holds tools/fleetsetup/fleetsetup.1
}
@test "the commands in tools/fleetpage/fleetpage.1 work as typed" {
	holds tools/fleetpage/fleetpage.1
}
@test "the commands in tools/fleetview/fleetview.1 work as typed" {
	holds tools/fleetview/fleetview.1
}
@test "the commands in tools/fleetread/fleetread.1 work as typed" { holds tools/fleetread/fleetread.1; }
@test "the commands in tools/niccheck/niccheck.1 work as typed" { holds tools/niccheck/niccheck.1; }
@test "the commands in tools/nicwhy/nicwhy.1 work as typed" { holds tools/nicwhy/nicwhy.1; }
@test "the commands in tools/nicdiff/nicdiff.1 work as typed" { holds tools/nicdiff/nicdiff.1; }
@test "the commands in tools/nichist/nichist.1 work as typed" { holds tools/nichist/nichist.1; }
@test "the commands in tools/nicview/nicview.1 work as typed" { holds tools/nicview/nicview.1; }
@test "the commands in tools/capture/nhm-capture.1 work as typed" { holds tools/capture/nhm-capture.1; }
@test "the commands in tools/nhm/nhm.1 work as typed" { holds tools/nhm/nhm.1; }
@test "the commands in tools/supervisor/nic-health-monitor.1 work as typed" { holds tools/supervisor/nic-health-monitor.1; }
@test "the commands in tools/nicsilence/nicsilence.1 work as typed" { holds tools/nicsilence/nicsilence.1; }
@test "the commands in tools/pcitopo/pcitopo.1 work as typed" { holds tools/pcitopo/pcitopo.1; }
@test "the commands in tools/topoclass/topoclass.1 work as typed" { holds tools/topoclass/topoclass.1; }
@test "the commands in tools/lnetread/lnetread.1 work as typed" { holds tools/lnetread/lnetread.1; }
@test "the commands in tools/rdmatrace/rdmatrace.1 work as typed" { holds tools/rdmatrace/rdmatrace.1; }
@test "the commands in tools/topoparse/topoparse.1 work as typed" { holds tools/topoparse/topoparse.1; }
@test "the commands in doc/nic-health-monitor.7 work as typed" { holds doc/nic-health-monitor.7; }
@test "the commands in doc/nic-health-monitor.yaml.5 work as typed" { holds doc/nic-health-monitor.yaml.5; }
@test "the commands in doc/nic-health-monitor-records.5 work as typed" { holds doc/nic-health-monitor-records.5; }
@test "the commands in doc/nic-health-monitor-spool.5 work as typed" { holds doc/nic-health-monitor-spool.5; }

@test "what nic-health-monitor.1 only tries out runs beside a service" {
	room
	watch --state-file "$ROOM/state.json" --spool "$ROOM/spool.db"
	answers tools/supervisor/nic-health-monitor.1 '--sink -( |$)|STORE_ONLY' 2
}

@test "the examples that count events, or how long they waited, leave out healthy ones" {
	room
	sqlite3 "$ROOM/var/lib/nic-health-monitor/spool.db" \
		'UPDATE event SET received_ns = received_ns + 3600000000000 WHERE is_healthy'
	answers tools/nichist/nichist.1 'uniq -c' 1
	diff <(printf '%s\n' '1 mlx5_0' '2 mlx5_3') <(awk '{ print $1, $2 }' <<<"$ANSWERS") >&2
	answers doc/nic-health-monitor-spool.5 'alias spool|count\(|longest_s' 3
	grep -q -E 'mlx5_0 │ 1 +│ 1 ' <<<"$ANSWERS"
	grep -q -E 'nic-health-monitor │ 0\.0 ' <<<"$ANSWERS"
}

@test "correlate.1 shows the patterns in a history, not their ends, nor those that the node found" {
	local spool ago
	room
	spool=$ROOM/var/lib/nic-health-monitor/spool.db
	SEQ=10
	for ago in 9003 9002 9001 100; do
		stored "$spool" "$ago" degraded mlx5_4/1 InfiniBandDegradationCheck symbol_error \
			slow
	done
	stored "$spool" 9000 degraded mlx5_4/1 RepeatedNICDegradation symbol_error 'found there'
	sqlite3 "$spool" "UPDATE event SET record =
		json_set(record, '\$.agent', 'health-events-analyzer') WHERE seq = $SEQ"
	answers tools/correlate/correlate.1 'health-events-analyzer' 1
	diff <(echo 'RepeatedNICDegradation 3 events within 1h, the latest: slow') \
		<(cut -d ' ' -f 2- <<<"$ANSWERS") >&2
}

@test "the switches that fleetread.1 finds come without the events of the nodes" {
	room
	answers tools/fleetread/fleetread.1 fabric_suspect 2
	[ -e "$ROOM/found.ndjson" ]
	[ ! -s "$ROOM/found.ndjson" ]
}

@test "no example looks for patterns in the files of nodes, which have them already" {
	none grep -n -E 'events\.ndjson *\| *correlate' "$ROOT"/{README.md,doc/*.md} \
		"$ROOT"/doc/runbooks/*.md "$ROOT"/tools/*/*.1 "$ROOT"/doc/*.[57]
}

@test "every document has a test, and test/docs/how names only blocks that exist" {
	local document first word
	diff <(documents | sort) <(sed -n -E 's/^@test "the commands in (.*) work as typed".*/\1/p' \
		"$BATS_TEST_FILENAME" | sort)
	while IFS=$'\t' read -r document first word; do
		rm -rf "$BATS_TEST_TMPDIR/blocks"
		"$ROOT/test/docs/blocks" "$ROOT/$document" "$BATS_TEST_TMPDIR/blocks"
		grep -q -x -F -- "$first" <(head -q -n 1 "$BATS_TEST_TMPDIR"/blocks/*) || {
			echo "$document has no block that begins with: $first" >&2
			return 1
		}
		[[ $word = output* || $word = ends-* || $word = config-* || $word = silent$'\t'?* ||
			$word = elsewhere$'\t'?* ]]
	done <"$ROOT/test/docs/how"
}

@test "the test detects wrong jq, wrong shell, a wrong option, and a block without output" {
	room
	cat >"$ROOM/README.md" <<-'END'
		    ibscan | jq -c 'select(.kind=="port") | {device, port} + (.counters | with_entries(select(.value != 0)) | select(length > 2)'

		Text.

		    ibscan | (jq -c .

		    ibscan --no-such-option | jq -c .

		    ibscan --no-such-option; echo well

		    ibscan | jq -c 'select(.kind=="prot")'

		    ibscan | jq -c 'select(.kind=="port")'
	END
	blocks "$ROOM/README.md"
	typed "$ROOM/README.md"
	run as_it_should "$ROOM/README.md"
	[ "$status" -eq 1 ]
	[ "$(grep -c 'this block ended with' <<<"$output")" -eq 5 ]
}
