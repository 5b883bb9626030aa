# firmware - a device of qemu's for the real mlx5_core driver, which finds a firmware in it. After
# common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# firmware ADDRESS failed|silent - what the driver looks at of a firmware's initialization segment
# (struct mlx5_init_seg in drivers/net/ethernet/mellanox/mlx5) is written into the device's first
# region, which is plain memory. Nothing ever answers a command. Its health buffer says that it has
# failed, which the driver finds after 2 s; or it is clean.
firmware() {
	local device=/sys/bus/pci/devices/$1 region
	[ "$(cat "$device/vendor" "$device/device" | xargs)" = '0x1234 0x1111' ]
	read -r region _ <"$device/resource"
	byte() { busybox devmem $((region + $1)) 8 "$2"; }
	echo 1 >"$device/enable"
	# firmware 16.35, minor before major
	byte 0x01 0x23 && byte 0x03 0x10
	# command interface 5, subminor 2000
	byte 0x05 0x05 && byte 0x06 0x07 && byte 0x07 0xd0
	byte 0x17 0x56                                                 # 2^5 commands of 2^6 bytes
	[ "$2" = silent ] || { byte 0x238 0x83 && byte 0x23d 0x01; }   # rfr, severity 3; syndrome 1
	echo 0 >"$device/enable"
}

# drive - the driver takes these devices. Returns when it is done with them.
drive() { echo 1234 1111 >/sys/bus/pci/drivers/mlx5_core/new_id; }
