#!/usr/bin/env bats
# emit-nats: emit --sink nats:... publishes each event once to a stream of NATS JetStream, whichever
# process dies.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/emit
	load lib/nats
	T=$BATS_TEST_TMPDIR
	umask 077
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

@test "an event is published under its fabric and node with its id, and once however often it is sent" {
	start_nats
	stream nic
	nic_events 1 250 '.nodeName = "a.b c"' >"$T/events"
	printf '{"kind":"event","nodeName":"%s"}\n' '*' '>' >>"$T/events"
	for _ in 1 2; do
		run --separate-stderr timeout 30 emit --node n1 \
			--sink "nats:nats://$NATS/nic/west" "$T/events"
		status_is 0
		[ "$stderr" = "" ]
	done
	natsclient messages nic >"$T/messages"
	[ "$(wc -l <"$T/messages")" -eq 252 ]
	diff <(head -n 250 "$T/messages" | cut -f 2) <(ids 1 250) >&2
	[ "$(head -n 250 "$T/messages" | cut -f 1 | sort -u)" = nic.west.a_b_c ]
	[ "$(tail -n 2 "$T/messages" | cut -f 1 | sort -u)" = nic.west._ ]
	diff <(head -n 250 "$T/messages" | cut -f 3) <(head -n 250 "$T/events") >&2
	run --separate-stderr timeout 30 emit --node n1 --sink "nats:nats://$NATS/nic" \
		< <(nic_events 300 300 '.nodeName = null')
	status_is 0
	[ "$(natsclient messages nic | tail -n 1 | cut -f 1)" = nic.fabric.n1 ]
}

@test "a server that is away is reported, and gets every event once it is back" {
	start_nats
	stream nic
	end_nats
	fed_emit --sink "nats:nats://$NATS/nic" --spool "$T/spool"
	feed 1 50
	wait_until 20 says 1 "^emit: warning: sink nats:nats://$NATS/nic: cannot connect: .*: retrying$"
	start_nats
	wait_until 40 says 1 "^emit: note: sink nats:nats://$NATS/nic: .*"
	end_nats
	feed 51 100
	# The library may notice the end of the connection before the events come, or by them.
	wait_until 20 says 2 "^emit: warning: sink nats:nats://$NATS/nic: .*: retrying$"
	start_nats
	end_feed
	ends_with 0 "$EMIT" 60
	diff <(in_stream) <(ids 1 100) >&2
}

# Thorough: sinks
@test "a missing or different stream is reported, and an event that it never accepts becomes a dead letter" {
	start_nats
	fed_emit --sink "nats:nats://$NATS/nic" --spool "$T/spool" --request-timeout 1s
	feed 1 2
	wait_until 20 says 1 ': no stream takes the subject: nic.fabric.gpu-1: retrying$'
	stream nic '{"max_msg_size": 1000}'
	feed 3 3 '.message = "x" * 1000'
	feed 4 4
	end_feed
	ends_with 0 "$EMIT" 60
	says 1 ': event t-3 refused: not stored: message size exceeds maximum allowed: kept as a dead letter$'
	[ "$(in_stream | xargs)" = "t-1 t-2 t-4" ]
	emit_fails 'not stored: expected stream does not match: retrying' --sink "nats:nats://$NATS/other"
}

@test "an event whose id is too long for a header becomes a dead letter, and the others are stored" {
	start_nats
	stream nic
	run --separate-stderr timeout 30 emit --sink "nats:nats://$NATS/nic" --spool "$T/spool" \
		< <(nic_events 1 3 'if .seq == 2 then .id = .id * 30000 else . end')
	status_is 0
	[ "$(sqlite3 -readonly "$T/spool" 'SELECT number, reason FROM dead_letter')" = \
		'2|not stored: header size exceeds maximum allowed of 64k' ]
	[ "$(in_stream | xargs)" = "t-1 t-3" ]
}

# Thorough: sinks
@test "emit retries a server whose stream is full, and delivers the rest in order" {
	start_nats
	stream nic '{"max_msgs": 2, "discard": "new"}'
	fed_emit --sink "nats:nats://$NATS/nic" --spool "$T/spool" --flush-timeout 60s
	feed 1 3
	# Attempts with fewer events succeed in between, and the next failure is reported again.
	wait_until 20 has_lines 1 "$T/emit.err" ': not stored: maximum messages exceeded: retrying$'
	natsclient update nic '{"max_msgs": 10, "discard": "new"}'
	end_feed
	ends_with 0 "$EMIT" 60
	[ "$(in_stream | xargs)" = "t-1 t-2 t-3" ]
}

