#!/usr/bin/env bats
# alerts-live: dist/prometheus with a real Prometheus and Alertmanager: a simulated port that is
# down pages once, and a fault of the fabric pages once for all nodes.
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/service
	load lib/servers
	local program
	for program in prometheus prometheus-alertmanager; do
		command -v "$program" >/dev/null ||
			skip "left out: no $program (dist/install-deps installs it)"
	done
	node l40s-onprem
}

teardown() { nothing_left; }

# an_alertmanager - start an Alertmanager with the example configuration, without its wait times and
# with the test's webhooks as receivers. Set ALERTMANAGER.
an_alertmanager() {
	start_webhook pager
	local pager=$ADDRESS port
	start_webhook tickets
	port=$(free_port)
	sed -E "s|pager.example.org|$pager|; s|tickets.example.org|$ADDRESS|
		s/group_wait: .*/group_wait: 0s/; s/group_interval: .*/group_interval: 1s/" \
		"$ROOT/dist/prometheus/alertmanager.yaml" >"$T/alertmanager.yaml"
	started alertmanager prometheus-alertmanager --config.file="$T/alertmanager.yaml" \
		--storage.path="$T/alertmanager" --web.listen-address="127.0.0.1:$port" \
		--cluster.listen-address=
	ALERTMANAGER=http://127.0.0.1:$port
	wait_until 20 get "$ALERTMANAGER/-/ready" >/dev/null
}

