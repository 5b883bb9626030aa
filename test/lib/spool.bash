# spool - a spool with what a test wants in it, as emit would have stored it. Needs `load common` before it.
# shellcheck shell=bash

# The moment that the tests take for now, seconds since 1970; programs are called some seconds later, so no age here is a whole minute.
NOW=$(date +%s)
SEQ=0

# to_spool FILE [ROWS] - rows as test/lib/spool takes them, from stdin or the second argument. To FILE `-` they are only printed; so are those of the functions below.
to_spool() {
	if [ "$1" = - ]; then
		cat
	elif [ $# -gt 1 ]; then
		"$ROOT/test/lib/spool" "$1" <<<"$2"
	else
		"$ROOT/test/lib/spool" "$1"
	fi
}

# ago SECONDS - that long before NOW, in nanoseconds since 1970.
ago() { echo $(((NOW - $1) * 1000000000)); }

# at SECONDS - the same as a table shows it.
at() { date -u -d "@$((NOW - $1))" '+%Y-%m-%d %H:%M:%S'; }

# stored FILE SECONDS-AGO SEVERITY PLACE CHECK CODE MESSAGE - an event, with the next seq of the source `t`. SEVERITY is fatal, degraded or healthy; PLACE is DEVICE, DEVICE/PORT or
# empty.
stored() {
	SEQ=$((SEQ + 1))
	jq -nc --argjson seq "$SEQ" --argjson ns "$(ago "$2")" --arg severity "$3" --arg place "$4" --arg check "$5" --arg code "$6" --arg message "$7" \
		--arg node "${NODE_OF_SPOOL:-gpu-42}" '
		($place | split("/")) as [$device, $port] |
		{kind: "event", id: "t-\($seq)", version: 1, agent: "nic-health-monitor", componentClass: "NIC", checkName: $check,
			isFatal: ($severity == "fatal"), isHealthy: ($severity == "healthy"), message: $message,
			recommendedAction: (if $severity == "fatal" then "REPLACE_VM" else "NONE" end), errorCode: [$code | select(. != "")],
			entitiesImpacted: [({entityType: "NIC", entityValue: ($device // empty)}, {entityType: "NICPort", entityValue: ($port // empty)})],
			metadata: {}, generatedTimestamp: ($ns / 1000000000 | todate), nodeName: $node, processingStrategy: "STORE_ONLY", source: "t", seq: $seq} |
		{event: {source, seq, id, time_ns: $ns, received_ns: $ns, node: .nodeName, agent, check_name: .checkName, device: ($device // ""), port: ($port // ""),
			is_fatal: .isFatal, is_healthy: .isHealthy, code: $code, action: .recommendedAction, message, record: tojson}}' | to_spool "$1"
}

# condition FILE SECONDS-AGO SEVERITY PLACE CHECK CODE MESSAGE [COLUMNS] - one that stands; COLUMNS, an object, adds or replaces columns.
condition() {
	jq -nc --argjson ns "$(ago "$2")" --arg severity "$3" --arg place "$4" --arg check "$5" --arg code "$6" --arg message "$7" --argjson more "${8:-{\}}" '
		($place | split("/")) as [$device, $port] |
		{condition: ({node: "gpu-42", agent: "nic-health-monitor", check_name: $check,
			about: ([($device | values | "NIC=" + .), ($port | values | "NICPort=" + .)] | join(",")), device: ($device // ""), port: ($port // ""),
			code: $code, is_fatal: ($severity == "fatal"), action: (if $severity == "fatal" then "REPLACE_VM" else "NONE" end), message: $message,
			times: 1, since_ns: $ns, last_ns: $ns, opened: 1, updated: 1} + $more)}' | to_spool "$1"
}

# sink FILE NAME POSITION DELIVERED SECONDS-AGO
sink() {
	jq -nc --arg name "$2" --argjson position "$3" --argjson delivered "$4" --argjson ns "$(ago "$5")" \
		'{sink: {name: $name, position: $position, delivered: $delivered, changed_ns: $ns}}' | to_spool "$1"
}

# dead_letter FILE SINK NUMBER SECONDS-AGO REASON - of an event that is in the spool.
dead_letter() {
	sqlite3 -readonly -json "$1" "SELECT number, id AS event_id, record FROM event WHERE number = $3" |
		jq -c --arg sink "$2" --argjson ns "$(ago "$4")" --arg reason "$5" '{dead_letter: (.[0] + {sink: $sink, time_ns: $ns, reason: $reason})}' | to_spool "$1"
}

# a_night FILE - what most tests look at: a port that flaps, degrades and dies, a card that came back, and a sink that will not take all.
a_night() {
	local slow='Port mlx5_3 port 1: symbol_error - Bit errors on the link (value=130, delta=120, rate=2.00/sec)'
	local down='Port mlx5_3 port 1: state DOWN, phys_state Polling - no connectivity'
	{
		stored - 90000 degraded mlx5_3/1 InfiniBandDegradationCheck symbol_error "$slow"
		stored - 11550 fatal mlx5_3/1 InfiniBandStateCheck '' "$down"
		stored - 11000 fatal mlx5_0 InfiniBandStateCheck '' 'Device mlx5_0 has disappeared'
		stored - 10000 healthy mlx5_0 InfiniBandStateCheck '' 'Device mlx5_0 is there again'
		condition - 90000 degraded mlx5_3/1 InfiniBandDegradationCheck symbol_error "$slow" '{"times": 41}'
		condition - 11550 fatal mlx5_3/1 InfiniBandStateCheck '' "$down"
		condition - 11000 fatal mlx5_0 InfiniBandStateCheck '' 'Device mlx5_0 has disappeared' "{\"closed\": 4, \"closed_ns\": $(ago 10000), \"closed_by\": \"recovery\"}"
		sink - file:/var/tmp/events.ndjson 4 4 10000
		sink - grpc:unix:///var/run/nvsentinel.sock 2 1 11540
	} >"$1.rows"
	to_spool "$1" <"$1.rows"
	rm "$1.rows"
	dead_letter "$1" grpc:unix:///var/run/nvsentinel.sock 1 89990 'INVALID_ARGUMENT: unknown check'
}
