# room - the place of a test run's files, for run-unit and run-bats.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# room_in_memory MIB - put temporary files into memory if it has that much room: the tests make,
# change and remove thousands of small files
room_in_memory() {
	if [ -z "${TMPDIR-}" ] && [ -w /dev/shm ] &&
		[ "$(df -k --output=avail /dev/shm | tail -n 1)" -ge $(($1 * 1024)) ]; then
		export TMPDIR=/dev/shm
	fi
}
