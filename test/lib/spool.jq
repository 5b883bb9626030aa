# Make rows of a spool for to_spool. Times are seconds before $now.
# SPDX-License-Identifier: Apache-2.0

def at_ns($now; $ago): ($now - $ago) * 1000000000;

# An event of the source `t`. The severity is fatal, degraded or healthy; the place is DEVICE,
# DEVICE/PORT or empty.
def stored($now; $node; $seq; $ago; $severity; $place; $check; $code; $message):
	($place | split("/")) as [$device, $port] | at_ns($now; $ago) as $ns |
	{kind: "event", id: "t-\($seq)", version: 1, agent: "nic-health-monitor",
		componentClass: "NIC", checkName: $check,
		isFatal: ($severity == "fatal"), isHealthy: ($severity == "healthy"),
		message: $message,
		recommendedAction: (if $severity == "fatal" then "REPLACE_VM" else "NONE" end),
		errorCode: [$code | select(. != "")],
		entitiesImpacted: [({entityType: "NIC", entityValue: ($device // empty)},
			{entityType: "NICPort", entityValue: ($port // empty)})],
		metadata: {}, generatedTimestamp: ($ns / 1000000000 | todate), nodeName: $node,
		processingStrategy: "STORE_ONLY", source: "t", seq: $seq} |
	{event: {source, seq, id, time_ns: $ns, received_ns: $ns, node: .nodeName, agent,
		check_name: .checkName, device: ($device // ""), port: ($port // ""),
		is_fatal: .isFatal, is_healthy: .isHealthy, code: $code,
		action: .recommendedAction, message, record: tojson}};

# A standing condition; $more, an object, adds or replaces columns.
def condition($now; $ago; $severity; $place; $check; $code; $message; $more):
	($place | split("/")) as [$device, $port] | at_ns($now; $ago) as $ns |
	{condition: ({node: "gpu-42", agent: "nic-health-monitor", check_name: $check,
		about: ([($device | values | "NIC=" + .), ($port | values | "NICPort=" + .)]
			| join(",")),
		device: ($device // ""), port: ($port // ""),
		code: $code, is_fatal: ($severity == "fatal"),
		action: (if $severity == "fatal" then "REPLACE_VM" else "NONE" end),
		message: $message,
		times: 1, since_ns: $ns, last_ns: $ns, opened: 1, updated: 1} + $more)};

def sink($now; $ago; $name; $position; $delivered):
	{sink: {name: $name, position: $position, delivered: $delivered,
		changed_ns: at_ns($now; $ago)}};

# Convert the input's rows to SQL that inserts all or none of them.
def literal:
	if type == "string" then "'" + gsub("'"; "''") + "'"
	elif type == "boolean" then (if . then "1" else "0" end)
	else tojson end;
def insertion:
	to_entries[] | .key as $table | (.value | to_entries) as $columns |
	"INSERT INTO \($table) (\($columns | map(.key) | join(", "))) "
		+ "VALUES (\($columns | map(.value | literal) | join(", ")));";
def insertions: "BEGIN;", (.[] | insertion), "COMMIT;";
