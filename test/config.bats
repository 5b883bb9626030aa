#!/usr/bin/env bats
# config: how every program reads the configuration file: YAML, or the original's TOML.
# shellcheck disable=SC2154 # bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { T=$BATS_TEST_TMPDIR; }

@test "every program rejects a configuration of 100 KB of brackets at once" {
	local tool
	head -c 100000 /dev/zero | tr '\0' '[' >"$T/c.yaml"
	for tool in ctreval topoclass logmatch ibscan; do
		run --separate-stderr timeout 10 "$tool" --config "$T/c.yaml" </dev/null
		status_is 78
		[ "$stderr" = "$tool: error: $T/c.yaml:1:33: values are nested more than 32 deep" ]
	done
}

@test "a FIFO without a writer is rejected as a configuration without waiting" {
	mkfifo "$T/c.yaml"
	run --separate-stderr timeout 10 ctreval --config "$T/c.yaml" </dev/null
	status_is 78
	[ "$stderr" = "ctreval: error: $T/c.yaml: No data available" ]
}

# both - write the same rules as YAML and as TOML.
both() {
	cat >"$T/c.yaml" <<-'END'
		nicExclusionRegex: "^mlx5_9$"
		counterDetection:
		  enabled: true
		  counters:
		    - {name: symbol_error, threshold: 0.25, thresholdType: velocity, velocityUnit: hour}
		    - {name: port_xmit_wait, enabled: false}
		nicDriverDetection: {patterns: [{name: access_reg_failed, enabled: false}]}
		disappearance: {driverReloadGrace: 90s}
	END
	cat >"$T/c.toml" <<-'END'
		# what the original's chart makes
		nicExclusionRegex = '^mlx5_9$'

		[counterDetection]
		enabled = true

		[[counterDetection.counters]]
		name = "symbol_error"
		threshold = 0.25
		thresholdType = "velocity"
		velocityUnit = "hour"

		[[counterDetection.counters]]
		name = "port_xmit_wait"
		enabled = false

		[[nicDriverDetection.patterns]]
		name = "access_reg_failed"
		enabled = false

		[disappearance]
		driverReloadGrace = "90s"
	END
}

# watched_counters FILE - print the enabled counters in the output of --check-config.
watched_counters() {
	sed '/^nicDriverDetection/,$d' "$1" |
		awk -F'"' '/- name:/ { name = $2 } /^      enabled: true/ { print name }'
}

@test "every program reads the same rules from TOML as from YAML, except that TOML's list of counters is complete" {
	local program
	both
	for program in ctreval logmatch; do
		"$program" --config "$T/c.yaml" --check-config </dev/null >"$T/yaml.out"
		"$program" --config "$T/c.toml" --check-config </dev/null >"$T/toml.out"
		[ "$(watched_counters "$T/toml.out")" = symbol_error ]
		watched_counters "$T/yaml.out" | grep -qx link_downed
		none grep -x port_xmit_wait <(watched_counters "$T/yaml.out")
		diff <(sed '/^  counters:/,/^nicDriver/ { /^ *enabled:/d; }' "$T/yaml.out") \
			<(sed '/^  counters:/,/^nicDriver/ { /^ *enabled:/d; }' "$T/toml.out")
	done
	shared_node h100-oci
	echo 'nicExclusionRegex = "^mlx5_1$"' >"$T/c.toml"
	scan | classify --config "$T/c.toml" |
		jq -r 'select(.kind == "device" and .device == "mlx5_1").reason' | grep -qx excluded
	printf '[[counterDetection.counters]]\nname = "mine"\npath = "hw_counters/out_of_sequence"\nthresholdType = "delta"\n[[counterDetection.counters]]\nname = "out_of_sequence"\nenabled = false\n' >"$T/c.toml"
	scan --counters configured --config "$T/c.toml" | jq -s \
		-e 'map(select(.kind == "port").hw_counters | has("out_of_sequence")) | all' \
		>/dev/null
}

@test "all mistakes of a TOML file are reported at once, in the order of its lines" {
	cat >"$T/bad.toml" <<-'END'
		nicExclusionRegex = 1.5
		[homogeneity]
		settleSeconds = -1
		[counterDetection]
		enabled = "maybe"
		[[counterDetection.counters]]
		name = "symbol_error"
		  treshold = 3
	END
	run --separate-stderr ctreval --config "$T/bad.toml" </dev/null
	status_is 78
	diff <(sed "s|$T/||; s|\(treshold\"\).*|\1|" <<<"$stderr") - <<-'END'
		ctreval: error: bad.toml:1:21: 1.5 is no list of expressions (write "" for an empty one)
		ctreval: error: bad.toml:3:17: "-1" is not a whole number from 0 to 86400
		ctreval: error: bad.toml:5:11: "maybe" is neither true nor false
		ctreval: error: bad.toml:8:3: unknown key "treshold"
	END
	printf 'a = 1\nb = = 2\n' >"$T/bad.toml"
	run --separate-stderr ctreval --config "$T/bad.toml" </dev/null
	status_is 78
	[ "$stderr" = "ctreval: error: $T/bad.toml:2:5: value: could not determine value type" ]
}

@test "the file's name decides its format: TOML in a YAML file is rejected" {
	both
	cp "$T/c.toml" "$T/c2.yaml"
	run --separate-stderr ctreval --config "$T/c2.yaml" --check-config </dev/null
	status_is 78 "c2.yaml:[0-9]+:[0-9]+: "
	cp "$T/c.yaml" "$T/c2.toml"
	run --separate-stderr ctreval --config "$T/c2.toml" --check-config </dev/null
	status_is 78 "c2.toml:1:18: key-value pair: expected '=', saw ':'"
}

