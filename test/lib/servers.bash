# servers - servers that receive emit's requests, on loopback or a unix socket, until the end of the
# test, and their logs. Load after common.
# shellcheck shell=bash
# shellcheck source=test/lib/http.bash
# SPDX-License-Identifier: Apache-2.0
source "${BASH_SOURCE[0]%/*}/http.bash"

SERVERS=$ROOT/test/servers

# start_connector NAME [ADDRESS] [OPTION]..., start_webhook, start_rawserver - start one of
# test/servers at ADDRESS (default: 127.0.0.1:0) and wait until it listens. Sets PID, and ADDRESS to
# the actual address. Its log is $BATS_TEST_TMPDIR/NAME.log, and it behaves as the last behave() for
# NAME says.
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

# behave NAME STEP... - set its behaviour from the next request on; the server's --help lists the
# steps
behave() {
	printf '%s\n' "${@:2}" >"$BATS_TEST_TMPDIR/$1.script.new"
	mv "$BATS_TEST_TMPDIR/$1.script.new" "$BATS_TEST_TMPDIR/$1.script"
}

# logged NAME JQ-FILTER - print the filter's result for each entry of the server's log
logged() { [ ! -e "$BATS_TEST_TMPDIR/$1.log" ] || jq -c -r "$2" "$BATS_TEST_TMPDIR/$1.log"; }

# received NAME - print the ids of all events that a connector or webhook has accepted, in order of
# arrival
received() {
	logged "$1" 'if .kind == "event" and .answer == "OK" then .id
		elif .kind == "request" and (.answer | tostring | startswith("2")) then .body[].id
		else empty end'
}

# has_received N NAME - return success if it has accepted at least N events
has_received() {
	grown "$2" "received $*" || return 1
	[ "$(received "$2" | wc -l)" -ge "$1" ] || still_no
}

# has_logged N NAME JQ-CONDITION - return success if at least N entries of its log match
has_logged() {
	grown "$2" "logged $*" || return 1
	[ "$(logged "$2" "select($3) | 1" | wc -l)" -ge "$1" ] || still_no
}

# grown NAME QUESTION - return failure if the last answer to the question was no and the log has not
# changed: callers poll, and jq is the slowest part
grown() {
	NOW_LOGGED="$2 $(stat -c '%i %s %.Y' "$BATS_TEST_TMPDIR/$1.log" 2>/dev/null)"
	[ "$NOW_LOGGED" != "${NO_WHEN-}" ]
}
still_no() {
	NO_WHEN=$NOW_LOGGED
	return 1
}

# start_alertmanager NAME [PORT] - start Debian's Alertmanager without peers and receivers; the next
# one of that name uses its $BATS_TEST_TMPDIR/NAME.data, too. Sets PID, PORT and ALERTMANAGER, its
# URL.
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

# alerts [JQ-FILTER] - print the filter's result for Alertmanager's list of active alerts
alerts() { get "$ALERTMANAGER/api/v2/alerts?active=true&silenced=false&inhibited=false" | jq -c \
	-r "${1:-.[]}"; }

# certificate NAME SUBJECT-ALTERNATIVE-NAME CA - make NAME.pem, signed by CA, and NAME.key in $TLS
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

# make_certificates - make a directory with .pem and .key files, and set TLS to it: two authorities,
# ca and foreign-ca; server, for 127.0.0.1 and localhost; stranger, the same by foreign-ca;
# elsewhere, for another host; client
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

# with_authorities FILE CA COMMAND... - run it where FILE has the system's certificate authorities,
# which are CA, and /etc/ssl/certs is a link to FILE's directory, as on systems of Red Hat and SUSE
with_authorities() {
	unshare --mount --map-root-user true || skip "left out: no mount namespaces"
	env -u SSL_CERT_FILE -u SSL_CERT_DIR unshare --mount --map-root-user bash -e -c '
		mount -t tmpfs tmpfs /mnt
		cp -r /etc /mnt/etc 2>/dev/null || [ -e /mnt/etc/ssl/certs ]
		mount --bind /mnt/etc /etc
		mount -t tmpfs tmpfs /var/lib
		mkdir -p "${0%/*}"
		cp "$1" "$0"
		rm -r /etc/ssl/certs
		ln -s "${0%/*}" /etc/ssl/certs
		exec "${@:2}"' "$@"
}
