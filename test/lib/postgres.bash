# postgres - a PostgreSQL server for a test. Load after servers.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2119,SC2120 # for who loads this

# PostgreSQL refuses to run as root.
AS_POSTGRES=(env)
[ "$(id -u)" -ne 0 ] ||
	AS_POSTGRES=(setpriv --reuid postgres --regid postgres --clear-groups --)

# make_postgres - make a database cluster with the schema of dist/fleet and start it. Sets PGDIR,
# the directory of its socket, PGPORT, and DATABASE, its address.
make_postgres() {
	local places=(/usr/lib/postgresql/*/bin)
	POSTGRES=${places[-1]}
	PGDIR=$(mktemp -d)
	chmod 711 "$PGDIR"
	[ "$(id -u)" -ne 0 ] || chown postgres "$PGDIR"
	PGPORT=$(free_port)
	DATABASE="postgresql://nhm@/nic?host=$PGDIR&port=$PGPORT"
	"${AS_POSTGRES[@]}" "$POSTGRES/initdb" -D "$PGDIR/data" -A trust -U root --no-sync \
		-E UTF8 >"$T/initdb" 2>&1
	start_postgres
	ask 'CREATE ROLE nhm LOGIN' postgres
	ask 'CREATE DATABASE nic' postgres
	timeout 60 fleetsetup "postgresql://root@/nic?host=$PGDIR&port=$PGPORT" >"$T/schema"
	ask 'GRANT USAGE ON SCHEMA nic TO nhm; GRANT EXECUTE ON FUNCTION nic.store TO nhm'
}

# start_postgres [OPTION...] - start it, or start it again after end_postgres
start_postgres() {
	started postgres "${AS_POSTGRES[@]}" "$POSTGRES/postgres" -D "$PGDIR/data" -p "$PGPORT" \
		-c listen_addresses=127.0.0.1 -c unix_socket_directories="$PGDIR" "$@"
	PG_PID=$PID
	wait_until 20 "$POSTGRES/pg_isready" -q -h "$PGDIR" -p "$PGPORT"
}

# end_postgres - kill all of its processes at once
end_postgres() {
	local others pid
	others=$(pgrep -P "$PG_PID")
	kill -KILL "$PG_PID"
	for pid in "$PG_PID" $others; do
		wait_until 20 is_gone "$pid"
	done
}

# remove_postgres - end and remove it in teardown, if there is one
remove_postgres() {
	[ -z "${PG_PID-}" ] || ! is_running "$PG_PID" || end_postgres
	rm -rf "${PGDIR-}"
}

# recent - print nic_events of today, since old ones are not kept
recent() {
	nic_events "$@" | jq -c --arg day "$(date -u +%F)" \
		'.generatedTimestamp |= sub("^[^T]*"; $day)'
}

# store FILE - let emit store its events, whatever is there already
store() {
	run --separate-stderr timeout 60 emit --sink "$DATABASE" "$1"
	status_is 0
	[ "$stderr" = "" ]
}

# ask SQL [DATABASE] - print psql's result
ask() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$PGDIR" -p "$PGPORT" -U root -c "$1" "${2-nic}"
}