# a_prometheus METRICS-ADDRESS - start a Prometheus with the example's rules, without their `for`
# times, that scrapes this node. Set PROMETHEUS.
a_prometheus() {
	local port
	port=$(free_port)
	cp "$ROOT"/dist/prometheus/*.yaml "$T"
	sed -i 's/for: .*/for: 0s/' "$T"/*-alerts.yaml
	sed -E "s/_interval: .*/_interval: 1s/
		s/alertmanager.example.org:9093/${ALERTMANAGER#http://}/
		s/targets: \[gpu-.*/targets: ['$1']/" \
		"$ROOT/dist/prometheus/prometheus.yaml" >"$T/prometheus.yaml"
	started prometheus prometheus --config.file="$T/prometheus.yaml" \
		--storage.tsdb.path="$T/tsdb" --web.listen-address="127.0.0.1:$port"
	PROMETHEUS=http://127.0.0.1:$port
}

# firing - print the names of the alerts that fire in Prometheus.
firing() {
	get "$PROMETHEUS/api/v1/alerts" |
		jq -r '.data.alerts[] | select(.state == "firing") | .labels.alertname' | sort | xargs
}
fires() { [ "$(firing)" = "$1" ]; }

# called NAME - print the alert name of each firing notification that receiver NAME got.
called() { logged "$1" 'select(.kind == "request" and .body.status == "firing")
	| .body.groupLabels.alertname'; }
was_called() { [ "$(called "$1" | sort -u | xargs)" = "$2" ]; }

# post ALERT... - send alerts to the Alertmanager. ALERT holds the labels, with ' for ".
post() {
	local labels
	for labels; do
		tr "'" '"' <<<"{'labels': $labels}"
	done | jq -s -c . >"$T/alerts"
	curl -s -f -H 'Content-Type: application/json' -d "@$T/alerts" "$ALERTMANAGER/api/v2/alerts"
}

# calling ALERT... - check that exactly these alerts, as `alertname device port`, are active and not
# inhibited.
calling() {
	diff <(printf '%s\n' "$@" | sort) \
		<(alerts '.[].labels | [.alertname, .device, .port // ""] | join(" ")' | sort)
}

@test "a port that is down pages once, and the page resolves when the port is back" {
	launch_service --sink "file:$T/events"
	an_alertmanager
	a_prometheus "$(sed -n 's/.*note: metrics: listening on //p' "$T/service.err")"
	wait_until 30 fires ''
	sim down mlx5_1/1
	wait_until 30 fires NICPortDown
	wait_until 20 was_called pager NICPortDown
	is_whole() { logged pager 'select(.kind == "request") | .body.alerts[0]' | head -n 1 |
		jq -e '.labels.device == "mlx5_1" and .labels.severity == "critical"
			and (.annotations.summary | startswith("Port 1 of mlx5_1 on "))
			and (.annotations.runbook_url | endswith("/port-down.md"))' >/dev/null; }
	is_whole
	sim up mlx5_1/1
	wait_until 30 fires ''
	wait_until 20 has_logged 1 pager '.body.status == "resolved"'
	[ "$(called pager | wc -l)" -eq 1 ]
	was_called tickets ''
}

@test "a non-fatal fault opens a ticket, and a fault of the fabric pages once instead of once per port" {
	an_alertmanager
	post "{'alertname': 'NICPortsDownOnManyNodes', 'severity': 'critical'}"
	wait_until 20 was_called pager NICPortsDownOnManyNodes
	local a="'severity': 'critical', 'node': 'a'" b="'severity': 'critical', 'node': 'b'"
	post "{'alertname': 'NICPortDown', $a, 'code': 'port_state'}" \
		"{'alertname': 'NICPortDown', $b, 'code': 'port_gone'}" \
		"{'alertname': 'NICCounterBreach', $a, 'code': 'link_downed'}" \
		"{'alertname': 'NicLinkDowned', $b, 'code': 'link_downed'}" \
		"{'alertname': 'NICPattern', $a, 'check': 'NICPortDrop', 'code': 'port_state'}" \
		"{'alertname': 'NICCardBelowPeers', $b, 'code': 'card_ports'}" \
		"{'alertname': 'NICRateBelowPeers', 'severity': 'warning', 'node': 'b'}"
	wait_until 20 was_called tickets NICRateBelowPeers
	[ "$(alerts '.[].labels.alertname' | sort | xargs)" = "NICPortsDownOnManyNodes NICRateBelowPeers" ]
	was_called pager NICPortsDownOnManyNodes
}

@test "a NIC that is gone, or a port that is down, pages once, and hides no alert of another NIC" {
	an_alertmanager
	local a="'severity': 'critical', 'node': 'a'"
	post "{'alertname': 'NICGone', $a, 'device': 'mlx5_0'}" \
		"{'alertname': 'NicGone', $a, 'device': 'mlx5_1'}" \
		"{'alertname': 'NICPortDown', $a, 'device': 'mlx5_0', 'port': '1'}" \
		"{'alertname': 'NicPortState', $a, 'device': 'mlx5_1', 'port': '1'}" \
		"{'alertname': 'NICCardBelowPeers', $a, 'device': '0000:18:00'}" \
		"{'alertname': 'NICPortDown', $a, 'device': 'mlx5_2', 'port': '1',
			'check': 'EthernetStateCheck', 'code': 'port_state'}" \
		"{'alertname': 'NICPattern', $a, 'device': 'mlx5_2', 'port': '1',
			'check': 'NICPortDrop', 'code': 'port_state'}" \
		"{'alertname': 'NicPortState', $a, 'device': 'mlx5_3', 'port': '1',
			'check': 'NICPortDrop', 'code': 'port_state'}" \
		"{'alertname': 'NICCounterBreach', $a, 'device': 'mlx5_4', 'port': '1',
			'code': 'link_downed'}" \
		"{'alertname': 'NICCounterBreach', 'severity': 'warning', 'node': 'a',
			'device': 'mlx5_4', 'port': '1', 'code': 'link_downed'}" \
		"{'alertname': 'NICCounterBreach', 'severity': 'warning', 'node': 'a',
			'device': 'mlx5_4', 'port': '1', 'code': 'out_of_sequence'}"
	# The card may be another NIC's, and of one code only the warning is hidden.
	wait_until 20 calling 'NICGone mlx5_0 ' 'NicGone mlx5_1 ' 'NICPortDown mlx5_2 1' \
		'NicPortState mlx5_3 1' 'NICCardBelowPeers 0000:18:00 ' \
		'NICCounterBreach mlx5_4 1' 'NICCounterBreach mlx5_4 1'
}
