# nats - a nats-server with a stream, as the tests start it. Sourced behind servers.bash.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# start_nats [LINE...] - with these lines in its configuration; what it stores is in $T/nats, also
# for the next one. Sets NATS, its host and port, and NATS_PORT.
start_nats() {
	NATS_PORT=${NATS_PORT-$(free_port)}
	NATS=127.0.0.1:$NATS_PORT
	printf '%s\n' "listen: \"$NATS\"" "jetstream { store_dir: \"$T/nats\" }" "$@" \
		>"$T/nats.conf"
	started nats nats-server -c "$T/nats.conf"
	NATS_PID=$PID
	wait_until 20 nats_answers
}

# Whoever may not ask is answered, too.
nats_answers() {
	local line
	read -r line 2>/dev/null <"/dev/tcp/127.0.0.1/$NATS_PORT" && [[ $line = INFO* ]]
}

end_nats() {
	kill -KILL "$NATS_PID"
	wait_until 20 is_gone "$NATS_PID"
}

natsclient() { "$ROOT/test/servers/natsclient" "$NATS_PORT" "$@"; }

# stream NAME [CONFIGURATION] - makes it.
stream() { natsclient create "$1" "${2-"{}"}"; }

# in_stream [NAME] - the ids in it, in order, and as the server knows them.
in_stream() { natsclient messages "${1-nic}" | cut -f 2; }
