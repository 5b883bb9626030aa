#!/usr/bin/env bats
# emit-postgres: emit --sink postgresql://... stores each event once in a database, which computes
# what stands.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/kept
	load lib/postgres
	umask 077
	make_postgres
}

teardown() {
	exec 8>&-
	remove_postgres
	end_background
	nothing_survives
}

@test "an event is stored once, with all its fields, by a role that may do nothing else" {
	recent 1 250 >"$T/events"
	printf '{"kind":"event","generatedTimestamp":"%sT00:00:00Z"}\n' "$(date -u +%F)" >>"$T/events"
	store "$T/events"
	store "$T/events"
	[ "$(ask 'SELECT count(*) FROM nic.event')" -eq 251 ]
	diff <(ask "SELECT record FROM nic.event WHERE source <> '' ORDER BY seq" | jq -c -S .) \
		<(head -n 250 "$T/events" | jq -c -S .)
	[ "$(ask "SELECT node, check_name, device, port, codes, is_fatal, is_healthy
		FROM nic.event WHERE seq = 7")" = \
		'gpu-1|InfiniBandDegradationCheck|mlx5_0|1|{symbol_error}|f|f' ]
	run psql -X -h "$PGDIR" -p "$PGPORT" -U nhm -c 'SELECT * FROM nic.event' nic
	[ "$status" -ne 0 ]
}

@test "the command in fleetview's manual shows what a database stores" {
	recent 1 20 >"$T/events"
	store "$T/events"
	PGHOST=$PGDIR PGPORT=$PGPORT PGUSER=root bash -o pipefail \
		<(sed -n '/^psql /,/fleetview$/p' "$ROOT/tools/fleetview/fleetview.1") >"$T/shown"
	diff "$T/shown" <(fleetview <"$T/events")
}

# telling SECONDS HEALTHY NODE CODES ENTITY... - print an event at that second after midnight. Count
# them in a file: at the head of a pipe a variable would be lost.
EVENT='{kind: "event", agent: "a", checkName: "c", isFatal: true, isHealthy: ($healthy == "yes"),
	source: "s", seq: ($n | tonumber), id: "s-\($n)", nodeName: $node, message: "m\($n)",
	generatedTimestamp: ($day + "T" + ($at | tonumber | todate[11:])),
	errorCode: ($codes / "," | map(select(. != ""))),
	entitiesImpacted: ($ARGS.positional | map({entityType: (. / "=")[0],
		entityValue: (. / "=")[1]}))}'
telling() {
	echo "$*" >>"$T/told"
	jq -n -c --arg at "$1" --arg healthy "$2" --arg node "$3" --arg codes "$4" \
		--arg n "$(wc -l <"$T/told")" --arg day "$(date -u +%F)" "$EVENT" --args "${@:5}"
}

@test "a condition stands until a healthy event clears it, in whatever order they arrive" {
	{
		telling 10 no n1 a,b NIC=mlx5_0 NICPort=1
		telling 11 no n1 c NIC=mlx5_0 NICPort=1
		telling 12 no n1 a NIC=mlx5_1 NICPort=1
		telling 12 no n2 a NIC=mlx5_0 NICPort=1
		telling 13 yes n1 e,b,a NIC=mlx5_0
		telling 14 no n1 d NIC=mlx5_2
		telling 15 no n1 d NIC=mlx5_2
		# Two saturated counters share their second code.
		telling 16 no n3 e,saturated NIC=mlx5_0
		telling 16 no n3 f,saturated NIC=mlx5_0
		telling 16 no n3 '' NIC=mlx5_0
		telling 17 yes n3 e,saturated NIC=mlx5_0
	} >"$T/first"
	store "$T/first"
	diff <(ask 'SELECT node, device, codes, times FROM nic.standing ORDER BY node, codes') - <<-'X'
		n1|mlx5_1|{a}|1
		n1|mlx5_0|{c}|1
		n1|mlx5_2|{d}|2
		n2|mlx5_0|{a}|1
		n3|mlx5_0|{}|1
		n3|mlx5_0|{f,saturated}|1
	X
	{
		# Late: second 13 cleared it. And healthy events that arrive before the fault.
		telling 9 no n1 a NIC=mlx5_0 NICPort=1
		telling 30 yes n1 ''
		telling 29 no n1 a NIC=mlx5_3
		telling 31 no n1 a NIC=mlx5_4
		telling 31 yes n3 ''
	} >"$T/second"
	store "$T/second"
	[ "$(ask 'SELECT node, device FROM nic.standing ORDER BY node' | xargs)" = \
		'n1|mlx5_4 n2|mlx5_0' ]
	# As in fleetsetup(1).
	printf 'SwitchName=leaf1 Nodes=n1\nSwitchName=leaf2 Nodes=n2\n' >"$T/topology.conf"
	blastradius --topology "$T/topology.conf" --print-topology >"$T/places"
	psql -X -q -h "$PGDIR" -p "$PGPORT" -U root -1 -c 'TRUNCATE nic.place' \
		-c "\\copy nic.place FROM $T/places" nic
	[ "$(ask 'SELECT switch, nodes, ports, fatal FROM nic.by_switch ORDER BY 1' | xargs)" = \
		'leaf1|1|1|1 leaf2|1|1|1' ]
	[ "$(ask "SELECT device, events FROM nic.worst_ports WHERE node = 'n1'
		ORDER BY 2 DESC, 1 LIMIT 2" | xargs)" = 'mlx5_0|3 mlx5_2|2' ]
}

