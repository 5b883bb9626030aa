# nats - a nats-server with streams. Load after servers.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# start_nats [LINE...] - start it with these lines in its configuration and its storage in $T/nats,
# which the next one uses, too; sets NATS, its host and port, and NATS_PORT
start_nats() {
	NATS_PORT=${NATS_PORT-$(free_port)}
	NATS=127.0.0.1:$NATS_PORT
	printf '%s\n' "listen: \"$NATS\"" "jetstream { store_dir: \"$T/nats\" }" "$@" \
		>"$T/nats.conf"
	started nats nats-server -c "$T/nats.conf"
	NATS_PID=$PID
	wait_until 20 nats_answers
}

# nats_answers - return success if it listens: it greets a client before any authentication
nats_answers() {
	local line
	read -r line 2>/dev/null <"/dev/tcp/127.0.0.1/$NATS_PORT" && [[ $line = INFO* ]]
}

end_nats() {
	kill -KILL "$NATS_PID"
	wait_until 20 is_gone "$NATS_PID"
}

natsclient() { "$ROOT/test/servers/natsclient" "$NATS_PORT" "$@"; }

# stream NAME [CONFIGURATION] - create it
stream() { natsclient create "$1" "${2-"{}"}"; }

# in_stream [NAME] - print the ids in it, in order, as the server knows them
in_stream() { natsclient messages "${1-nic}" | cut -f 2; }

# slow_nats - set SLOW_NATS: a prefix for a program whose libnats waits for a second while it
# handles the next message after the file $T/slow was made, see slownats.c
slow_nats() {
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$T/slownats.so" \
		"$ROOT/test/lib/slownats.c" -Wl,--no-as-needed -lnats
	# shellcheck disable=SC2034 # for who loads this
	SLOW_NATS=(env NHM_SLOW="$T/slow" LD_PRELOAD="$T/slownats.so" MALLOC_PERTURB_=165
		ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" NHM_CONFINE=off)
}
