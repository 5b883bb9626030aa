#!/usr/bin/env bats
# emit-tls: emit over TLS, to a gRPC and a web server: verification, client certificates, and a
# token that is never sent unencrypted.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

# setup_file - make the certificates; each test gets a copy.
setup_file() {
	local BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	load lib/servers
	umask 077
	make_certificates
}

setup() {
	load lib/servers
	load lib/emit
	T=$BATS_TEST_TMPDIR
	umask 077
	TLS=$T/tls
	cp -r "$BATS_FILE_TMPDIR/tls" "$TLS"
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# serving NAME CERTIFICATE [OPTION]... - start a connector (NAME `pc`) or a webhook (`web`) with
# TLS. Set SINK.
serving() {
	local name=$1 certificate=$2
	shift 2
	set -- "$name" 127.0.0.1:0 --cert "$TLS/$certificate.pem" --key "$TLS/$certificate.key" "$@"
	if [ "$name" = pc ]; then
		start_connector "$@"
		SINK=grpc:https://$ADDRESS
	else
		start_webhook "$@"
		SINK=https://$ADDRESS
	fi
}

# not_delivered REASON OPTION... - check that emit reports the reason once and, at the end of input,
# that no event arrived.
not_delivered() {
	local reason=$1
	shift
	fed_emit --sink "$SINK" "$@" --flush-timeout 0
	feed 1 2 "$FATAL"
	wait_until 20 says 1 "^emit: warning: sink $SINK: .*$reason.*: retrying$"
	end_feed
	ends_with 69 "$EMIT"
	says 1 "^emit: error: sink $SINK: 2 events not delivered$"
	says 2 ''
}

@test "a server with a certificate of the --ca-file authority gets every event" {
	local name
	for name in pc web; do
		serving "$name" server
		run --separate-stderr timeout 20 emit --sink "$SINK" --ca-file "$TLS/ca.pem" \
			< <(nic_events 1 200)
		status_is 0
		[ "$stderr" = "" ]
		[ "$(received "$name")" = "$(ids 1 200)" ]
	done
}

@test "the system's authorities are found where Red Hat and SUSE keep them" {
	local place
	serving web server
	for place in /etc/pki/ca-trust/extracted/pem /etc/pki/tls/certs \
		/var/lib/ca-certificates/pem; do
		run --separate-stderr with_authorities "$place/ca-certificates.crt" "$TLS/ca.pem" \
			timeout 30 emit --sink "$SINK" < <(nic_events 1 1)
		status_is 0
		[ -z "$stderr" ]
	done
	[ "$(received web)" = $'t-1\nt-1\nt-1' ]
}

@test "a host name is checked against the certificate" {
	getent ahostsv4 localhost >/dev/null || return 0
	serving pc server
	SINK=grpc:https://localhost:${ADDRESS##*:}
	run --separate-stderr timeout 20 emit --sink "$SINK" --ca-file "$TLS/ca.pem" \
		< <(nic_events 1 2)
	status_is 0
	[ "$(received pc)" = "$(ids 1 2)" ]
}

@test "a server with an unknown authority gets nothing, and the reason names the certificate" {
	local name
	for name in pc web; do
		serving "$name" stranger
		not_delivered '[Cc]ertificate' --ca-file "$TLS/ca.pem"
		not_delivered '[Cc]ertificate'
		[ "$(received "$name")" = "" ]
	done
}

@test "a server with the certificate of another host gets nothing" {
	local name
	for name in pc web; do
		serving "$name" elsewhere
		not_delivered '([Cc]ertificate|name)' --ca-file "$TLS/ca.pem"
		[ "$(received "$name")" = "" ]
	done
}

@test "--server-name sets the name that the certificate must have" {
	local name
	for name in pc web; do
		serving "$name" elsewhere
		run --separate-stderr timeout 20 emit --sink "$SINK" --ca-file "$TLS/ca.pem" \
			--server-name elsewhere.example < <(nic_events 1 2)
		status_is 0
		[ "$stderr" = "" ]
		[ "$(received "$name")" = "$(ids 1 2)" ]
		not_delivered '([Cc]ertificate|name)' --ca-file "$TLS/ca.pem" \
			--server-name other.example
	done
}

@test "a server without TLS gets nothing over https, and one with TLS nothing over http" {
	start_connector pc
	SINK=grpc:https://$ADDRESS
	not_delivered '' --ca-file "$TLS/ca.pem"
	serving web server
	SINK=http://$ADDRESS
	not_delivered ''
	[ "$(received pc)$(received web)" = "" ]
}

@test "a server that requires a client certificate gets --cert-file, and accepts nothing without it" {
	local name
	for name in pc web; do
		serving "$name" server --client-ca "$TLS/ca.pem"
		not_delivered '' --ca-file "$TLS/ca.pem"
		run --separate-stderr timeout 20 emit --sink "$SINK" --ca-file "$TLS/ca.pem" \
			--cert-file "$TLS/client.pem" --key-file "$TLS/client.key" \
			< <(nic_events 1 2)
		status_is 0
		[ "$stderr" = "" ]
		[ "$(received "$name")" = "$(ids 1 2)" ]
	done
	[ "$(logged pc 'select(.kind == "call") | .client[]')" = client.example ]
}

@test "missing or invalid certificate files are named" {
	serving pc server
	not_delivered "$T/missing" --ca-file "$T/missing"
	echo rubbish >"$T/rubbish"
	not_delivered "$T/rubbish" --ca-file "$T/rubbish"
	not_delivered "$T/missing" --ca-file "$TLS/ca.pem" --cert-file "$T/missing" \
		--key-file "$TLS/client.key"
	not_delivered "$T/missing" --ca-file "$TLS/ca.pem" --cert-file "$TLS/client.pem" \
		--key-file "$T/missing"
}

@test "an option applies only to the sink before it" {
	local first
	echo secret >"$T/token"
	serving pc server
	first=$SINK
	behave pc 'token secret'
	serving web stranger
	run --separate-stderr timeout 20 emit --sink "$first" --ca-file "$TLS/ca.pem" \
		--token-file "$T/token" --sink "$SINK" --ca-file "$TLS/foreign-ca.pem" \
		< <(nic_events 1 3)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 3)" ]
	[ "$(received web)" = "$(ids 1 3)" ]
	[ "$(logged web '.headers | has("authorization")' | sort -u)" = false ]
}

