#!/usr/bin/env bats
# values2config: dist/kubernetes/values2config converts the values of NVSentinel's chart to an
# equivalent configuration and names each value that is not in it.
# shellcheck disable=SC2154 # bats sets output and stderr
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	/usr/bin/python3 -c 'import yaml' 2>/dev/null ||
		skip "left out: no python3-yaml (dist/install-deps --thorough installs it)"
	T=$BATS_TEST_TMPDIR
	VALUES=$ROOT/test/kubernetes/values.yaml
}

convert() { run --separate-stderr "$ROOT/dist/kubernetes/values2config" "$@"; }

# of_text TEXT - convert TEXT, which is written to $T/values.yaml
of_text() {
	printf '%b' "$1" >"$T/values.yaml"
	convert "$T/values.yaml"
}

# in_force FILE - print the configuration in force with FILE
in_force() { ctreval --check-config --config "$1"; }

# as_chart FILE - print the chart's ConfigMap for the values: the same keys, in TOML
as_chart() {
	jq -r --yaml-input '
		([{nicExclusionRegex, nicInclusionRegexOverride} | to_entries[]
			| select(.value != null) | "\(.key) = \(.value | tojson)"]
		+ ["[charDeviceCheck]", "issm = \(.charDeviceCheck.issm // "" | tojson)",
			"[stateCheck]",
			"portStateHoldDown = \(.stateCheck.portStateHoldDown // "" | tojson)",
			"[counterDetection]", "enabled = \(.counterDetection.enabled)"]
		+ [.counterDetection.counters[] | "[[counterDetection.counters]]",
			(to_entries[] | "\(.key) = \(.value | tojson)")])[]' "$1"
}

@test "the configuration is equivalent to the chart's own, and values that are not in it are named" {
	convert "$VALUES"
	status_is 0
	echo "$output" >"$T/config.yaml"
	as_chart "$VALUES" >"$T/config.toml"
	in_force "$T/config.yaml" >"$T/ours"
	# The chart has no key for the interval, but an argument.
	diff <(in_force "$T/config.toml" | grep -v '^interval:') <(grep -v '^interval:' "$T/ours")
	grep -q -x 'interval: "\?2s"\?' "$T/ours"
	[ "$(jq --yaml-input '.counterDetection.counters | map(select(.enabled)) | length' "$T/ours")" = 17 ]
	jq -e --yaml-input '.counterDetection.counters[] | select(.name == "port_rcv_errors")
		| .threshold == 25 and .velocityUnit == "minute"' "$T/ours"
	diff - <(echo "$stderr") <<-'END'
		values2config: image: images in your kustomization
		values2config: resources: a patch of the DaemonSet
		values2config: enabledChecks: argument --checks=InfiniBandStateCheck,EthernetStateCheck
		values2config: sysClassNetPath: /nvsentinel/sys/class/net: the base has --sysfs-root=/host/sys
		values2config: sysClassInfinibandPath: /nvsentinel/sys/class/infiniband: the base has --sysfs-root=/host/sys
		values2config: pollStallDeadline: argument --poll-stall-deadline=20s
		values2config: pollStallStoreOnly: argument --poll-stall-store-only=false
		values2config: priorityClassName: a patch of the DaemonSet
		values2config: logLevel: info: has no counterpart; argument -v says more
		values2config: processingStrategy: argument --strategy=STORE_ONLY
		values2config: updateStrategy: a patch of the DaemonSet
		values2config: publishTo: socket: the overlay nvsentinel is for socket; for deployment set the variables HEALTH_PUBLISH_...
	END
}

@test "every value of the chart is in the configuration or named, whatever its value" {
	local key
	while read -r key; do
		of_text "$(jq -c --yaml-input --arg key "$key" '{($key): .[$key]}' "$VALUES")"
		status_is 0
		# An empty value sets nothing.
		[[ $key = @(podAnnotations|nodeSelector|affinity|tolerations) ]] ||
			grep -q -E "^(values2config: )?($key|interval):" <<<"$output"$'\n'"$stderr"
	done < <(jq -r --yaml-input 'keys[]' "$VALUES")
	of_text 'whatever: 1\nnone: null\nempty: {}\nstateCheck: {unknown: 2}\n'
	status_is 0 'whatever: has no counterpart'
	stderr_has 'stateCheck.unknown: has no counterpart'
	none grep -q -E 'none|empty' <<<"$stderr"
	of_text 'enabledChecks: []\n'
	status_is 0 'enabledChecks: argument --checks=$'
	of_text 'counterDetection: {counters: [{name: link_downed, colour: red}]}\n'
	status_is 0 'counterDetection.counters\[0\].colour: has no counterpart'
}

