#!/usr/bin/env bats
# unitfile: dist/nic-health-monitor.service passes systemd's checks, and the service works under its
# filters.
# SPDX-License-Identifier: Apache-2.0

load lib/common

UNIT=nic-health-monitor.service
# EXPOSURE: ten times the exposure that systemd 252 computes. The rest is due to the network, its
# address families, and the host's files and processes.
EXPOSURE=13

setup() {
	load lib/servers
	T=$BATS_TEST_TMPDIR
}

teardown() {
	end_background
	nothing_survives
}

# stage PREFIX - install into $DEST, which also gets a shell
stage() {
	local built=("$NHM_BIN"/*)
	DEST=$T/dest$1
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" BIN="$NHM_BIN" BUILD="$T/build" \
		"${built[@]/#/-o}" install DESTDIR="$DEST" PREFIX="$1"
	install -D -m 755 /bin/sh "$DEST/bin/sh"
}

# setting KEY [FILE] - print its values, one per line
setting() { sed -n "s/^$1=//p" "${2:-$ROOT/dist/$UNIT}"; }

# default OPTION - print the file that the service's --help names for it
default() { nic-health-monitor --help | sed -n -E "s/^ +--$1 FILE .*\((\/[^)]*)\).*/\1/p"; }

@test "systemd accepts the unit without a warning in each prefix that it searches" {
	local prefix installed
	for prefix in /usr /usr/local; do
		stage "$prefix"
		installed=$DEST$prefix/lib/systemd/system/$UNIT
		# The staging tree has neither the system's own units nor the manuals where man
		# looks for them.
		run systemd-analyze verify --man=no --recursive-errors=no --root="$DEST" "$UNIT"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		[ "$(setting ExecStart "$installed")" \
			= "$prefix/bin/nic-health-monitor --confine=require --kmsg - \
--default-sink journal \$OPTIONS" ]
		# The profile is for the programs in /usr/bin.
		[ "$(setting AppArmorProfile "$installed")" \
			= "$([ "$prefix" != /usr ] || echo -nic-health-monitor)" ]
	done
}

# Thorough: service
@test "systemd accepts the timer and service of lnetctl, which are not enabled" {
	stage /usr
	install -D -m 755 /bin/sh "$DEST/bin/sh"
	run systemd-analyze verify --man=no --recursive-errors=no --root="$DEST" \
		nic-health-monitor-lnet.timer nic-health-monitor-lnet.service
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ -z "$(find "$DEST" -name '*.wants')" ]
}

# Thorough: service
@test "systemd accepts the trace service, which is not enabled, and the group of its pipe" {
	local group
	group=$(setting Group "$ROOT/dist/nic-health-monitor-trace.service")
	stage /usr
	install -D -m 755 /bin/sh "$DEST/bin/sh"
	run systemd-analyze verify --man=no --recursive-errors=no --root="$DEST" \
		nic-health-monitor-trace.service
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ -z "$(find "$DEST" -name '*.wants')" ]
	run systemd-sysusers --dry-run --root="$DEST" nic-health-monitor-trace.conf
	[ "$status" -eq 0 ]
	[[ $output = *"Creating group '$group'"* ]]
}

# Thorough: service
@test "systemd accepts the service of a fabric, which is not enabled" {
	stage /usr
	install -D -m 755 /bin/bash "$DEST/bin/bash"
	mkdir -p "$DEST/etc/default"
	touch "$DEST/etc/default/nic-health-monitor-fleet-west"
	run systemd-analyze verify --man=no --recursive-errors=no --root="$DEST" \
		nic-health-monitor-fleet@west.service
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ -z "$(find "$DEST" -name '*.wants')" ]
}

# Thorough: service
@test "systemd rejects a unit with a mistake" {
	stage /usr
	sed -i 's/^WatchdogSec=.*/WatchdogSec=soon/' "$DEST/usr/lib/systemd/system/$UNIT"
	run systemd-analyze verify --man=no --recursive-errors=no --root="$DEST" "$UNIT"
	grep -q 'Failed to parse' <<<"$output"
}

# Thorough: service
@test "the unit's exposure, as systemd computes it, stays low" {
	stage /usr
	systemd-analyze security --no-pager --offline=true --threshold="$EXPOSURE" --root="$DEST" \
		"$UNIT" >"$T/exposure" || {
		cat "$T/exposure" >&2
		return 1
	}
	# The threshold is exact: the next lower one fails.
	run systemd-analyze security --no-pager --offline=true --threshold=$((EXPOSURE - 1)) \
		--root="$DEST" "$UNIT"
	[ "$status" -ne 0 ]
}

# Thorough: service
@test "the manuals that the unit names exist" {
	stage /usr
	local page
	for page in $(setting Documentation); do
		[[ $page =~ ^man:([a-z-]+)\(([1-8])\)$ ]]
		[ -s "$DEST/usr/share/man/man${BASH_REMATCH[2]}/${BASH_REMATCH[1]}.${BASH_REMATCH[2]}" ]
	done
}

@test "events go to the journal unless options or configuration name another sink" {
	[[ "$(setting ExecStart)" = *" --default-sink journal \$OPTIONS" ]]
	[ "$(setting EnvironmentFile)" = -/etc/default/nic-health-monitor ]
}

