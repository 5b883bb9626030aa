# Convert the events of a platform's first scan to the form of its
# expected.checks.NAME.first_poll: input is an array of events, $notes the text of stderr.
# SPDX-License-Identifier: Apache-2.0
def entity($type): first(.entitiesImpacted[] | select(.entityType == $type) | .entityValue);
def port: entity("NIC") + "/" + entity("NICPort");
def is_port: any(.entitiesImpacted[]; .entityType == "NICPort");
def is_card: (is_port | not) and (.entitiesImpacted | length) == 1;

# Find `Port mlx5_1 port 1: ...` in the notes about ports that are not reported.
def suppressed($prefix): [$notes | split("\n")[] | select(test("so when first seen, not reported"))
	| capture(" " + $prefix + "ort (?<d>[^ ]+) port (?<n>[0-9]+): ") | .d + "/" + .n];

def first_poll($check):
	map(select(.checkName == $check)) as $events
	| [$events[] | select(.errorCode - ["port_state", "card_ports"] == [])] as $states
	| {
		clear: any($states[]; .entitiesImpacted == []),
		healthy_ports: [$states[] | select(.isHealthy and is_port) | port],
		healthy_cards: [$states[] | select(.isHealthy and is_card) | entity("NIC")],
		fatal_cards: [$states[] | select((.isHealthy | not) and is_card)
			| (.message | capture(
				"has (?<a>[0-9]+) active ports, expected (?<m>[0-9]+)")) as $n
			| {card: entity("NIC"), role: .metadata.role, active: ($n.a | tonumber),
				expected: ($n.m | tonumber), action: .recommendedAction}],
		port_events: [$states[] | select((.isHealthy | not) and is_port)
			| {port: port, fatal: .isFatal, action: .recommendedAction}],
		suppressed_ports:
			suppressed({Eth: "RoCE p", EFA: "EFA p"}[$check[:3]] // "P")
	};