@test "the arguments that it names exist" {
	local option
	while read -r option; do
		nic-health-monitor --help | grep -q -e "^ *${option}[ []"
	done < <(
		echo --sysfs-root
		sed -n 's/.*\(--[a-z-]*\)=[a-z:]*%s.*/\1/p' "$ROOT/dist/kubernetes/values2config"
	)
}

@test "counters missing from the chart's list are disabled, and without a list the defaults apply" {
	of_text 'counterDetection: {enabled: true, counters: [{name: symbol_error, threshold: 3}]}\n'
	status_is 0
	echo "$output" >"$T/config.yaml"
	[ "$(in_force "$T/config.yaml" | jq -c --yaml-input '.counterDetection.counters
		| map(select(.enabled) | [.name, .threshold])')" = '[["symbol_error",3]]' ]
	of_text 'counterDetection: {enabled: true, counters: []}\n'
	status_is 0
	echo "$output" >"$T/config.yaml"
	[ "$(in_force "$T/config.yaml" | jq --yaml-input '.counterDetection.counters
		| map(select(.enabled)) | length')" = 0 ]
	of_text 'counterDetection: {enabled: false}\n'
	status_is 0 'counterDetection.counters: not there'
	echo "$output" >"$T/config.yaml"
	diff <(in_force /dev/null | sed '0,/enabled: true/s//enabled: false/') \
		<(in_force "$T/config.yaml")
}

@test "it knows all counters that are enabled by default" {
	diff <(in_force /dev/null | jq -r --yaml-input '.counterDetection.counters[]
			| select(.enabled).name' | sort) \
		<(of_text 'counterDetection: {counters: []}\n' && jq -r --yaml-input \
			'.counterDetection.counters[].name' <<<"$output" | sort)
}

@test "it also converts the values of NVSentinel's main chart" {
	of_text 'global: {metricsPort: 9100, metadataPath: /m.json, tolerations: [{operator: Exists}], dryRun: false, nodeSelector: {}, platformConnectorAuth: {enabled: true}}\nnic-health-monitor:\n  nicExclusionRegex: "^mlx5_9$"\nsyslog-health-monitor: {enabled: true}\nlabeler: {}\n'
	status_is 0
	[ "$(jq -c --yaml-input . <<<"$output")" = '{"nicExclusionRegex":"^mlx5_9$"}' ]
	diff - <(echo "$stderr") <<-'END'
		values2config: global.metricsPort: argument --metrics-port=9100, and containerPort
		values2config: global.metadataPath: argument --metadata=auto:/m.json, and its mount
		values2config: global.tolerations: a patch of the DaemonSet
		values2config: global.dryRun: has no counterpart
		values2config: global.platformConnectorAuth: nothing for the socket; for HEALTH_PUBLISH_TARGET a token of its audience
		values2config: syslog-health-monitor: not about the NIC monitor
		values2config: counterDetection.counters: not there, so this monitor's defaults are watched
	END
}

# refused TEXT REGEX - check that these values exit 65 with one line and no output
refused() {
	of_text "$1"
	status_is 65 "^values2config: $T/values.yaml: $2"
	[ "$output" = '' ]
	[[ ${stderr_lines[-1]} = "values2config: $T/values.yaml: "* ]]
}

@test "invalid values exit 65 with their place and make no configuration" {
	refused 'nicExclusionRegex: 5\n' 'nicExclusionRegex: not a text'
	refused 'charDeviceCheck: {issm: off}\n' 'charDeviceCheck.issm: not a text \(use quotes\)'
	refused 'charDeviceCheck: never\n' 'charDeviceCheck: not a mapping'
	refused 'statePollingInterval: 1\n' 'statePollingInterval: not a text'
	refused 'counterDetection: {enabled: "yes"}\n' 'counterDetection.enabled: not true or false'
	refused 'counterDetection: {counters: {a: 1}}\n' 'counterDetection.counters: not a list'
	refused 'counterDetection: {counters: [link_downed]}\n' \
		'counterDetection.counters\[0\]: not a mapping'
	refused 'counterDetection: {counters: [{name: a}, {name: b, threshold: many}]}\n' \
		'counterDetection.counters\[1\].threshold: not a number'
	refused 'counterDetection: {counters: [{name: b, threshold: .inf}]}\n' 'counter.*not a number'
	refused 'counterDetection: {counters: [{name: b, threshold: true}]}\n' 'counter.*not a number'
	refused 'pollStallDeadline: {a: 1}\n' 'pollStallDeadline: neither a text'
	refused 'nic-health-monitor: 5\n' 'nic-health-monitor or global: not a mapping'
	refused 'global: [1]\n' 'nic-health-monitor or global: not a mapping'
}

@test "invalid, expanding or ambiguous YAML is rejected quickly with 65" {
	refused '' 'no mapping of values'
	refused '[1, 2]\n' 'no mapping of values'
	refused 'a: [1\n' 'while parsing'
	refused 'a: \001\n' 'unacceptable character'
	refused 'a: \377\n' 'unacceptable character #x00ff: invalid start byte'
	refused 'a: !!python/object/apply:os.system [true]\n' 'could not determine a constructor'
	refused 'a: 1\n---\nb: 2\n' 'expected a single document'
	refused 'nicExclusionRegex: a\nimage: {}\nnicExclusionRegex: b\n' \
		'line 3: nicExclusionRegex is there twice'
	refused 'a: &a {b: 1}\nc: {<<: *a}\n' 'line 2: << is no key that can be read'
	refused '? [a]\n: 1\n' 'line 1: this is no key that can be read'
	refused '"\\e[31m": 1\n"\\e[31m": 1\n' 'line 2: \\x1b\[31m is there twice'
	printf '[%.0s' {1..20000} >"$T/deep"
	refused "a: $(cat "$T/deep")" 'nested too deep'
	refused "threshold: $(printf '9%.0s' {1..5000})" '(Exceeds|more than)'
	head -c 300000 /dev/zero | tr '\0' '#' >"$T/large"
	convert "$T/large"
	status_is 65 'more than 262144 bytes'
	# Each level refers twice to the level before.
	{
		echo 'a0: &a0 [x, x]'
		for i in {1..60}; do echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1))]"; done
		echo 'counterDetection: {counters: *a60}'
	} >"$T/laughs"
	convert "$T/laughs"
	status_is 65 'counters\[0\]: not a mapping'
}