@test "the program accepts the unit's options" {
	local words
	read -r -a words < <(setting ExecStart)
	[ "${words[-1]}" = "\$OPTIONS" ]
	run --separate-stderr "$NHM_BIN/nic-health-monitor" "${words[@]:1:${#words[@]}-2}" --help
	status_is 0
	[ -z "$stderr" ]
}

@test "the unit's directories are those of the program's defaults" {
	[ "$(default state)" = "/var/run/$(setting RuntimeDirectory)/state.json" ]
	[ "$(default spool)" = "/var/lib/$(setting StateDirectory)/spool.db" ]
	[ "$(setting RuntimeDirectoryMode) $(setting StateDirectoryMode)" = "0750 0750" ]
}

@test "the manuals name the directories behind the links that systemd makes for the unit" {
	local runtime
	runtime=$(setting RuntimeDirectory)
	# With another setting these directories would be no links, see systemd.exec(5).
	[ "$(setting DynamicUser) $(setting RuntimeDirectoryPreserve)" = "yes yes" ]
	grep -q "^\.Pa /run/private/$runtime$" "$ROOT/doc/nic-health-monitor.7"
	grep -q "^\.Pa /var/lib/private/$(setting StateDirectory)$" "$ROOT/doc/nic-health-monitor.7"
	grep -q 'systemctl clean --what=runtime nic-health-monitor' \
		"$ROOT/tools/supervisor/nic-health-monitor.1"
}

@test "the unit opens the kernel log for the program and allows existing verbs nodes" {
	[ "$(setting DeviceAllow | xargs)" = "$(default kmsg) r char-infiniband_verbs rw" ]
	[ "$(setting BindPaths)" = -/dev/infiniband ]
	[ "$(setting StandardInput)" = "file:$(default kmsg)" ]
	[[ "$(setting ExecStart) " = *' --kmsg - '* ]]
}

# says REGEX - return success if a line of the service's or a stage's stderr matches
says() { has_lines 1 "$T/service.err" "$1"; }

# both_have REGEX - return success if connector and webhook have accepted an event whose message
# matches
both_have() {
	has_logged 1 connector '.kind == "event" and .answer == "OK" and (.event.message | test("'"$1"'"))' &&
		has_logged 1 webhook \
		'.kind == "request" and any(.body[]; .data.message | test("'"$1"'"))'
}

# Thorough: service
@test "the service works under the unit's system call filter and without executable memory" {
	# The leak check traces the process, which the filter forbids.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	local webhook bare=()
	# Run it without capabilities, as the unit does.
	[ "$(id -u)" -ne 0 ] || bare=(setpriv --bounding-set=-all --inh-caps=-all --)
	node l40s-onprem
	start_connector connector "unix:$T/connector.sock" --strict
	start_webhook webhook
	# Use a host name, which must be resolved.
	webhook=http://localhost:${ADDRESS##*:}/events
	echo 'homogeneity: {settleSeconds: 30}' >"$T/config.yaml"
	# As root, SQLite tries to give its files to the owner of the first one, and accepts a
	# failure.
	started service "${bare[@]}" "$ROOT/test/lib/confined" --refuse fchown "$ROOT/dist/$UNIT" \
		nic-health-monitor --sysfs-root "$NODE/sys" --interval 200ms --node-name gpu-1 \
		--metadata-path "$NODE/var/lib/nvsentinel/gpu_metadata.json" \
		--route-path "$NODE/proc/net/route" --route6-path "$NODE/proc/net/ipv6_route" \
		--boot-id-path "$NODE/proc/sys/kernel/random/boot_id" --kmsg-path "$NODE/dev/kmsg" \
		--state-file "$T/run/state.json" --spool "$T/var/spool.db" \
		--sink "grpc:unix://$T/connector.sock" --sink "$webhook" --config "$T/config.yaml" \
		--metrics-port 0 --metrics-address 127.0.0.1
	wait_until 30 says 'ctreval: note: counters available'
	sim down mlx5_1/1
	sim kmsg 'mlx5_core 0000:17:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource'
	wait_until 30 both_have "mlx5_1 port 1: $GOES_DOWN"
	wait_until 30 both_have 'leak of a command resource'
	kill -HUP "$PID"
	wait_until 20 says 'SIGHUP: configuration reloaded'
	sim down mlx5_2/1
	wait_until 30 both_have "mlx5_2 port 1: $GOES_DOWN"
	get "http://$(sed -n 's/.*metrics: listening on //p' "$T/service.err")/metrics" | grep \
		-q '^nic_health_monitor_build_info'
	kill -TERM "$PID"
	ends_with 0 "$PID"
	none says 'SIGSYS|Operation not permitted' || { cat "$T/service.err" >&2 && false; }
}

# Thorough: service
@test "the test's filter works: a system call outside of it ends the program" {
	run "$ROOT/test/lib/confined" "$ROOT/dist/$UNIT" /usr/bin/python3 \
		-c 'import os; os.sched_setaffinity(0, {0})'
	[ "$status" -eq 159 ]
	run --separate-stderr "$ROOT/test/lib/confined" "$ROOT/dist/$UNIT" /usr/bin/python3 \
		-c 'import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)'
	status_is 1 'PermissionError'
	run --separate-stderr "$ROOT/test/lib/confined" "$ROOT/dist/$UNIT" /usr/bin/python3 \
		-c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
	status_is 1 'Address family not supported'
}