# --- the token ---

@test "a token from a file is sent with each request, over TLS and over a unix socket" {
	local name
	echo secret-1 >"$T/token"
	for name in pc web; do
		serving "$name" server
		behave "$name" 'token secret-1'
		run --separate-stderr timeout 20 emit --sink "$SINK" --ca-file "$TLS/ca.pem" \
			--token-file "$T/token" --batch-max 1 < <(nic_events 1 3)
		status_is 0
		[ "$stderr" = "" ]
		[ "$(received "$name")" = "$(ids 1 3)" ]
	done
	start_connector local "unix:$T/local.sock"
	behave local 'token secret-1'
	run --separate-stderr timeout 20 emit --sink "grpc:unix://$T/local.sock" \
		--token-file "$T/token" < <(nic_events 1 3)
	status_is 0
	[ "$(received local)" = "$(ids 1 3)" ]
}

@test "when the token file changes while emit runs, emit sends the new token" {
	local name
	for name in pc web; do
		echo old >"$T/token"
		serving "$name" server
		behave "$name" 'token old'
		fed_emit --sink "$SINK" --ca-file "$TLS/ca.pem" --token-file "$T/token" \
			--flush-timeout 20s
		feed 1 1 "$FATAL"
		wait_until 10 has_received 1 "$name"
		behave "$name" 'token new'
		feed 2 2 "$FATAL"
		wait_until 10 says 1 "^emit: warning: sink $SINK: .*: retrying$"
		echo new >"$T/token.new"
		mv "$T/token.new" "$T/token"
		wait_until 20 has_received 2 "$name"
		end_feed
		ends_with 0 "$EMIT"
		says 2 ''
		none grep -q -E 'old|new' <(sed 's/not the right token//' "$T/emit.err")
		[ "$(received "$name")" = "$(ids 1 2)" ]
	done
}

