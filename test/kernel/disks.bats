#!/usr/bin/env bats
# The service on real disks that are full, fail, or become read-only: what happens on the node is
# told meanwhile, what is acknowledged is on the disk, and all is stored when the disk works again.
# shellcheck disable=SC2034 # for lib/service and guest
# SPDX-License-Identifier: Apache-2.0

setup() {
	load guest
	new_devices
	LOOP=$(losetup -f)
	IS_UNPLUGGED="fatal: RoCE port rxe0 port 1: $UNPLUGGED (eth0)"
	IS_UP="healthy: RoCE port rxe0 port 1: $UP"
}

teardown() {
	nothing_left
	umount "$T/survived" "$T/disk" 2>/dev/null || true
	dmsetup remove small
	losetup -d "$LOOP"
}

# a_disk TYPE OPTIONS - a disk of 8 MiB, whose sectors can begin to fail, with a file system of that
# type, mounted with those options. What the service keeps is there.
a_disk() {
	FILES=$T/disk SEEN=$T/disk
	truncate -s 8M "$T/image"
	mke2fs -q -m 0 -t "$1" "$T/image"
	losetup "$LOOP" "$T/image"
	SECTORS=$(blockdev --getsz "$LOOP")
	dmsetup create small --table "$(good 0 "$SECTORS")"
	DEVICE=/dev/$(dmsetup info -c --noheadings -o blkdevname small)
	mkdir "$T/disk"
	mount -t "$1" -o "$2" "$DEVICE" "$T/disk"
}

# good, bad FROM TO - the table of sectors, TO not included, which can be read and written or not.
good() { echo "$1 $(($2 - $1)) linear $LOOP $1"; }
bad() { echo "$1 $(($2 - $1)) error"; }

# disk_is TABLE-LINE... - its sectors are, from now on.
disk_is() {
	printf '%s\n' "$@" >"$T/table"
	dmsetup load small "$T/table"
	dmsetup suspend --noflush --nolockfs small
	dmsetup resume small
}
disk_fails() { disk_is "$(bad 0 "$SECTORS")"; }
disk_works() { disk_is "$(good 0 "$SECTORS")"; }

# spool_fails, spool_works - emit has said so.
spool_fails() { wait_until 30 says \
	'emit: warning: spool .*: until it works again, events are kept in memory and delivered, but not acknowledged$'; }
spool_works() { wait_until 30 says 'emit: note: spool .*: works again$'; }

# is_given_up - the kernel writes nothing more to the disk.
is_given_up() {
	none sync -f "$T/disk" 2>/dev/null
	dmesg | grep -q -E 'Aborting journal|Remounting filesystem read-only'
}

# are_stored N - so many events about the port are, besides those of the beginning, delivered and
# acknowledged.
are_stored() { arrived_all && [ "$(about_port)" -eq $((STORED + $1)) ]; }
about_port() { in_spool "SELECT count(*) FROM event WHERE message LIKE 'RoCE port rxe0 %'"; }

# begins TYPE OPTIONS - the service, on such a disk. Sets STORED.
begins() {
	a_disk "$@"
	# For how long the port is down is a matter of how fast this machine is.
	watch --rules ''
	sync -f "$T/disk"
	STORED=$(about_port)
	note_acks
}

# note_acks - in $T/acks, when they can be read: what is acknowledged to those who write.
note_acks() {
	jq -r '.acks | to_entries[] | "\(.key) \(.value)"' "$SEEN/run/acks.json" >"$T/acks.new" &&
		mv "$T/acks.new" "$T/acks"
}

