#!/usr/bin/env bats
# service-sinks: sinks and interval from the configuration, and their reload without loss of events.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/configured
	node l40s-onprem
}

teardown() { nothing_left; }

# runs_with STAGE OPTIONS - return success if the stage's command line has these
runs_with() { [[ "$(tr '\0' ' ' <"/proc/$(stage "$1")/cmdline")" = *" $2 "* ]]; }

# check LINE... - run --check-config with that configuration and the options of WITH
check() {
	configure "$@"
	node_options
	run --separate-stderr nic-health-monitor "${NODE_OPTIONS[@]}" --config "$CONFIG" \
		--state-file '' --spool '' --metrics-port '' --check-config "${WITH[@]}"
}
WITH=()

@test "events go to the configuration's sinks, and after a reload to the new ones; none is lost" {
	configure 'interval: 100ms' 'sinks:' "  - file:$T/one" \
		"  - {sink: \"file:$T/fatal\", minSeverity: fatal, onlyCodes: [port_state]}"
	launch
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one" '"message":"Port mlx5_1'
	reload 'interval: 50ms' "sinks: [\"file:$T/two\", \"file:$T/one\"]"
	says 'restarting ibevent, ibscan, logmatch, topoclass, ctreval, correlate and, for other sinks or runbooks, emit$'
	sim up mlx5_1/1
	sim down mlx5_2/1
	wait_until 20 has_lines 1 "$T/two" '"message":"Port mlx5_1 port 1: healthy'
	wait_until 20 has_lines 1 "$T/two" '"message":"Port mlx5_2'
	end_service
	# A sink in both configurations gets each event once, in order.
	[ "$(jq -r .id "$T/one" | sort | uniq -d)" = "" ]
	[ "$(jq -r 'select(.isFatal) | .entitiesImpacted[0].entityValue' "$T/one" | xargs)" \
		= "mlx5_1 mlx5_2" ]
	[ "$(jq -r 'select(.isHealthy | not) | .errorCode[0]' "$T/fatal" | xargs)" = port_state ]
}

@test "a reload with another runbookUrl applies to the next event" {
	configure 'interval: 100ms' "sinks: [\"file:$T/one\"]" 'runbookUrl: "https://a/{code}"'
	launch
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one" '"runbook":"https://a/port_state"'
	reload 'interval: 100ms' "sinks: [\"file:$T/one\"]" 'runbookUrl: "https://b/{code}"'
	sim down mlx5_2/1
	wait_until 20 has_lines 1 "$T/one" '"runbook":"https://b/port_state"'
	end_service
	[ "$(jq -r .id "$T/one" | sort | uniq -d)" = "" ]
}

@test "a reload with the same sinks keeps emit running, and one with another interval restarts ibscan" {
	local emit
	configure 'interval: 100ms' "sinks: [\"file:$T/one\"]"
	launch
	emit=$(stage emit)
	wait_until 10 runs_with ibscan '--interval 100000000ns'
	reload 'interval: 200ms' "sinks: [\"file:$T/one\"]"
	says 'restarting ibevent, ibscan, logmatch, topoclass, ctreval, correlate$'
	wait_until 10 runs_with ibscan '--interval 200000000ns'
	[ "$(stage emit)" = "$emit" ]
	end_service
}

@test "a configuration with an invalid sink is rejected, and the old one stays in force" {
	configure 'interval: 100ms' "sinks: [\"file:$T/one\"]"
	launch
	configure 'sinks: [carrier-pigeon:coop]'
	kill -HUP "$SERVICE"
	wait_until 20 says 'unknown kind of sink'
	wait_until 20 says 'SIGHUP: the configuration cannot be used: keeping the current configuration'
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one" '"message":"Port mlx5_1'
	end_service
}

@test "an exec sink is started without the service's confinement" {
	mkdir "$T/far"
	printf '#!/bin/sh\nmkdir -p "%s/far/made" && cat >>"%s/far/made/got"\n' "$T" "$T" >"$T/page"
	chmod +x "$T/page"
	configure 'interval: 100ms' "sinks: [\"exec:$T/page\"]"
	launch
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/far/made/got" '"message":"Port mlx5_1'
	none says 'cannot be started'
	# An unconfined service can use another directory after a reload.
	reload 'interval: 100ms' "sinks: [\"file:$T/far/other\"]"
	sim down mlx5_2/1
	wait_until 20 has_lines 1 "$T/far/other" '"message":"Port mlx5_2'
	end_service
}

@test "the command line takes precedence over the configuration, and a note says that its sinks are unused" {
	configure 'interval: 1h' "sinks: [\"file:$T/one\"]"
	launch --sink "file:$T/two" --interval 100ms
	says 'note: the sinks of the configuration are not used: the command line names others'
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/two" '"message":"Port mlx5_1'
	[ ! -e "$T/one" ]
	end_service
}