@test "a right that the server refuses is reported, not a timeout" {
	start_nats 'authorization { users: [ { user: u, password: p,' \
		'permissions: { publish: "$JS.API.>", subscribe: ">" } } ] }, no_auth_user: u'
	stream nic
	run --separate-stderr timeout 30 emit --test-sink --sink "nats:nats://$NATS/nic" \
		--request-timeout 1s
	status_is 69 "accept the test event: no answer: Permissions Violation for Publish to \"nic\.fabric\."
	end_nats
	start_nats 'authorization { users: [ { user: u, password: p,' \
		'permissions: { publish: "x", subscribe: ">" } } ] }, no_auth_user: u'
	run --separate-stderr timeout 30 fleetsetup --timeout 1s "nats://$NATS/nic"
	status_is 69 'queried: Permissions Violation for Publish to "\$JS\.API\.STREAM\.INFO\.nic"$'
	started reader fleetread "nats://$NATS/nic"
	wait_until 20 grep -q 'query the stream: Permissions Violation for Publish' "$T/reader.err"
}

# tls [CERTIFICATE [OPTION]] - start a server with TLS and a certificate of the test's authority.
tls() {
	make_certificates
	start_nats "tls { cert_file: \"$TLS/${1-server}.pem\", key_file: \"$TLS/${1-server}.key\"" \
		"ca_file: \"$TLS/ca.pem\", ${2-} }"
}

# Thorough: sinks
@test "an answer that is being read when its time is over costs one attempt, not the sink" {
	start_nats
	stream nic
	slow_nats
	touch "$T/slow"
	run --separate-stderr timeout 30 "${SLOW_NATS[@]}" emit --sink "nats:nats://$NATS/nic" \
		--request-timeout 500ms < <(nic_events 1 20)
	status_is 0
	[[ $stderr = "emit: warning: sink nats:nats://$NATS/nic: no answer: "*": retrying"* ]]
	diff <(ids 1 20) <(in_stream) >&2
}

@test "over TLS emit verifies the server's certificate and authenticates with its own" {
	tls server 'verify: true'
	emit_fails 'cannot connect: ' --sink "nats:tls://$NATS/nic" --ca-file "$TLS/ca.pem"
	local option=(--ca-file "$TLS/ca.pem" --cert-file "$TLS/client.pem" --key-file \
		"$TLS/client.key")
	emit_fails 'cannot connect: SSL handshake error: .*hostname mismatch' --sink "nats:tls://$NATS/nic" \
		"${option[@]}" --server-name elsewhere.example
	emit_fails 'cannot connect: .*certificate' --sink "nats:tls://$NATS/nic" \
		--ca-file "$TLS/foreign-ca.pem" "${option[@]:2}"
	# Without --ca-file the system's authorities must know the server's.
	emit_fails 'cannot connect: .*certificate' --sink "nats:tls://$NATS/nic" "${option[@]:2}"
	# Only a connected client gets errors about the stream.
	emit_fails 'no stream takes the subject' --sink "nats:tls://$NATS/nic" \
		"${option[@]}" --request-timeout 1s
	chmod 666 "$TLS/client.key"
	run --separate-stderr timeout 30 emit --sink "nats:tls://$NATS/nic" "${option[@]}" \
		</dev/null
	status_is 77
	stderr_has "$TLS/client.key"
}

# Thorough: sinks
@test "only the right token or credentials file connects emit" {
	echo secret >"$T/token"
	echo other >"$T/wrong"
	start_nats 'authorization { token: "secret" }'
	run --separate-stderr timeout 30 emit --sink "nats:nats://$NATS/nic" \
		--token-file "$T/token" </dev/null
	status_is 64
	stderr_has 'a token is not sent without TLS'
	emit_fails 'cannot connect: .*Authorization Violation' --sink "nats:nats://$NATS/nic" \
		--token-file "$T/wrong" --clear-token
	emit_fails 'no stream takes the subject' --sink "nats:nats://$NATS/nic" \
		--token-file "$T/token" --clear-token --request-timeout 1s
	end_nats
	"$ROOT/test/servers/natscreds" "$T"
	start_nats "$(cat "$T/operator.conf")"
	emit_fails 'no stream takes the subject' --sink "nats:nats://$NATS/nic" \
		--token-file "$T/user.creds" --clear-token --request-timeout 1s
	emit_fails 'cannot connect: .*Authorization Violation' --sink "nats:nats://$NATS/nic" \
		--token-file "$T/stranger.creds" --clear-token
}

@test "an invalid NATS address is rejected with the reason" {
	local spec
	for spec in nats: nats:localhost nats:http://h/s nats:nats://h nats:nats:///s \
		nats:nats://h/ nats:nats://h/s/ nats:nats://h/s.t nats:nats://h/s/a.b \
		nats:nats://h:0/s 'nats:nats://[::1/s'; do
		run --separate-stderr emit --sink "$spec" </dev/null
		status_is 64
		[[ $stderr = *"--sink '$spec': "* ]]
	done
	# The address as fleetread and fleetsetup have it.
	run --separate-stderr emit --sink nats://h/s </dev/null
	status_is 64
	[[ $stderr = *"--sink 'nats://h/s': nats:nats://HOST/STREAM is expected"* ]]
}