# survives_power_failure - what the disk has now, without what the kernel would still have written,
# is a whole spool, in which nothing is missing that is acknowledged.
survives_power_failure() {
	local source last
	note_acks || true
	cp "$T/image" "$T/remains"
	e2fsck -f -y "$T/remains" >"$T/e2fsck" 2>&1 || [ $? -eq 1 ]
	mkdir -p "$T/survived"
	mount -o loop "$T/remains" "$T/survived"
	FILES=$T/survived
	[ "$(in_spool 'PRAGMA integrity_check')" = ok ]
	[ -s "$T/acks" ]
	while read -r source last; do
		diff <(in_spool "SELECT seq FROM event
			WHERE source = '$source' AND seq <= $last ORDER BY seq") \
			<(seq "$last") >&2
	done <"$T/acks"
	FILES=$T/disk
	umount "$T/survived"
}

# keep OPTION... - emit stores the events of its stdin on the disk, and says so in $T/said.
keep() { emit --spool "$T/disk/spool.db" "$@" 2>"$T/said"; }

@test "while a disk is full the service tells what happens, and stores it when there is room" {
	local flaps
	begins ext4 defaults
	none dd if=/dev/zero of="$T/disk/ballast" bs=1024 status=none 2>"$T/dd"
	grep -q 'No space left' "$T/dd"
	# The spool's log has some room of its own.
	for ((flaps = 1; flaps < 50; flaps++)); do
		ip link set cable0 down
		wait_until 20 new_event $((2 * flaps - 1))
		ip link set cable0 up
		wait_until 20 new_event $((2 * flaps))
		! says 'emit: warning: spool .*: database or disk is full: ' || break
	done
	says 'ctreval: warning: .*state.json: No space left on device: '
	survives_power_failure
	rm "$T/disk/ballast"
	spool_works
	wait_until 30 are_stored $((2 * flaps))
	survives_power_failure
	stopped
}

@test "while a disk fails the service tells what happens, and stores it when the disk works again" {
	begins ext2 errors=continue
	disk_fails
	ip link set cable0 down
	spool_fails
	wait_until 30 says 'ctreval: warning: .*state.json: Input/output error: '
	ip link set cable0 up
	wait_until 30 new_event 2
	survives_power_failure
	disk_works
	spool_works
	wait_until 30 says 'ctreval: note: .*state.json: can be written again$'
	wait_until 30 are_stored 2
	survives_power_failure
	events_are "$IS_UNPLUGGED" "$IS_UP"
	stopped
}

@test "what emit could not store before it was killed is stored by the next one" {
	local emit
	begins ext2 errors=continue
	disk_fails
	ip link set cable0 down
	spool_fails
	disk_works
	emit=$(stage emit)
	kill -KILL "$emit"
	wait_until 30 stage_is_back emit "$emit"
	wait_until 30 are_stored 1
	survives_power_failure
	stopped
}

@test "when the kernel gives a broken disk up the service tells what happens, and after the repair it goes on with all that was acknowledged" {
	begins ext4 errors=remount-ro
	dmesg --clear
	disk_fails
	ip link set cable0 down
	spool_fails
	wait_until 30 is_given_up
	disk_works
	none touch "$T/disk/anything" 2>"$T/touch"
	ip link set cable0 up
	wait_until 30 new_event 2
	diff <(new_events) <(printf '%s\n' "$IS_UNPLUGGED" "$IS_UP") >&2
	survives_power_failure
	kill -TERM "$SERVICE"
	ends_with 0 "$SERVICE" 30
	umount "$T/disk"
	e2fsck -f -y "$DEVICE" >"$T/e2fsck" 2>&1 || [ $? -eq 1 ]
	mount -t ext4 "$DEVICE" "$T/disk"
	watch --rules ''
	survives_power_failure
	stopped
}

@test "a service that cannot read its disk when it starts goes on with what was there when the disk works" {
	begins ext2 errors=continue
	ip link set cable0 down
	events_are "$IS_UNPLUGGED"
	stopped
	sync -f "$T/disk"
	echo 3 >/proc/sys/vm/drop_caches
	disk_fails
	start_service --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms --rules ''
	spool_fails
	wait_until 30 says 'ctreval: warning: .*state.json.lock: Input/output error: continuing without it: '
	wait_until 30 says 'nic-health-monitor: note: healthy: '
	ip link set cable0 up
	wait_until 30 new_event 2
	disk_works
	spool_works
	wait_until 30 says 'ctreval: note: .*state.json: can be written again$'
	wait_until 30 arrived_all
	survives_power_failure
	none says 'Permission denied'
	stopped
}

@test "on a disk that is read-only when it starts the service tells what happens, and stores it when it may write" {
	begins ext4 defaults
	stopped
	mount -o remount,ro "$T/disk"
	start_service --sink "file:$EVENTS" --config "$T/config.yaml" --interval 200ms --rules ''
	spool_fails
	wait_until 30 says 'ctreval: warning: .*state.json.*: Read-only file system: '
	wait_until 30 says 'nic-health-monitor: note: healthy: '
	ip link set cable0 down
	wait_until 30 new_event 1
	mount -o remount,rw "$T/disk"
	spool_works
	wait_until 30 says 'ctreval: note: .*state.json: can be written again$'
	wait_until 30 arrived_all
	survives_power_failure
	stopped
}

@test "of a spool with a sector that cannot be read, everything else is taken over" {
	local page sector
	load ../lib/emit
	a_disk ext2 defaults
	nic_events 1 400 | keep --sink "unix:$T/nobody" --flush-timeout 0
	sync -f "$T/disk"
	echo 3 >/proc/sys/vm/drop_caches
	# In the middle, by blocks of the file system, each of two sectors.
	page=$(($(stat -c %s "$T/disk/spool.db") / 2 / 1024))
	sector=$((2 * $(debugfs -R "bmap /spool.db $page" "$T/image" 2>"$T/debugfs")))
	disk_is "$(good 0 $sector)" "$(bad $sector $((sector + 1)))" \
		"$(good $((sector + 1)) "$SECTORS")"
	nic_events 401 405 | keep --sink "unix:$T/nobody" --sink "file:$T/got" --flush-timeout 1s
	[ "$(grep -c 'emit: error: spool .*: moved to ' "$T/said")" -eq 1 ]
	grep -q 'emit: error: spool .*: events recovered from the damaged one: 3[0-9][0-9]; ' "$T/said"
	[ "$(grep -c '' "$T/got")" -eq 5 ]
	sqlite3 -readonly "$T/disk/spool.db" 'SELECT seq FROM event ORDER BY seq' >"$T/stored"
	[ "$(wc -l <"$T/stored")" -gt 380 ]
	diff <(tail -n 5 "$T/stored") <(seq 401 405) >&2
}
