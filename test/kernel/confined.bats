#!/usr/bin/env bats
# The service in the sandbox that its systemd unit describes, without systemd: neither it nor the
# kernel has anything to complain about.
# shellcheck disable=SC2034 # for lib/service and guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	load firmware
	new_devices
}

teardown() { nothing_left; }

# confined COMMAND... - as the unit runs it: another user with no capability and no way to one; a
# file system that cannot be written but for three directories, no devices but the plain ones, no
# other user's processes; no namespaces of its own; the kernel's log, opened before, on stdin.
confined() {
	mkdir -p "$FILES"/{run,var,sink}
	chown monitor "$FILES"/{run,var,sink}
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --mount --ipc --propagation private bash -e -c '
		umask 0077
		exec </dev/kmsg
		ulimit -S -n 1024
		for dir in "$0/run" "$0/var" "$0/sink"; do
			mount --bind "$dir" "$dir"
		done
		mkdir -p /tmp/dev
		mount -t tmpfs -o mode=755 none /tmp/dev
		for node in null zero full random urandom; do
			: >/tmp/dev/$node
			mount --bind /dev/$node /tmp/dev/$node
		done
		mount --rbind /tmp/dev /dev
		mount -o remount,ro,bind /dev
		mount -o remount,ro,bind /sys
		mount -t proc -o hidepid=invisible,ro none /proc
		mount -o remount,ro,bind /tmp
		mount -o remount,ro,bind /
		exec setpriv --reuid monitor --regid monitor --clear-groups --no-new-privs \
			--inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"' \
		"$FILES" "$@"
}

# launch_confined - starts the service like that, and returns when all that is to be said of a first
# scan has arrived.
launch_confined() {
	FILES=/run/nhm.$BATS_TEST_NUMBER SEEN=$FILES
	mkdir -p "$FILES"
	EVENTS=$FILES/sink/events
	configure
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T" && chmod 644 "$T/config.yaml"
	service_command --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms --kmsg -
	export -f confined
	export FILES
	# shellcheck disable=SC2016 # for the inner shell
	started service bash -c 'confined "$@"' _ "${COMMAND[@]}"
	SERVICE=$PID
	wait_until 30 says 'ctreval: note: counters available'
	wait_until 30 arrived_all
	SEEN_BEFORE=$(in_file | wc -l)
}

FAILED=0000:00:06.0

# finds PATTERN - logmatch has found it in a record of that device.
finds() {
	in_file | jq -e -s --arg pci "$FAILED" --arg pattern "$1" \
		'any(.errorCode[0] == $pattern and .isFatal and .metadata.pci == $pci)' >/dev/null
}

@test "what is confined here is what the unit confines" {
	local line
	for line in DynamicUser=yes CapabilityBoundingSet= NoNewPrivileges=yes \
		ProtectSystem=strict PrivateTmp=yes PrivateDevices=yes ProtectKernelLogs=yes \
		StandardInput=file:/dev/kmsg ProtectKernelTunables=yes ProtectProc=invisible \
		UMask=0077 LimitNOFILE=1024:524288; do
		grep -q -x -F -- "$line" "${NHM_BIN%/bin}/dist/nic-health-monitor.service"
	done
}

@test "confined as its unit says, the service finds faults of ports, reloads and stops, and the kernel has nothing to say" {
	dmesg --clear
	local tainted
	tainted=$(cat /proc/sys/kernel/tainted)
	launch_confined

	# It is confined indeed.
	[ "$(awk '$1 == "CapEff:" || $1 == "CapBnd:" { print $2 }' "/proc/$SERVICE/status" | sort \
		-u)" = 0000000000000000 ]
	[ "$(awk '$1 == "NoNewPrivs:" || $1 == "Uid:" { print $2 }' \
		"/proc/$(stage logmatch)/status" | paste -s -d ' ')" = '990 1' ]
	none nsenter --target "$SERVICE" --mount tee /sys/class/net/eth0/mtu \
		/proc/sys/kernel/hostname /tmp/nothing /dev/nothing /nothing </dev/null \
		2>"$T/refused"
	[ "$(grep -c 'Read-only file system' "$T/refused")" -eq 5 ]

	ip link set cable0 down
	wait_until 20 new_event 1
	kill -HUP "$SERVICE"
	wait_until 20 says 'reload'
	scans_pass 1
	rdma link delete rxe1
	wait_until 20 new_event 2
	rdma link add rxe1 type rxe netdev eth1
	ip link set cable0 up
	wait_until 20 new_event 5
	[ "$(new_events | cut -d : -f 1 | paste -s -d ' ')" \
		= 'fatal fatal healthy healthy healthy' ]
	stopped
	none grep -E ': (error|warning): ' <(grep -v -F -e gpu_metadata.json "$T/service.err")

	no_complaint
	[ "$(cat /proc/sys/kernel/tainted)" = "$tainted" ]
}

@test "confined as its unit says, the service finds what a driver writes into the kernel's log, and nobody else can" {
	firmware "$FAILED" failed
	launch_confined
	modprobe mlx5_core
	drive
	wait_until 60 finds fw_syndrome_fatal
	stopped
	none grep -E ': (error|warning): ' <(grep -v -F -e gpu_metadata.json "$T/service.err")
}