@test "control characters are escaped in messages and in the configuration" {
	of_text '"\\e[31mred": 1\nlogLevel: "\\e[2J"\n'
	status_is 0
	none grep -q $'\033' <<<"$stderr"
	stderr_has '\\x1b\[31mred: has no counterpart'
	of_text 'nicExclusionRegex: "^ä\\e.*,^b$"\n'
	none grep -q $'\033' <<<"$output"
	[ "$(jq -r --yaml-input .nicExclusionRegex <<<"$output")" = $'^ä\033.*,^b$' ]
}

@test "without a file stdin is read; usage, file and write errors have their exit codes" {
	convert - <<<'nicExclusionRegex: "^a$"'
	status_is 0
	[ "${lines[1]}" = 'nicExclusionRegex: ^a$' ]
	convert <<<'nicExclusionRegex: "^a$"'
	[ "${lines[1]}" = 'nicExclusionRegex: ^a$' ]
	convert --help
	status_is 0
	[[ $output = 'values2config - '* ]]
	convert a b
	status_is 64 'see --help'
	convert --sysfs
	status_is 64 'see --help'
	convert "$T/none"
	status_is 66 "^values2config: $T/none: No such file or directory$"
	convert "$T"
	status_is 74 'Is a directory'
	run --separate-stderr bash -c '"$1" "$2" >/dev/full' - \
		"$ROOT/dist/kubernetes/values2config" "$VALUES"
	status_is 74 'values2config: standard output: No space left on device$'
	none grep -q Traceback <<<"$stderr"
}

@test "the command in doc/kubernetes.md converts what helm prints" {
	mkdir "$T/bin"
	printf '#!/bin/sh\ncat "%s"\n' "$VALUES" >"$T/bin/helm"
	chmod +x "$T/bin/helm"
	sed -n '/^       helm /,/>config\.yaml$/p' "$ROOT/doc/kubernetes.md" |
		sed "s#/usr/share/nic-health-monitor/#$ROOT/dist/#" >"$T/typed"
	(cd "$T" && PATH=$T/bin:$PATH bash -o pipefail "$T/typed")
	convert "$VALUES"
	diff "$T/config.yaml" <(echo "$output") >&2
}
