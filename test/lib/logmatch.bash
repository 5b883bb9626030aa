# logmatch - helpers of the bats files about logmatch: a small sysfs with NICs below a PCIe port,
# kernel logs to follow, and events in short form.
# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0

SAMPLES=$BATS_TEST_DIRNAME/logmatch
PATH=$BATS_TEST_DIRNAME/lib:$BATS_TEST_DIRNAME/logmatch:$PATH
export TZ=UTC
BOOT_TIME=2020-04-23T18:53:20Z

# functions - make a sysfs in $SYS: PCIe port 0000:17:01.0, and below it the two functions of a
# card, 0000:18:00.0 (mlx5_0) and 0000:18:00.1 (mlx5_1), both physical functions; port 0000:27:01.0
# with a disk below it, 0000:28:00.0; and two EFA adapters below no port, 0000:4f:00.0 (rdmap79s0)
# and 0000:50:00.0 (efa_0)
functions() {
	SYS=$BATS_TEST_TMPDIR/sys
	mkdir -p "$SYS/bus/pci/drivers"/{efa,mlx5_core,nvme,pcieport} "$SYS/bus/pci/devices"
	pci_function 0000:17:01.0 pci0000:17/0000:17:01.0 0x8086 0x060400 pcieport
	pci_function 0000:27:01.0 pci0000:27/0000:27:01.0 0x8086 0x060400 pcieport
	pci_function 0000:18:00.0 pci0000:17/0000:17:01.0/0000:18:00.0 0x15b3 0x020700 mlx5_core \
		infiniband/mlx5_0 net/ibp24s0f0
	pci_function 0000:18:00.1 pci0000:17/0000:17:01.0/0000:18:00.1 0x15b3 0x020000 mlx5_core \
		infiniband/mlx5_1 net/ens24f1np1
	pci_function 0000:4f:00.0 pci0000:40/0000:4f:00.0 0x1d0f 0x020000 efa infiniband/rdmap79s0
	pci_function 0000:50:00.0 pci0000:50/0000:50:00.0 0x1d0f 0x020000 efa infiniband/efa_0
	rdma_device rdmap79s0 pci0000:40/0000:4f:00.0
	rdma_device efa_0 pci0000:50/0000:50:00.0
	pci_function 0000:28:00.0 pci0000:27/0000:27:01.0/0000:28:00.0 0x144d 0x010802 nvme
}

# pci_function ADDRESS PLACE VENDOR CLASS DRIVER [DIRECTORY]... - make a PCI function below
# devices/PLACE
pci_function() {
	local at=$SYS/devices/$2 sub
	mkdir -p "$at"
	for sub in "${@:6}"; do
		mkdir -p "$at/$sub"
	done
	echo "$3" >"$at/vendor"
	echo "$4" >"$at/class"
	ln -s "$SYS/bus/pci" "$at/subsystem"
	ln -s "$SYS/bus/pci/drivers/$5" "$at/driver"
	ln -s "../../../devices/$2" "$SYS/bus/pci/devices/$1"
}

# rdma_device NAME PLACE - list the function's RDMA device in its class
rdma_device() {
	mkdir -p "$SYS/class/infiniband"
	ln -s -r "$SYS/devices/$2" "$SYS/devices/$2/infiniband/$1/device"
	ln -s -r "$SYS/devices/$2/infiniband/$1" "$SYS/class/infiniband/$1"
}

# match [OPTION
# FILE]... - run logmatch and set variables like `run --separate-stderr`, but without splitting long
# outputs into lines
match() {
	status=0
	timeout 60 logmatch "$@" >"$BATS_TEST_TMPDIR/events" 2>"$BATS_TEST_TMPDIR/errors" ||
		status=$?
	output='' stderr=''
	[ ! -s "$BATS_TEST_TMPDIR/events" ] || output=$(tr -d '\0' <"$BATS_TEST_TMPDIR/events")
	[ ! -s "$BATS_TEST_TMPDIR/errors" ] || stderr=$(tr -d '\0' <"$BATS_TEST_TMPDIR/errors")
}

# find_in FILE [OPTION]... - run logmatch on FILE, reporting every match
find_in() { match --dedup-window 0 --boot-time "$BOOT_TIME" "${@:2}" "$1"; }

# found [JQ] - print the pattern, or JQ's result, of each event in $output, one per line
found() {
	[ -z "$output" ] || jq -r "select(.kind == \"event\") | ${1:-.errorCode[0]}" <<<"$output"
}

# finds LINE... - check that found(), with the JQ of $SHOW, prints exactly these lines
finds() {
	diff <(found "${SHOW:-.errorCode[0]}") <([ $# -eq 0 ] || printf '%s\n' "$@")
}

# kmsg_records [START] - print the lines of stdin as records of /dev/kmsg, numbered from START (0).
# Record N has the time 1 s + N ms; a driver's record has the dictionary with its device.
kmsg_records() {
	awk -v "seq=${1:-0}" '
		{ printf "4,%d,%.0f,-;%s\n", seq, seq * 1000 + 1000000, $0; seq++ }
		/^[a-z0-9_]+ [0-9a-f]+:[0-9a-f]+:[0-9a-f]+\.[0-7]( [^ :]+)?: / {
			sub(/:$/, "", $2)
			print " SUBSYSTEM=pci\n DEVICE=+pci:" $2
		}
		/^infiniband [^ :]+: / {
			sub(/:$/, "", $2)
			print " SUBSYSTEM=infiniband\n DEVICE=+infiniband:" $2
		}'
}
