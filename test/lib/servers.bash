# servers - the other side of emit's requests: servers that a test starts on loopback or a unix
# socket and that end with it, and what they got. After common.
# shellcheck shell=bash
# shellcheck source=test/lib/http.bash
# SPDX-License-Identifier: Apache-2.0
source "${BASH_SOURCE[0]%/*}/http.bash"

SERVERS=$ROOT/test/servers

# start_connector NAME [ADDRESS] [OPTION]... - each starts one of test/servers, at an address
# (127.0.0.1:0 unless told) that ADDRESS is set to, and waits until it listens.
# Sets PID. Its log is $BATS_TEST_TMPDIR/NAME.log; how it behaves is what behave() last said about
# that name.
start_connector() { start_server connector "$@"; }
start_webhook() { start_server webhook "$@"; }
start_rawserver() { start_server rawserver "$@"; }

start_server() {
	local program=$1 name=$2 address=${3:-127.0.0.1:0}
	shift $(($# > 3 ? 3 : $#))
	local files=$BATS_TEST_TMPDIR/$name
	rm -f "$files.out"
	started "$name" "$SERVERS/$program" --listen "$address" --log "$files.log" \
		--script "$files.script" "$@"
	wait_until 20 grep -q -s '^listening on ' "$files.out" || {
		cat "$files.err" >&2
		return 1
	}
	ADDRESS=$(sed -n '1s/^listening on //p' "$files.out")
	export ADDRESS
}

# behave NAME STEP... - from the next request on; the steps are those of the server's --help.
behave() {
	printf '%s\n' "${@:2}" >"$BATS_TEST_TMPDIR/$1.script.new"
	mv "$BATS_TEST_TMPDIR/$1.script.new" "$BATS_TEST_TMPDIR/$1.script"
}

# logged NAME JQ-FILTER - over what a server has logged so far.
logged() { [ ! -e "$BATS_TEST_TMPDIR/$1.log" ] || jq -c -r "$2" "$BATS_TEST_TMPDIR/$1.log"; }

# received NAME - the ids of all events that a connector or webhook has accepted, in the order
# they came.
received() {
	logged "$1" 'if .kind == "event" and .answer == "OK" then .id
		elif .kind == "request" and (.answer | tostring | startswith("2")) then .body[].id
		else empty end'
}

# has_received N NAME - at least so many events.
has_received() {
	grown "$2" "received $*" || return 1
	[ "$(received "$2" | wc -l)" -ge "$1" ] || still_no
}

# has_logged N NAME JQ-CONDITION - at least so many lines of the log are of that sort.
has_logged() {
	grown "$2" "logged $*" || return 1
	[ "$(logged "$2" "select($3) | 1" | wc -l)" -ge "$1" ] || still_no
}

# grown NAME QUESTION - false when the answer to the question was no and the server has logged
# nothing since: callers that wait ask often, and jq costs more than all else.
grown() {
	NOW_LOGGED="$2 $(stat -c '%i %s %.Y' "$BATS_TEST_TMPDIR/$1.log" 2>/dev/null)"
	[ "$NOW_LOGGED" != "${NO_WHEN-}" ]
}
still_no() {
	NO_WHEN=$NOW_LOGGED
	return 1
}

# start_alertmanager NAME [PORT] - Debian's, alone, with nobody to notify; what it knows is in
# $BATS_TEST_TMPDIR/NAME.data, also for the next one of that name.
# Sets PID, PORT and ALERTMANAGER, its URL.
start_alertmanager() {
	PORT=${2:-$(free_port)}
	ALERTMANAGER=http://127.0.0.1:$PORT
	printf 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n' \
		>"$BATS_TEST_TMPDIR/$1.yml"
	started "$1" prometheus-alertmanager --config.file="$BATS_TEST_TMPDIR/$1.yml" \
		--storage.path="$BATS_TEST_TMPDIR/$1.data" \
		--web.listen-address="127.0.0.1:$PORT" --cluster.listen-address=
	wait_until 20 get "$ALERTMANAGER/-/ready" >/dev/null
}

# alerts [JQ-FILTER] - over the list of alerts that Alertmanager has active.
alerts() { get "$ALERTMANAGER/api/v2/alerts?active=true&silenced=false&inhibited=false" | jq -c \
	-r "${1:-.[]}"; }

# certificate NAME SUBJECT-ALTERNATIVE-NAME CA - in $TLS: NAME.pem and NAME.key, signed by CA.
certificate() {
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout "$TLS/$1.key" -subj "/CN=$1" \
		-addext "subjectAltName=$2" -out "$TLS/$1.csr" 2>"$TLS/said"
	openssl x509 -req -in "$TLS/$1.csr" -CA "$TLS/$3.pem" -CAkey "$TLS/$3.key" -CAcreateserial \
		-copy_extensions copy -days 2 \
		-out "$TLS/$1.pem" 2>"$TLS/said"
}

authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout "$TLS/$1.key" -subj "/CN=$1" -days 2 \
		-addext keyUsage=critical,keyCertSign -out "$TLS/$1.pem" 2>"$TLS/said"
}

# make_certificates - sets TLS, a directory with: ca and foreign-ca, two authorities; server, for
# 127.0.0.1 and localhost; stranger, the same by foreign-ca; elsewhere, for another host; client.
# Each is a .pem and a .key.
make_certificates() {
	TLS=$BATS_TEST_TMPDIR/tls
	mkdir -p "$TLS"
	authority ca
	authority foreign-ca
	certificate server IP:127.0.0.1,DNS:localhost ca
	certificate stranger IP:127.0.0.1,DNS:localhost foreign-ca
	certificate elsewhere DNS:elsewhere.example ca
	certificate client DNS:client.example ca
}