@test "a healthy event clears what has none but its codes and all its entities, as for fleetview" {
	{
		telling 10 no n1 fatal_sensor NIC=mlx5_0
		telling 11 yes n1 recovery_succeeded,fatal_sensor NIC=mlx5_0
		telling 10 no n2 a,saturated NIC=mlx5_0
		telling 10 no n2 a NIC=mlx5_0
		telling 10 no n2 '' NIC=mlx5_0
		telling 11 yes n2 a NIC=mlx5_0
		telling 10 no n3 a NIC=mlx5_0 NIC=mlx5_1
		telling 11 yes n3 '' NIC=mlx5_1
	} >"$T/first"
	store "$T/first"
	diff <(ask 'SELECT node, codes FROM nic.standing ORDER BY node, codes') - <<-'X'
		n2|{}
		n2|{a,saturated}
	X
	fleetview <"$T/first" >"$T/shown"
	grep -q ': 1 of 3 nodes, 1 port: 2 active conditions, 2 fatal$' "$T/shown"
	# What arrives after its answer.
	telling 10 no n1 fatal_sensor NIC=mlx5_0 >"$T/second"
	store "$T/second"
	[ "$(ask "SELECT count(*) FROM nic.standing WHERE node = 'n1'")" -eq 0 ]
}

# from_log AGO fatal|minor NODE - print an event of the kernel's log from AGO seconds ago.
from_log() {
	telling 0 no "$3" nic_reset NIC=mlx5_0 | jq -c --arg ago "$1" --arg severity "$2" '
		.checkName = "SysLogsNICDriverError" | .isFatal = ($severity == "fatal")
		| .generatedTimestamp = (now - ($ago | tonumber) | todate)'
}