@test "--default-sink gets the events if neither options nor configuration name a sink" {
	configure 'interval: 100ms'
	launch --default-sink "file:$T/default"
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/default" '"message":"Port mlx5_1'
	reload 'interval: 100ms' "sinks: [\"file:$T/one\"]"
	sim down mlx5_2/1
	wait_until 20 has_lines 1 "$T/one" '"message":"Port mlx5_2'
	reload 'interval: 100ms'
	sim up mlx5_1/1
	wait_until 20 has_lines 1 "$T/default" '"message":"Port mlx5_1 port 1: healthy'
	end_service
	# It also gets the events from the time when it was not in use.
	has_lines 1 "$T/default" '"message":"Port mlx5_2'
}

@test "a reload without sinks checks the default sink: while that is unusable, the configuration stays in force" {
	configure 'interval: 100ms' "sinks: [\"file:$T/one\"]"
	launch --default-sink "webhook:@$T/hook"
	configure 'interval: 100ms'
	kill -HUP "$SERVICE"
	wait_until 20 says "$T/hook: No such file"
	wait_until 20 says 'SIGHUP: the configuration cannot be used: keeping the current configuration'
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/one" '"message":"Port mlx5_1'
	end_service
}

@test "a reload that removes a sink does not need what only that sink needed" {
	echo http://127.0.0.1:1/hook >"$T/hook"
	chmod 600 "$T/hook"
	configure 'interval: 100ms' "sinks: [\"file:$T/one\", \"webhook:@$T/hook\"]"
	launch --default-sink "file:$T/default"
	rm "$T/hook"
	reload 'interval: 100ms'
	sim down mlx5_1/1
	wait_until 20 has_lines 1 "$T/default" '"message":"Port mlx5_1'
	end_service
}

@test "a warning says that the Platform Connector's token is unused while the configuration names the sinks" {
	local unused='warning: --platform-connector-token-path is not used: the configuration names the sinks'
	local WITH=(--platform-connector-token-path "$T/token")
	echo secret >"$T/token"
	chmod 600 "$T/token"
	check "sinks: [\"file:$T/one\"]"
	[ "$status" -eq 0 ]
	stderr_has "$unused"
	check 'interval: 100ms'
	[ "$status" -eq 0 ]
	none grep -q "$unused" <<<"$stderr"
}

@test "--check-config prints the sinks, and names each sink's mistakes" {
	check 'interval: 90s' 'sinks:' '  - journal' \
		'  - sink: grpc:https://pc:443' '    caFile: /etc/hostname' \
		'    onlyRoles: [compute, storage]' '    clearToken: true'
	diff <(sed -n '/^sinks:/,/^interval/p' <<<"$output") - <<-'END'
		sinks:
		  - sink: "journal"
		  - sink: "grpc:https://pc:443"
		    caFile: "/etc/hostname"
		    onlyRoles: "compute,storage"
		    clearToken: true
		interval: 90s
	END
	# refused TEXT... - check that the configuration's last line is rejected with these words
	refused() {
		local mistake=$1
		shift
		check "$@"
		[ "$status" -eq 78 ]
		stderr_has "$CONFIG:$#:$mistake"
		stderr_has 'the service does not start: exit code 78'
		[[ $stderr != *--* ]]
	}
	refused '9: unknown kind of sink \(known: -, file:PATH, ' 'sinks: [carrier-pigeon:coop]'
	refused '18: unknown severity "fatl" \(did you mean "fatal"\?\)' \
		'sinks:' '  - sink: journal' '    minSeverity: fatl'
	refused '17: not a valid host name' \
		'sinks:' '  - sink: "https://h"' '    serverName: "a b"'
	refused '16: a list is missing' 'sinks:' '  - sink: journal' '    onlyCodes: ","'
	refused '16: a list is missing' 'sinks:' '  - sink: journal' '    onlyCodes: []'
	refused '16: unknown role "comput" \(did you mean "compute"\?\)' \
		'sinks:' '  - sink: journal' '    onlyRoles: [comput, storage]'
	refused '5: onlyRoles is not for alertmanager: an alert has no role' \
		'sinks:' '  - {sink: "alertmanager:http://a:1", onlyRoles: compute}'
	# Only emit knows this mistake.
	check 'sinks: ["tcp:coop"]'
	[ "$status" -eq 78 ]
	stderr_has "'tcp:coop': HOST:PORT is expected"
	check 'sinks: [https://hooks.example/secret, "", {minSeverity: fatal}, {sink: journal, codes: a}]' \
		'interval: 0s'
	[ "$status" -eq 78 ]
	stderr_has 'the address may contain a secret: put it in a file'
	stderr_has 'a sink is missing'
	stderr_has 'the sink has no key "sink"'
	stderr_has '"codes"'
	stderr_has 'the interval must be longer than 0'
	none grep -q secret/ <<<"$stderr"
}