@test "a token for a sink over http is rejected and not sent" {
	local sink
	echo secret >"$T/token"
	start_webhook web
	for sink in "grpc:http://$ADDRESS" "http://$ADDRESS/" "alertmanager:http://$ADDRESS"; do
		run --separate-stderr timeout 10 emit --sink "$sink" --token-file "$T/token" \
			< <(nic_events 1 1)
		status_is 64
		[ "$output" = "" ]
		[ ${#stderr_lines[@]} -eq 1 ]
		[[ $stderr = "emit: error: "*"(try 'emit --help')" ]]
		[[ $stderr != *secret* ]]
	done
	[ ! -s "$T/web.log" ]
}

@test "--clear-token allows a token over http, for the sink before it only" {
	echo right >"$T/token"
	start_webhook web
	behave pc 'token right'
	start_connector pc 127.0.0.1:0
	SINK=grpc:http://$ADDRESS
	run --separate-stderr timeout 20 emit --sink "$SINK" --token-file "$T/token" --clear-token \
		< <(nic_events 1 2)
	status_is 0
	[ "$stderr" = "" ]
	[ "$(received pc)" = "$(ids 1 2)" ]
	run --separate-stderr timeout 20 emit --sink "$SINK" --token-file "$T/token" --clear-token \
		--sink "http://$ADDRESS/" --token-file "$T/token" < <(nic_events 1 2)
	status_is 64 "^emit: error: http://$ADDRESS/: a token is not sent without TLS"
}

@test "emit reports a token file that is missing, empty or invalid, and delivers when the file is right" {
	local content
	behave pc 'token right'
	for content in missing $'\n' $'two\nlines\n' $'bell\a\n'; do
		rm -f "$T/token" "$T/pc.log"
		serving pc server
		[ "$content" = missing ] || printf '%s' "$content" >"$T/token"
		fed_emit --sink "$SINK" --ca-file "$TLS/ca.pem" --token-file "$T/token" \
			--flush-timeout 20s
		feed 1 1 "$FATAL"
		wait_until 10 says 1 "^emit: warning: sink $SINK: .*$T/token.*: retrying$"
		[ "$(logged pc .kind)" = "" ]
		echo right >"$T/token.new"
		mv "$T/token.new" "$T/token"
		end_feed
		ends_with 0 "$EMIT"
		[ "$(received pc)" = t-1 ]
	done
}

@test "an option about a sink must follow a sink that can use it" {
	local option
	for option in --ca-file --cert-file --key-file --token-file; do
		run --separate-stderr timeout 10 emit "$option" "$TLS/ca.pem" </dev/null
		status_is 64 "^emit: error: .*$option"
		run --separate-stderr timeout 10 emit --sink "file:$T/out" "$option" \
			"$TLS/ca.pem" </dev/null
		status_is 64 "^emit: error: .*file:$T/out"
		[ ${#stderr_lines[@]} -eq 1 ]
	done
	[ ! -e "$T/out" ]
	for option in '--server-name a' --clear-token; do
		# shellcheck disable=SC2086 # an option and its value
		run --separate-stderr timeout 10 emit $option </dev/null
		status_is 64 "^emit: error: ${option% *}.*it must come after the --sink"
		# shellcheck disable=SC2086
		run --separate-stderr timeout 10 emit --sink "file:$T/out" $option </dev/null
		status_is 64 "^emit: error: file:$T/out: "
	done
	run --separate-stderr timeout 10 emit --sink grpc:https://localhost:1 --server-name 'a b' \
		</dev/null
	status_is 64 "^emit: error: --server-name 'a b': not a valid host name"
}

# --- owners and permissions ---

# files - set FILES to the options that name a sink's files; only the test's user can access them.
files() {
	echo secret >"$T/token"
	FILES=(--ca-file "$TLS/ca.pem" --cert-file "$TLS/client.pem" --key-file "$TLS/client.key"
		--token-file "$T/token")
}

@test "a token, key or certificate that others may write to exits 77 with the option's name" {
	local at path
	files
	run --separate-stderr emit --check-config --sink https://h/ "${FILES[@]}"
	status_is 0
	[ "$stderr" = "" ]
	for at in 0 2 4 6; do
		path=${FILES[at + 1]}
		chmod 602 "$path"
		run --separate-stderr emit --check-config --sink https://h/ "${FILES[@]}"
		status_is 77 "^emit: error: sink https://h: ${FILES[at]} $path: others may write to it \\(mode 0602\\)$"
		chmod 600 "$path"
		[ "$(id -u)" -eq 0 ] || continue # only root can change a file's owner
		chown 65534 "$path"
		run --separate-stderr emit --check-config --sink https://h/ "${FILES[@]}"
		status_is 77 "^emit: error: sink https://h: ${FILES[at]} $path: it belongs to user 65534"
		chown 0 "$path"
	done
}

@test "a world-readable token or key gives a warning, a certificate does not" {
	local name
	files
	chmod 644 "$TLS/ca.pem" "$TLS/client.pem"
	run --separate-stderr emit --check-config --sink https://h/ "${FILES[@]}"
	status_is 0
	[ "$stderr" = "" ]
	for name in "--key-file $TLS/client.key" "--token-file $T/token"; do
		chmod 604 "${name#* }"
		run --separate-stderr emit --check-config --sink https://h/ "${FILES[@]}"
		status_is 0 "^emit: warning: $name: every user of this machine can read it and send events in our name$"
		chmod 600 "${name#* }"
	done
}

@test "a file that becomes writable by others while emit runs is not used until that is corrected" {
	local name
	files
	serving pc server --client-ca "$TLS/ca.pem"
	fed_emit --sink "$SINK" "${FILES[@]}" --flush-timeout 20s
	feed 1 1 "$FATAL"
	wait_until 20 received_all pc 1
	chmod 606 "$TLS/ca.pem"
	feed 2 2 "$FATAL"
	name="--ca-file $TLS/ca.pem: others may write to it \(mode 0606\)"
	wait_until 20 says 1 "^emit: warning: sink $SINK: .*$name.*: retrying$"
	[ "$(received pc)" = "$(ids 1 1)" ]
	chmod 600 "$TLS/ca.pem"
	wait_until 20 received_all pc 2
	end_feed
	ends_with 0 "$EMIT"
}
received_all() { [ "$(received "$1" | wc -l)" -eq "$2" ]; }
