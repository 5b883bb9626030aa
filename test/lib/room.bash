# room - where a run of the tests puts its files, for those who run many: run-unit and run-bats.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# room_in_memory MIB - thousands of small files are laid out, changed and removed: where there is
# that much room in memory they need no disk.
room_in_memory() {
	if [ -z "${TMPDIR-}" ] && [ -w /dev/shm ] &&
		[ "$(df -k --output=avail /dev/shm | tail -n 1)" -ge $(($1 * 1024)) ]; then
		export TMPDIR=/dev/shm
	fi
}
