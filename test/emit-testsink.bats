#!/usr/bin/env bats
# emit-testsink: emit --test-sink reports each sink's response to a test event. And sinks on unknown
# hosts.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/emit
	T=$BATS_TEST_TMPDIR
}

teardown() {
	end_background
	nothing_survives
}

# tested OPTION... - run emit --test-sink.
tested() { run --separate-stderr timeout 30 emit --test-sink "$@"; }

# Thorough: sinks
@test "each sink gets one healthy STORE_ONLY event, and emit reports each response" {
	start_connector pc
	local grpc=grpc:http://$ADDRESS
	start_webhook web
	local web=http://$ADDRESS
	tested --node gpu-1 --sink "$grpc" --sink "$web" --sink "file:$T/out" --sink -
	status_is 0
	sed -E 's/after [0-9]+ ms$/after N ms/' <<<"$stderr" | diff - <(cat <<-END
		emit: note: sink $grpc: accepted the test event: HTTP 200, grpc-status 0, after N ms
		emit: note: sink $web: accepted the test event: HTTP 204, after N ms
		emit: note: sink file:$T/out: accepted the test event: written, after N ms
		emit: note: sink -: accepted the test event: written, after N ms
	END
	)
	local event='.isHealthy and (.isFatal | not) and .checkName == "NicHealthMonitorTest"
		and .processingStrategy == "STORE_ONLY" and .errorCode == ["test"]
		and .entitiesImpacted == [] and .recommendedAction == "NONE"
		and .nodeName == "gpu-1" and .componentClass == "NIC"'
	jq -e "$event and (.id | test(\"^[0-9a-f]{16}-1\$\"))" <<<"$output"
	diff "$T/out" <(echo "$output")
	[ "$(logged pc "select(.kind == \"event\") | .event | $event")" = true ]
	[ "$(logged web "[.body[].data | $event]")" = '[true]' ]
}

@test "a unix or TCP collector counts as successful only once it has read the event" {
	local port
	port=$(free_port)
	started collector socat -u "UNIX-LISTEN:$T/sock" "CREATE:$T/unix"
	started tcp socat -u "TCP-LISTEN:$port,bind=127.0.0.1" "CREATE:$T/tcp"
	wait_until 10 test -S "$T/sock"
	listens() { [ -n "$(ss -Hltn "sport = :$port")" ]; }
	wait_until 10 listens
	tested --sink "unix:$T/sock" --sink "tcp:127.0.0.1:$port"
	status_is 0
	[[ ${stderr_lines[0]} = "emit: note: sink unix:$T/sock: accepted the test event: read by the peer, after "* ]]
	[[ ${stderr_lines[1]} = "emit: note: sink tcp:127.0.0.1:$port: accepted the test event: acknowledged by the peer's kernel, after "* ]]
	wait_until 10 grep -q NicHealthMonitorTest "$T/unix"
	wait_until 10 grep -q NicHealthMonitorTest "$T/tcp"
}

# Thorough: sinks
@test "a failing sink is reported once with its response, the others still get the event, and emit exits 69" {
	start_webhook web
	local web=http://$ADDRESS
	behave web 'status 503 not now'
	start_connector pc
	local grpc=grpc:http://$ADDRESS
	behave pc 'status INVALID_ARGUMENT never'
	start_connector other
	local unknown=grpc:http://$ADDRESS
	behave other exception
	tested --sink "$web" --sink "$grpc" --sink "$unknown" --sink "unix:$T/nobody" \
		--sink "file:$T/no/such/directory" --sink "file:$T/out"
	status_is 69
	[ ${#stderr_lines[@]} -eq 6 ]
	[[ ${stderr_lines[0]} = "emit: error: sink $web: did not accept the test event: HTTP 503"* ]]
	[[ ${stderr_lines[1]} = "emit: error: sink $grpc: did not accept the test event: INVALID_ARGUMENT: never" ]]
	[[ ${stderr_lines[2]} = "emit: error: sink $unknown: did not accept the test event: UNKNOWN"* ]]
	[ "${stderr_lines[3]}" = "emit: error: sink unix:$T/nobody: did not accept the test event: No such file or directory" ]
	[ "${stderr_lines[4]}" = "emit: error: sink file:$T/no/such/directory: did not accept the test event: No such file or directory" ]
	[[ ${stderr_lines[5]} = "emit: note: sink file:$T/out: accepted the test event: written, after "* ]]
	# emit tried each once.
	[ "$(logged web '1' | wc -l)" -eq 1 ]
	[ "$(logged other 'select(.kind == "call") | 1' | wc -l)" -eq 1 ]
}

# Thorough: sinks
@test "emit waits for a sink no longer than --request-timeout" {
	start_webhook web
	behave web hang
	tested --sink "http://$ADDRESS" --request-timeout 300ms
	status_is 69 "^emit: error: sink http://$ADDRESS: did not accept the test event: .*tim"
}

# Thorough: sinks
@test "while one sink is slow, emit does not retry those that failed" {
	start_webhook web
	local web=http://$ADDRESS
	behave web 'status 503 not now'
	start_webhook slow
	behave slow 'hang 1'
	tested --sink "$web" --sink "unix:$T/nobody" --sink "http://$ADDRESS"
	status_is 69
	[ ${#stderr_lines[@]} -eq 3 ]
	[[ ${stderr_lines[2]} = "emit: note: sink http://$ADDRESS: accepted the test event: HTTP 204, after "* ]]
	[ "$(logged web '1' | wc -l)" -eq 1 ]
}

# Thorough: sinks
@test "messages show only the host of a webhook, since the rest may be secret" {
	start_webhook web
	tested --sink "http://$ADDRESS/services/T0/hidden" \
		--sink http://127.0.0.1:1/hidden?key=hidden
	status_is 69
	[[ ${stderr_lines[0]} = "emit: note: sink http://$ADDRESS/...: accepted the test event: HTTP 2"* ]]
	[[ ${stderr_lines[1]} = "emit: error: sink http://127.0.0.1:1/...: did not accept the test event: "* ]]
	[ "$(logged web .path)" = /services/T0/hidden ]
	behave web 'status 400'
	run --separate-stderr timeout 20 emit --sink "http://$ADDRESS/services/T0/hidden" \
		<<<'{"kind":"event","id":"t-1"}'
	status_is 69
	[[ $stderr = *"sink http://$ADDRESS/...: event t-1 refused: HTTP 400"* ]]
	run --separate-stderr timeout 20 emit --flush-timeout 1s --sink http://127.0.0.1:1/hidden \
		<<<'{"kind":"event","id":"t-1"}'
	status_is 69
	[ ${#stderr_lines[@]} -eq 2 ]
	[[ $stderr != *hidden* ]]
}

@test "an Alertmanager accepts the test alert, which has ended, and nothing fires" {
	command -v prometheus-alertmanager >/dev/null ||
		skip "left out: no prometheus-alertmanager (dist/install-deps installs it)"
	start_alertmanager am
	tested --sink "alertmanager:$ALERTMANAGER"
	status_is 0 "^emit: note: sink alertmanager:$ALERTMANAGER: accepted the test event: HTTP 200, after [0-9]+ ms$"
	[ "$(alerts)" = "" ]
}

@test "the test alert has an end time that is not in the future" {
	start_webhook web
	tested --node gpu-1 --sink "alertmanager:http://$ADDRESS"
	status_is 0
	[ "$(logged web '.body | length')" = 1 ]
	[ "$(logged web '.body[0] | .labels.alertname, .labels.node, (.endsAt > .startsAt),
		(.annotations.description | length > 0)' | xargs)" = "NicTest gpu-1 true true" ]
	[[ $(logged web '.body[0].endsAt') < $(date -u -d '+1 second' +%FT%T.%6NZ) ]]
}

@test "a sink that wants only some events gets the test event, too" {
	tested --sink "file:$T/a" --only-codes port_state --only-roles compute \
		--min-severity fatal --sink -
	status_is 0
	[ "${#stderr_lines[@]}" -eq 2 ]
	diff "$T/a" <(echo "$output")
}

@test "--test-sink is rejected with files, a spool or queries" {
	local wrong
	for wrong in "$T/events" "--spool $T/spool" --history '--replay t-1' '--standing'; do
		# shellcheck disable=SC2086 # these are words
		tested $wrong
		status_is 64
		[ ${#stderr_lines[@]} -eq 1 ]
	done
	[ ! -e "$T/spool" ]
}

# --- hosts ---

@test "an unknown host is reported at the start, before there is an event, and a known one is not" {
	local name=no.such.host.invalid
	fed_emit --sink "grpc:http://$name:50051" --sink "http://$name/hook" \
		--sink "alertmanager:http://$name:9093" --sink "tcp:$name:9" \
		--sink http://127.0.0.1:1/ --sink 'http://[::1]:1/'
	wait_until 40 says 1 "^emit: warning: sink grpc:http://$name:50051: cannot resolve the host $name: "
	wait_until 40 says 1 "^emit: warning: sink http://$name/\.\.\.: cannot resolve the host $name: "
	wait_until 40 says 1 "^emit: warning: sink alertmanager:http://$name:9093: cannot resolve the host $name: "
	wait_until 40 says 1 "^emit: warning: sink tcp:$name:9: "
	says 4 ''
	end_feed
	ends_with 0 "$EMIT"
}

# The C library asks the kernel for the number and the name of the interface.
@test "a sink or a name server at a link-local address of IPv6 does not end a confined program" {
	local sink unreachable='fe80::1%25lo' resolver
	for sink in "tcp:[fe80::1%lo]:9" "http://[$unreachable]:9/" \
		"alertmanager:http://[$unreachable]:9" "nats:nats://[fe80::1%lo]:9/nic" \
		"postgresql://nhm@[$unreachable]:9/nic"; do
		run --separate-stderr emit --test-sink --sink "$sink"
		status_is 69
		[ ${#stderr_lines[@]} -eq 1 ]
	done
	run --separate-stderr timeout 10 fleetpage --address fe80::1%lo --port 0 </dev/null
	status_is 69
	# As NetworkManager writes it where a router announces its own address.
	echo 'nameserver fe80::1%lo' >"$T/resolv.conf"
	resolver=(unshare --user --map-root-user --mount bash -c
		'mount --bind "$0" /etc/resolv.conf && exec "$@"' "$T/resolv.conf")
	"${resolver[@]}" true 2>"$T/why" || skip "left out: no mounts here: $(<"$T/why")"
	run --separate-stderr "${resolver[@]}" emit --test-sink --sink http://collector.example/
	status_is 69
}

# As NetworkManager and dhclient replace it.
@test "a confined emit that cannot read a new /etc/resolv.conf reports that" {
	INSIDE=(unshare --user --map-root-user --mount bash -c
		'mount --bind "$0" /etc && exec "$@"' "$T/etc")
	mkdir "$T/etc"
	echo 'nameserver 127.0.0.1' | tee "$T/etc/resolv.conf" >"$T/new"
	"${INSIDE[@]}" true 2>"$T/why" || skip "left out: no mounts here: $(<"$T/why")"
	[ "${NHM_CONFINE-}" != off ] || skip "left out: it can read the new one"
	emit --confine=require --sink - </dev/null 2>"$T/why" || skip "left out: $(<"$T/why")"
	fed_emit --confine=require --sink http://collector.example/
	feed 1 1
	wait_until 40 says 1 'Could not resolve host: collector.example: retrying$'
	says 0 'replaced'
	mv "$T/new" "$T/etc/resolv.conf"
	wait_until 40 says 1 '^emit: warning: /etc/resolv.conf was created or replaced after the start, '
	end_feed
	ends_with 69 "$EMIT"
	says 1 'replaced'
}

@test "a confined emit reads an /etc/resolv.conf whose target below /run is created after the start" {
	INSIDE=(unshare --user --map-root-user --mount bash -c
		'mount --bind "$0/etc" /etc && mount --bind "$0/run" /run && exec "$@"' "$T")
	mkdir -p "$T/etc" "$T/run/NetworkManager"
	ln -s /run/NetworkManager/resolv.conf "$T/etc/resolv.conf"
	"${INSIDE[@]}" true 2>"$T/why" || skip "left out: no mounts here: $(<"$T/why")"
	fed_emit --sink http://collector.example/
	feed 1 1
	wait_until 40 says 1 'Could not resolve host: collector.example: retrying$'
	# Writing to it succeeds once emit opens it.
	mkfifo "$T/run/NetworkManager/resolv.conf"
	# shellcheck disable=SC2016 # for the inner shell
	timeout 60 bash -c 'echo >"$0"' "$T/run/NetworkManager/resolv.conf"
	kill -KILL "$EMIT"
	end_feed
}

@test "a module for name lookups that asks for capabilities, such as nss-mymachines, does not end emit" {
	local lookups
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$T/libnss_probe.so.2" \
		"$ROOT/test/lib/nssmodule.c"
	echo 'hosts: probe' >"$T/nsswitch.conf"
	lookups=(unshare --user --map-root-user --mount bash -c
		'mount --bind "$0" /etc/nsswitch.conf && exec "$@"' "$T/nsswitch.conf")
	"${lookups[@]}" true 2>"$T/why" || skip "left out: no mounts here: $(<"$T/why")"
	# The sink's directory is one that emit may read.
	run --separate-stderr "${lookups[@]}" env LD_LIBRARY_PATH="$T" emit --test-sink \
		--sink "file:$T/out" --sink http://collector.example/
	status_is 69
	[[ $stderr = *'Could not resolve host: collector.example'* ]]
}