@test "blanks in a list of expressions do not change which NICs are monitored" {
	monitored() { scan | classify --config "$T/c.yaml" 2>/dev/null |
		jq -r 'select(.kind == "device" and .monitored).device' | xargs; }
	shared_node l40s-onprem
	echo 'nicExclusionRegex: "^veth.*, ^mlx5_1$ ,^mlx5_4$"' >"$T/c.yaml"
	[ "$(monitored)" = "mlx5_2 mlx5_3" ]
	echo 'nicInclusionRegexOverride: " ^mlx5_1$ , ^mlx5_4$"' >"$T/c.yaml"
	[ "$(monitored)" = "mlx5_1 mlx5_4" ]
	# A list of blanks and commas alone is ambiguous.
	echo 'nicInclusionRegexOverride: " , "' >"$T/c.yaml"
	run --separate-stderr bash \
		-c "$(declare -f classify); classify --config $T/c.yaml </dev/null"
	status_is 78 '^topoclass: error: .*/c.yaml:1:28: " , " contains no expression \(write "" for an empty list\)$'
}

@test "without --config the programs read config.toml only if there is no config.yaml" {
	both
	mkdir "$T/none" "$T/toml" "$T/both"
	cp "$T/c.toml" "$T/toml/config.toml"
	cp "$T/c.toml" "$T/both/config.toml"
	echo 'nicExclusionRegex: ^yaml$' >"$T/both/config.yaml"
	with_etc "$T/toml" ctreval --check-config
	status_is 0
	grep -qxF 'nicExclusionRegex: "^mlx5_9$"' <<<"$output"
	with_etc "$T/both" ctreval --check-config
	status_is 0
	grep -qxF 'nicExclusionRegex: "^yaml$"' <<<"$output"
	with_etc "$T/none" ctreval --check-config
	status_is 0
	grep -qxF 'nicExclusionRegex: "^veth.*,^docker.*,^br-.*,^lo$"' <<<"$output"
	# An invalid file is an error, not skipped.
	echo 'nicExclusionRegex = ^yaml$' >"$T/toml/config.toml"
	with_etc "$T/toml" ctreval --check-config
	status_is 78 '^ctreval: error: /etc/nic-health-monitor/config.toml:1:21: '
}

@test "the service warns that it ignores the TOML file beside its YAML file" {
	mkdir "$T/etc"
	echo '{}' >"$T/etc/config.yaml"
	echo 'nicExclusionRegex = "^toml$"' >"$T/etc/config.toml"
	with_etc "$T/etc" nic-health-monitor --check-config --metrics-port ''
	grep -qx 'nic-health-monitor: warning: /etc/nic-health-monitor/config.toml is not read, since there is a config.yaml beside it' <<<"$stderr"
	rm "$T/etc/config.yaml"
	with_etc "$T/etc" nic-health-monitor --check-config --metrics-port ''
	none grep -q 'is not read' <<<"$stderr"
	grep -qxF 'nicExclusionRegex: "^toml$"' <<<"$output"
}

@test "a named configuration that does not exist exits 66" {
	local file
	for file in "$T/none.yaml" "$T/none.toml"; do
		run --separate-stderr ctreval --config "$file" </dev/null
		status_is 66 "^ctreval: error: $file: No such file or directory$"
		# Without --state-file '' pre-flight would create the machine's state directory,
		# which other programs use.
		run --separate-stderr nic-health-monitor --config "$file" --state-file '' \
			--metrics-port ''
		status_is 66 "^nic-health-monitor: error: $file: No such file or directory$"
	done
}

@test "no program uses a configuration that others may write to or own" {
	local file program
	both
	mkdir -m 1777 "$T/shared"
	for file in "$T/c.yaml" "$T/c.toml"; do
		chmod 646 "$file"
		for program in ctreval logmatch topoclass ibscan; do
			local -a options=()
			[ "$program" != ibscan ] || options=(--counters configured)
			run --separate-stderr timeout 20 "$program" --config "$file" \
				"${options[@]}" </dev/null
			status_is 77
			[ "$stderr" \
				= "$program: error: $file: others may write to it (mode 0646): refusing to use it as the configuration" ]
			[ -z "$output" ]
		done
		run --separate-stderr timeout 20 nic-health-monitor --config "$file" --check-config
		status_is 77 "^nic-health-monitor: error: $file: others may write to it \(mode 0646\): refusing to use it as the configuration$"
		chmod 644 "$file"
		ctreval --config "$file" --check-config </dev/null >"$T/taken"
		[ "$(id -u)" -eq 0 ] || continue # only root can change a file's owner
		chown 65534 "$file"
		run --separate-stderr timeout 20 ctreval --config "$file" --check-config </dev/null
		status_is 77
		[ "$stderr" = "ctreval: error: $file: it belongs to user 65534, not to root: refusing to use it as the configuration" ]
	done
}

@test "a configuration works as Kubernetes mounts it: through links, in a world-writable directory" {
	both
	mkdir -m 777 "$T/etc"
	mkdir "$T/etc/..2026_11_23"
	mv "$T/c.yaml" "$T/etc/..2026_11_23/config.yaml"
	ln -s ..2026_11_23 "$T/etc/..data"
	ln -s ..data/config.yaml "$T/etc/config.yaml"
	run --separate-stderr timeout 20 ctreval --config "$T/etc/config.yaml" \
		--check-config </dev/null
	status_is 0
	[ -z "$stderr" ]
	grep -qxF 'nicExclusionRegex: "^mlx5_9$"' <<<"$output"
	# A device or the caller's own pipe needs no safe mode.
	timeout 20 ctreval --config /dev/null --check-config </dev/null >"$T/defaults"
	timeout 20 ctreval --config <(cat "$T/etc/config.yaml") --check-config </dev/null |
		diff <(echo "$output") -
}
