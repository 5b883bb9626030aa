#!/usr/bin/env bats
# fleetsetup: creates and updates the stream or database that keeps a fleet's events.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/servers
	load lib/kept
	load lib/nats
	load lib/postgres
	umask 077
}

teardown() {
	remove_postgres
	end_background
	nothing_survives
}

# sets_up OPTION... ADDRESS - run fleetsetup and check that it prints exactly one line. Set SAID to
# it.
sets_up() {
	run --separate-stderr timeout 30 fleetsetup "$@"
	status_is 0
	[ "$stderr" = "" ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	SAID=$output
}

# fails STATUS REGEX OPTION... ADDRESS - check that fleetsetup fails with this exit code and one
# line on stderr.
fails() {
	run --separate-stderr timeout 30 fleetsetup "${@:3}"
	status_is "$1" "$2"
	[ "$output" = "" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "fleetsetup creates a stream for all fabrics, and a later run changes only the given settings" {
	start_nats
	fails 69 '^fleetsetup: error: stream nic: cannot be created: replicas > 1 not supported' \
		"nats://$NATS/nic"
	sets_up --replicas 1 "nats://$NATS/nic"
	[ "$SAID" = "stream nic: created: events are kept for 7d, replicas 1, duplicates are recognized for 1h" ]
	emit --sink "nats:nats://$NATS/nic/west" < <(nic_events 1 3)
	emit --sink "nats:nats://$NATS/nic/east" < <(nic_events 4 5)
	emit --sink "nats:nats://$NATS/nic/east" < <(nic_events 3 5)
	diff <(in_stream) <(ids 1 5)
	sets_up --keep 2d --size 1GiB "nats://$NATS/nic"
	[[ $SAID = 'stream nic: changed: events are kept for 2d, the newest 1073741824 bytes, '* ]]
	sets_up "nats://$NATS/nic"
	[[ $SAID = 'stream nic: unchanged: events are kept for 2d, the newest 1073741824 bytes, '* ]]
	sets_up --duplicates 3m --keep 2d --size 1GiB --replicas 1 "nats://$NATS/nic"
	[[ $SAID = *': changed: '*', duplicates are recognized for 3m' ]]
	diff <(in_stream) <(ids 1 5)
}

@test "an existing stream gets the subjects of events and keeps its own" {
	start_nats
	stream nic '{"subjects": ["other.*", "nic.west.>"], "max_msgs": 1000, "max_age": 0}'
	fails 69 '^fleetsetup: error: stream nic: cannot be changed: ' "nats://$NATS/nic"
	natsclient update nic '{"subjects": ["other.*"]}'
	sets_up "nats://$NATS/nic"
	[[ $SAID = 'stream nic: changed: events are kept for ever, '* ]]
	emit --sink "nats:nats://$NATS/nic/west" < <(nic_events 1 3)
	natsclient publish other.one text
	diff <(in_stream) <(ids 1 3 && echo)
	sets_up "nats://$NATS/nic"
	[[ $SAID = 'stream nic: unchanged: '* ]]
}

@test "duplicates are recognised no longer than events are kept, unless both are given" {
	start_nats
	sets_up --replicas 1 --keep 1h "nats://$NATS/nic"
	[[ $SAID = *': created: events are kept for 1h, '*', duplicates are recognized for 1h' ]]
	sets_up --keep 2h --duplicates 2h "nats://$NATS/nic"
	sets_up --keep 1h "nats://$NATS/nic"
	[[ $SAID = *', duplicates are recognized for 1h' ]]
	fails 69 'cannot be changed: duplicates window can not be larger ' \
		--duplicates 2h "nats://$NATS/nic"
}

@test "an invalid address or option is reported before anything is changed" {
	fails 64 'an address is missing'
	fails 64 "unexpected operand 'two'" nats://127.0.0.1/nic two
	fails 64 '^fleetsetup: error: http://h/.*: nats:.* or postgresql:.* is expected' http://h/s
	fails 64 'the name of a stream is missing' nats://127.0.0.1
	fails 64 'one host is expected' postgresql://u@/d
	fails 64 '^fleetsetup: error: postgresql://h/d: postgresql://USER@HOST/DATABASE is expected' \
		postgresql://h/d
	fails 64 'postgresql://USER@HOST/DATABASE is expected' postgresql://u@h
	fails 64 "^fleetsetup: error: --keep '30m': less than an hour" --keep 30m nats://h/s
	fails 64 "not a number from 1 to 5" --replicas 6 nats://h/s
	fails 64 "^fleetsetup: error: --size '1': not a size" --size 1 nats://h/s
	fails 64 'a token is not sent without TLS' --token-file "$T/token" nats://h/s
	touch "$T/shared"
	chmod 602 "$T/shared"
	fails 77 "^fleetsetup: error: --ca-file $T/shared: others may write to it \(mode 0602\)$" \
		--ca-file "$T/shared" tls://h/s
	fails 64 -- '--size, --replicas and --duplicates are for streams' \
		--duplicates 1m postgresql://u@h/d
	fails 69 'stream nic: cannot connect: ' nats://127.0.0.1:1/nic
	fails 69 '^fleetsetup: error: 127.0.0.1: cannot connect: ' postgresql://u@127.0.0.1:1/nic
}

# changes - print the number of the schema's migrations.
changes() { find "$ROOT/dist/fleet" -name '*.sql' | wc -l; }

# latest_change - print the name of the last migration.
latest_change() {
	find "$ROOT/dist/fleet" -name '*.sql' -exec basename -s .sql {} + | sort | tail -n 1
}

# database NAME - print its address for the server's owner.
database() { echo "postgresql://root@/$1?host=$PGDIR&port=$PGPORT"; }

# Thorough: sinks
@test "a database gets its schema once, and fleetsetup prints how long events are kept" {
	make_postgres
	ask 'CREATE DATABASE fleet' postgres
	run --separate-stderr timeout 30 fleetsetup "$(database fleet)"
	status_is 0
	[ "${lines[0]}" = 'database fleet: 001-events applied' ]
	[ "${lines[-1]}" = "database fleet: $(latest_change): events are kept for 90d" ]
	sets_up --keep 36h "$(database fleet)"
	[ "$SAID" = "database fleet: $(latest_change): events are kept for 1d12h" ]
	sets_up "$(database fleet)"
	[ "$SAID" = "database fleet: $(latest_change): events are kept for 1d12h" ]
	[ "$(ask 'SELECT count(*) FROM nic.migration' fleet)" = "$(changes)" ]
	fails 69 'permission denied for schema nic' "${DATABASE/nic?/fleet?}"
	fails 69 'database "none" does not exist' "$(database none)"
	ask 'INSERT INTO nic.migration VALUES (1000)' fleet
	fails 65 'database fleet: its schema has a newer version: 1000 instead of ' \
		"$(database fleet)"
}

# older N - make the database fleet with the schema's first N migrations. Set DATABASE to its
# address.
older() {
	local file
	make_postgres
	ask 'CREATE DATABASE fleet' postgres
	for file in "$ROOT"/dist/fleet/00[1-"$1"]-*.sql; do
		psql -X -q -1 -v ON_ERROR_STOP=1 -h "$PGDIR" -p "$PGPORT" -U root fleet -f "$file"
	done
	DATABASE=$(database fleet)
}

# Thorough: sinks
@test "an older database is migrated with its standing conditions" {
	older 1
	recent 1 2 '.isHealthy = false | .metadata.netdev = "rdma2"' >"$T/events"
	store "$T/events"
	ask "INSERT INTO nic.place SELECT DISTINCT node, 'rdma2', '*', 'leaf1' FROM nic.condition" fleet
	ask "CREATE ROLE board; GRANT USAGE ON SCHEMA nic TO board;
		GRANT SELECT ON nic.standing TO board" fleet
	[ "$(ask 'SELECT count(*) > 0, count(switch) FROM nic.standing' fleet)" = 't|0' ]
	run --separate-stderr timeout 30 fleetsetup "$DATABASE"
	status_is 0
	[ "${lines[0]}" = 'database fleet: 002-answers applied' ]
	[ "$(ask "SET ROLE board; SELECT DISTINCT switch FROM nic.standing" fleet)" = leaf1 ]
}

# Thorough: sinks
@test "a migration ends what a stored recovery clears, and nothing that came after it" {
	older 4
	recent 1 4 '.isHealthy = (.seq == 2)
		| .errorCode = [["a"], ["recovery_succeeded", "a"], ["b"], ["a"]][.seq - 1]
		| if .seq < 4 then . else
			.entitiesImpacted += [{entityType: "Fan", entityValue: "1"}] end' \
		>"$T/events"
	store "$T/events"
	[ "$(ask 'SELECT count(*) FROM nic.standing' fleet)" -eq 3 ]
	run --separate-stderr timeout 30 fleetsetup "$DATABASE"
	status_is 0
	[ "${lines[0]}" = 'database fleet: 005-conditions applied' ]
	[ "$(ask 'SELECT codes, jsonb_array_length(entities) FROM nic.standing ORDER BY codes' fleet |
		xargs)" = '{a}|3 {b}|2' ]
}

# Thorough: sinks
@test "a migration makes a condition fatal again that a later event reported as less" {
	older 4
	# On gpu-3 a recovery came between them, which ended nothing until now.
	recent 1 8 '.isFatal = ([.seq] | inside([1, 3, 6])) | .isHealthy = ([.seq] | inside([4, 7]))
		| .nodeName = "gpu-\([1, 1, 2, 2, 2, 3, 3, 3][.seq - 1])"
		| if .seq == 7 then .errorCode = ["recovery_succeeded"] + .errorCode else . end' \
		>"$T/events"
	store "$T/events"
	[ "$(ask 'SELECT bool_or(is_fatal) FROM nic.standing' fleet)" = f ]
	timeout 30 fleetsetup "$DATABASE"
	[ "$(ask 'SELECT node, is_fatal, event_id FROM nic.standing ORDER BY node' fleet | xargs)" = \
		'gpu-1|t|t-1 gpu-2|f|t-5 gpu-3|f|t-8' ]
}

# Thorough: sinks
@test "a failed migration leaves nothing behind" {
	make_postgres
	ask 'CREATE DATABASE fleet' postgres
	ask 'CREATE SCHEMA nic; CREATE VIEW nic.standing AS SELECT 1' fleet
	fails 69 'schema "nic" already exists' "$(database fleet)"
	ask 'DROP SCHEMA nic CASCADE' fleet
	# Its last step fails.
	ask "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
		'BEGIN RAISE ''not today''; END';
		CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN tag IN ('CREATE VIEW')
			EXECUTE FUNCTION refuse()" fleet
	fails 69 'database fleet: not today' "$(database fleet)"
	[ "$(ask "SELECT count(*) FROM pg_namespace WHERE nspname = 'nic'" fleet)" -eq 0 ]
	ask 'DROP EVENT TRIGGER refuse' fleet
	timeout 30 fleetsetup "$(database fleet)"
}

# Thorough: sinks
@test "several fleetsetups of the same database wait for each other" {
	local i pids=()
	make_postgres
	ask 'CREATE DATABASE fleet' postgres
	for i in 1 2 3 4; do
		started "setup$i" fleetsetup "$(database fleet)"
		pids+=("$PID")
	done
	for i in "${pids[@]}"; do ends_with 0 "$i"; done
	[ "$(cat "$T"/setup?.out | grep -c applied)" -eq "$(changes)" ]
}
