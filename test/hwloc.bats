#!/usr/bin/env bats
# hwloc: machines with PCI buses that hwloc's developers recorded. None has both a GPU and a
# monitored NIC; each must be read without an alarm.
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup_file() {
	export RECORDS
	RECORDS=$("$BATS_TEST_DIRNAME/hwloc/records")
}

setup() { T=$BATS_TEST_TMPDIR; }

# seen RECORD - print the number of GPUs that pcitopo finds and topoclass's classification of the
# devices.
seen() {
	local sys
	rm -rf "$T/record"
	mkdir "$T/record"
	tar -x -j -f "$RECORDS/$1.tar.bz2" -C "$T/record"
	sys=$(find "$T/record" -type d -path '*/sys/bus/pci/devices')
	sys=${sys%/bus/pci/devices}
	pcitopo --sysfs-root "$sys" 2>"$T/notes" |
		jq -r --arg record "$1" '"\($record): \(.gpus | length) GPUs"'
	ibscan --sysfs-root "$sys" --boot-id-file /dev/null --node n |
		topoclass --sysfs-root "$sys" --metadata auto:/nonexistent --route /dev/null \
			--route6 /dev/null --config /dev/null 2>>"$T/notes" | tee "$T/scan" |
		jq -r 'select(.kind == "device")
			| "  \(.device) of \(.driver): \(.role), monitored: \(.monitored), \(.reason)"'
	none grep -v -E '(warning|note): .*no GPUs on the PCI bus' "$T/notes"
	# No device raises an alarm.
	[ "$(ctreval --baseline --config /dev/null <"$T/scan" 2>/dev/null |
		jq -c 'select(.isHealthy == false)' | wc -l)" = 0 ]
}

@test "each recorded machine with a PCI bus is read and its devices are classified correctly" {
	local record
	for record in "$RECORDS"/*.tar.bz2; do
		tar -t -j -f "$record" | grep -q '/sys/bus/pci/devices/.' || continue
		seen "$(basename -s .tar.bz2 "$record")"
	done >"$T/all"
	diff - "$T/all" <<-'END'
		2pa-pcidomain32bits: 0 GPUs
		32em64t-2n8c+1mic: 0 GPUs
		  mlx4_0 of mlx4_core: null, monitored: false, vendor
		  scif0 of null: null, monitored: false, vendor
		32intel64-2p8co2t+8ve: 0 GPUs
		40intel64-2g2n4c+pci: 0 GPUs
		  qib0 of ib_qib: null, monitored: false, vendor
		40intel64-4n10c+pci-conflicts: 0 GPUs
		nvidiagpunumanodes: 0 GPUs
	END
}