@test "a condition of the kernel's log that is not fatal stands for an hour after its last event" {
	{
		from_log 3700 minor n1
		from_log 4500 minor n2
		from_log 1800 minor n2
		# After such an hour it begins anew, in the same call or in a later one.
		from_log 9000 minor n3
		from_log 1800 minor n3
		from_log 9000 minor n4
		from_log 1200 minor n5
	} >"$T/first"
	store "$T/first"
	{
		from_log 1800 minor n4
		# Late: it had ended before.
		from_log 9000 minor n5
	} >"$T/second"
	store "$T/second"
	diff <(ask "SELECT node, times, since > now() - interval '1 hour' FROM nic.standing
		ORDER BY node") - <<-'X'
		n2|2|f
		n3|1|t
		n4|1|t
		n5|1|t
	X
}

@test "a fatal condition stands as fatal until it ends, in whatever order its events arrive" {
	{
		from_log 9000 fatal n1
		from_log 8000 minor n1
		from_log 9000 minor n2
		from_log 8000 fatal n2
		from_log 9000 fatal n3
		from_log 1800 minor n4
	} >"$T/first"
	store "$T/first"
	{
		from_log 8000 minor n3
		from_log 2400 fatal n4
	} >"$T/second"
	store "$T/second"
	# Both in one call, as of a batch that was kept while the database was away.
	{
		telling 10 no n5 a NIC=mlx5_0
		telling 11 no n5 a NIC=mlx5_0 | jq -c '.isFatal = false'
	} >"$T/third"
	ask "SELECT nic.store('$(<"$T/third")')" >"$T/stored"
	diff <(ask 'SELECT node, is_fatal, message FROM nic.standing ORDER BY node') - <<-'X'
		n1|t|m1
		n2|t|m4
		n3|t|m5
		n4|t|m8
		n5|t|m9
	X
}

@test "a fault that arrives with its answer does not become part of the condition that followed" {
	telling 12 no n1 a NIC=mlx5_0 | jq -c '.isFatal = false' >"$T/first"
	store "$T/first"
	{
		telling 10 no n1 a NIC=mlx5_0
		telling 11 yes n1 a NIC=mlx5_0
	} >"$T/second"
	ask "SELECT nic.store('$(<"$T/second")')" >"$T/stored"
	[ "$(ask 'SELECT is_fatal, message, times FROM nic.standing')" = 'f|m1|1' ]
}

@test "of events of the same time the one with the higher number counts, also in a later call" {
	telling 10 yes n1 a NIC=mlx5_0 >"$T/first"
	telling 10 no n1 a NIC=mlx5_0 >"$T/second"
	store "$T/first"
	store "$T/second"
	[ "$(ask 'SELECT message FROM nic.standing')" = m2 ]
}

@test "a fault from a clock that was ahead ends once the clock is right again" {
	telling 10 no n1 a NIC=mlx5_0 | jq -c '.generatedTimestamp = (now + 3600 | todate)' >"$T/first"
	store "$T/first"
	[ "$(ask 'SELECT latest <= now(), since <= now() FROM nic.standing')" = 't|t' ]
	# The next second: a record has whole seconds, and must not be older than the first.
	telling 11 yes n1 a NIC=mlx5_0 | jq -c '.generatedTimestamp = (now + 1 | todate)' >"$T/second"
	store "$T/second"
	[ -z "$(ask 'SELECT * FROM nic.standing')" ]
}

@test "a recovery from a clock that was ahead clears no fault that follows it" {
	telling 10 yes n1 a NIC=mlx5_0 | jq -c '.generatedTimestamp = (now + 3600 | todate)' >"$T/first"
	store "$T/first"
	ask "UPDATE nic.event SET stored = stored - interval '1 minute'"
	telling 11 no n1 a NIC=mlx5_0 | jq -c '.generatedTimestamp = (now | todate)' >"$T/second"
	store "$T/second"
	[ "$(ask 'SELECT count(*) FROM nic.standing')" -eq 1 ]
	# The clock is ahead for both: the fault came before the recovery, but arrives after it.
	telling 12 no n1 b NIC=mlx5_0 | jq -c '.generatedTimestamp = (now + 1800 | todate)' >"$T/late"
	telling 13 yes n1 b NIC=mlx5_0 | jq -c '.generatedTimestamp = (now + 3600 | todate)' >"$T/early"
	store "$T/early"
	store "$T/late"
	[ "$(ask 'SELECT count(*) FROM nic.standing')" -eq 1 ]
}

@test "a port gets the same switch as in blastradius, by device, interface or node, with or without a domain" {
	mkdir "$T/topology.conf"
	cd "$T" || return
	cp "$BATS_TEST_DIRNAME/fleet/topology/node007.json" topology.conf/n1.json
	printf 'SwitchName=leaf7 Nodes=n2\nSwitchName=leaf8 Nodes=n2.b\n' >topology.conf/slurm
	# As the manual says, twice.
	for _ in 1 2; do
		sed -n 's/\\e/\\/; /^blastradius --topology/,/^ .*nic$/p' \
			"$ROOT/tools/fleetsetup/fleetsetup.1" >typed
		PGHOST=$PGDIR PGPORT=$PGPORT PGUSER=root bash -o pipefail typed
	done
	{
		telling 10 no n1.a '' NIC=mlx5_0 NICPort=1 | jq -c '.metadata.netdev = "ens1f0np0"'
		telling 11 no n1 '' NIC=mlx5_9 NICPort=1
		telling 12 no n2.a '' NIC=mlx5_0 NICPort=1
		telling 13 no n2.b '' NIC=mlx5_0 NICPort=1
	} >"$T/first"
	store "$T/first"
	diff <(ask 'SELECT node, switch FROM nic.standing ORDER BY node') - <<-'X' >&2
		n1|
		n1.a|tor-17
		n2.a|leaf7
		n2.b|leaf8
	X
	fleetview --topology topology.conf <first >"$T/shown"
	for name in tor-17 leaf7 leaf8; do grep -q "$name" "$T/shown"; done
}

@test "a database that is away is reported, and gets every event once when it is back" {
	end_postgres
	fed_emit --sink "$DATABASE" --spool "$SPOOL"
	feed 1 50 "$TODAY"
	wait_until 20 says 1 'cannot connect: .*: retrying$'
	start_postgres
	wait_until 40 counts 50
	end_postgres
	feed 51 100 "$TODAY"
	wait_until 20 says 2 ': retrying$'
	start_postgres
	wait_until 60 counts 100
	end_feed
	ends_with 0 "$EMIT" 60
	counts 100
}
counts() { [ "$(ask 'SELECT count(*) FROM nic.event')" -eq "$1" ]; }
TODAY='.generatedTimestamp |= sub("^[^T]*"; now | todate[:10])'

@test "an event that the database cannot store becomes a dead letter, and one that is too old to keep is skipped" {
	ask "UPDATE nic.setting SET keep = '2 days'"
	fed_emit --sink "$DATABASE" --spool "$SPOOL"
	feed 1 1 "$TODAY"
	feed 2 2 '.generatedTimestamp = "then"'
	feed 3 3 '.generatedTimestamp = (now + 9 * 86400 | todate)'
	feed 4 4 '.generatedTimestamp = (now - 3 * 86400 | todate)'
	feed 5 5 "$TODAY"' | .entitiesImpacted = {}'
	feed 6 6 "$TODAY"
	end_feed
	ends_with 0 "$EMIT" 60
	says 1 ': event t-2 refused: not stored: invalid input syntax for type timestamp .*: kept as a dead letter$'
	says 1 ': event t-3 refused: not stored: dated more than a week ahead: kept as a dead letter$'
	says 1 ': event t-5 refused: not stored: cannot extract elements from an object: kept as a dead letter$'
	[ "$(ask 'SELECT id FROM nic.event ORDER BY seq' | xargs)" = "t-1 t-6" ]
}

@test "days past the retention time are dropped when the first event of a new day arrives" {
	nic_events 1 5 '.generatedTimestamp = (now - (.seq + 1) * 86400 | todate)' >"$T/events"
	store "$T/events"
	counts 5
	ask "UPDATE nic.setting SET keep = '3 days'"
	recent 6 6 >"$T/events"
	store "$T/events"
	[ "$(ask "SELECT count(*) FROM nic.event WHERE at < date_trunc('day',
		(now() - interval '3 days') AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'")" -eq 0 ]
	[ "$(ask "SELECT count(*) FROM pg_inherits WHERE inhparent = 'nic.event'::regclass")" \
		-eq "$(ask 'SELECT count(DISTINCT (at AT TIME ZONE '"'UTC'"')::date) FROM nic.event')" ]
}

@test "a day's first event is stored whatever DateStyle and time zone the database has" {
	ask "ALTER DATABASE nic SET DateStyle = 'SQL, DMY'; ALTER DATABASE nic SET TimeZone = 'PRC'"
	recent 1 1 '.generatedTimestamp |= sub("T.*"; "T00:00:00Z")' >"$T/events"
	store "$T/events"
	counts 1
}

# advisory CONDITION N - return success if N processes have, or wait for, the lock of make_day()
advisory() {
	[ "$(ask "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND $1")" -eq "$2" ]
}

@test "nodes that send the first events of a day at the same time write no message" {
	local node pids=()
	feed_open psql -X -q -h "$PGDIR" -p "$PGPORT" -U root nic
	echo "BEGIN; SELECT pg_advisory_xact_lock(hashtext('nic.event'));" >&7
	wait_until 20 advisory granted 1
	for node in 1 2; do
		recent "$node" "$node" >"$T/events$node"
		started "node$node" emit --sink "$DATABASE" --flush-timeout 30s "$T/events$node"
		pids+=("$PID")
	done
	wait_until 20 advisory 'NOT granted' 2
	exec 7>&-
	for node in 1 2; do
		ends_with 0 "${pids[node - 1]}" 40
		diff "$T/node$node.err" /dev/null >&2
	done
	counts 2
}

@test "a server that answers with a copy, which has no end, is no server" {
	local socket=$T/.s.PGSQL.1
	# AuthenticationOk, what libpq asks of a server, ReadyForQuery; and CopyOutResponse.
	printf 'R\0\0\0\10\0\0\0\0' >"$T/ready"
	printf 'S\0\0\0\30server_version\00015.0\0S\0\0\0\27in_hot_standby\0off\0' >>"$T/ready"
	printf 'S\0\0\0\46default_transaction_read_only\0off\0Z\0\0\0\5I' >>"$T/ready"
	printf 'H\0\0\0\7\0\0\0' >"$T/copy"
	started copier socat "UNIX-LISTEN:$socket,fork" \
		SYSTEM:"head -c 8 >/dev/null; cat $T/ready; head -c 16 >/dev/null; cat $T/copy; cat >/dev/null"
	wait_until 10 test -S "$socket"
	run --separate-stderr timeout 60 emit --test-sink --request-timeout 50s \
		--sink "postgresql://nhm@/nic?host=$T&port=1"
	status_is 69 'accept the test event: no answer: .*copy'
}

# libpq then looks for a ticket.
@test "a server that asks for Kerberos does not end a confined emit, wherever tickets are" {
	local socket=$T/.s.PGSQL.1 cache
	# AuthenticationGSS
	printf 'R\0\0\0\10\0\0\0\7' >"$T/gss"
	started server socat "UNIX-LISTEN:$socket,fork" \
		SYSTEM:"head -c 8 >/dev/null; cat $T/gss; cat >/dev/null"
	wait_until 10 test -S "$socket"
	for cache in FILE:/nonexistent KEYRING:persistent:0 KEYRING:session:nic; do
		KRB5CCNAME=$cache run --separate-stderr timeout 60 emit --test-sink \
			--sink "postgresql://nhm@/nic?host=$T&port=1"
		status_is 69 'accept the test event: cannot connect: .*GSSAPI'
	done
}

@test "a partition of another name is no day, and stays" {
	ask 'CREATE TABLE nic.event_default PARTITION OF nic.event DEFAULT'
	recent 1 3 >"$T/events"
	store "$T/events"
	counts 3
	[ "$(ask 'SELECT count(*) FROM nic.event_default')" -eq 0 ]
}

@test "emit reports a missing schema or right, or a database that hangs, and retries" {
	fed_emit --sink "$DATABASE" --spool "$SPOOL" --request-timeout 1s
	ask 'REVOKE EXECUTE ON FUNCTION nic.store FROM nhm'
	feed 1 1 "$TODAY"
	wait_until 20 says 1 ': not stored: permission denied for function store: retrying$'
	ask 'GRANT EXECUTE ON FUNCTION nic.store TO nhm'
	wait_until 40 counts 1
	ask 'BEGIN; LOCK TABLE nic.event IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT' &
	BACKGROUND+=("$!")
	wait_until 20 locks AccessExclusiveLock
	feed 2 2 "$TODAY | $FATAL"
	wait_until 20 says 1 ': no answer in time: retrying$'
	wait_until 60 counts 2
	end_feed
	ends_with 0 "$EMIT" 60
	ask 'DROP SCHEMA nic CASCADE'
	emit_fails 'not stored: schema "nic" does not exist: retrying$' --sink "$DATABASE"
}
# locks MODE - return success if a connection has, or waits for, such a lock of the events
locks() {
	[ "$(ask "SELECT count(*) FROM pg_locks WHERE mode = '$1'
		AND relation = 'nic.event'::regclass")" -gt 0 ]
}

@test "a backup that takes long at midnight delays the events of the new day, and leaves no connection waiting" {
	fed_emit --sink "$DATABASE" --spool "$SPOOL"
	ask 'BEGIN; LOCK TABLE nic.event IN ACCESS SHARE MODE; SELECT pg_sleep(7); COMMIT' &
	BACKGROUND+=("$!")
	wait_until 20 locks AccessShareLock
	feed 1 1 "$TODAY | $FATAL"
	wait_until 20 says 1 ': not stored: canceling statement due to lock timeout: retrying$'
	wait_until 5 connects 1
	wait_until 60 counts 1
	end_feed
	ends_with 0 "$EMIT" 60
}
connects() { [ "$(ask "SELECT count(*) FROM pg_stat_activity WHERE usename = 'nhm'")" -eq "$1" ]; }

@test "of the servers that a name stands for, emit uses the one that accepts writes" {
	unshare --mount --map-root-user true || skip "left out: no mount namespaces"
	printf '127.0.0.%d pg.example\n' 1 2 >"$T/hosts"
	end_postgres
	cp -a "$PGDIR/data" "$PGDIR/standby"
	start_postgres -c listen_addresses=127.0.0.2
	started standby "${AS_POSTGRES[@]}" "$POSTGRES/postgres" -D "$PGDIR/standby" -p "$PGPORT" \
		-c listen_addresses=127.0.0.1 -c unix_socket_directories= \
		-c default_transaction_read_only=on
	wait_until 20 "$POSTGRES/pg_isready" -q -h 127.0.0.1 -p "$PGPORT"
	recent 1 1 >"$T/events"
	run --separate-stderr unshare --mount --map-root-user bash -e -c \
		'mount --bind "$0" /etc/hosts && exec "$@"' "$T/hosts" timeout 60 emit \
		--sink "postgresql://nhm@pg.example:$PGPORT/nic?sslmode=disable" "$T/events"
	status_is 0
	[ "$stderr" = "" ]
	counts 1
	kill -INT "$PID"
	ends_with 0 "$PID" 60
}

@test "over TLS emit verifies the server's certificate and authenticates with a password" {
	local server="postgresql://nhm@127.0.0.1:$PGPORT/nic"
	make_certificates
	end_postgres
	cp "$TLS"/{server,elsewhere}.{pem,key} "$PGDIR/data"
	[ "$(id -u)" -ne 0 ] || chown postgres "$PGDIR"/data/*.{pem,key}
	printf '%s\n' 'local all all trust' 'hostssl all all 127.0.0.1/32 scram-sha-256' \
		>"$PGDIR/data/pg_hba.conf"
	start_postgres -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.key
	ask "ALTER ROLE nhm PASSWORD 'secret'"
	echo secret >"$T/password"
	echo other >"$T/wrong"
	# libpq may not need its files in a home directory.
	try() {
		run --separate-stderr "${WHERE[@]}" env -u HOME timeout 60 emit "$@" < <(recent 1 1)
	}
	# shellcheck disable=SC2034 # for fed_emit()
	local INSIDE=(env -u HOME)
	try --sink "$server" --ca-file "$TLS/ca.pem" --token-file "$T/password"
	status_is 0
	counts 1
	emit_fails 'cannot connect: .*password authentication failed' --sink "$server" \
		--ca-file "$TLS/ca.pem" --token-file "$T/wrong"
	emit_fails 'cannot connect: .*certificate verify failed' --sink "$server" \
		--ca-file "$TLS/foreign-ca.pem" --token-file "$T/password"
	emit_fails 'cannot connect: .*certificate verify failed' --sink "$server" \
		--token-file "$T/password"
	try --sink "$server?sslmode=disable" --token-file "$T/password"
	status_is 64 'a token is not sent without TLS'
	local authorities WHERE
	for authorities in /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
		/var/lib/ca-certificates/ca-bundle.pem; do
		WHERE=(with_authorities "$authorities" "$TLS/ca.pem")
		try --sink "$server" --token-file "$T/password"
		status_is 0
	done
	WHERE=()
	end_postgres
	start_postgres -c ssl=on -c ssl_cert_file=elsewhere.pem -c ssl_key_file=elsewhere.key
	emit_fails 'cannot connect: .*does not match host name "127.0.0.1"' --sink "$server" \
		--ca-file "$TLS/ca.pem" --token-file "$T/password"
	try --sink "${server/127.0.0.1/localhost}" --ca-file "$TLS/ca.pem" \
		--token-file "$T/password" --server-name elsewhere.example
	status_is 0
}
