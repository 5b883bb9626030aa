# look.awk - allow-list of what is recorded of a directory: sysfs has files that are huge, secret,
# slow, or have side effects when read.
#
# Input: type, directory, path below it, target of a link; type E is an empty directory.
# SPDX-License-Identifier: Apache-2.0
BEGIN {
	FS = "\t"
	OFS = "\t"
	while (kind == "interface" && (getline name < names) > 0)
		listed[name]
}

# Return true for an attribute: a file to be read. Anything else in its place is recorded as what it
# is.
function is_attribute(path) {
	if (kind == "class" || kind == "link")
		return 1
	if (kind == "verbs")
		return path ~ /^(ibdev|abi_version|port)$/
	if (kind == "device")
		return path ~ /^(hca_type|fw_ver|hw_rev|board_id|node_type)$/ ||
			path ~ /^(node_guid|sys_image_guid|parent)$/ ||
			path ~ /^ports\/[^\/]+\/(state|phys_state|rate|link_layer)$/ ||
			path ~ /^ports\/[^\/]+\/(lid|lid_mask_count|sm_lid|sm_sl|cap_mask)$/ ||
			path ~ /^ports\/[^\/]+\/(counters|hw_counters|gids)\/[^\/]+$/ ||
			path ~ /^hw_counters\/[^\/]+$/ ||
			path ~ /^ports\/[^\/]+\/gid_attrs\/(types|ndevs)\/[^\/]+$/
	if (kind == "module")
		return path ~ /^(srcversion|version)$/
	if (kind == "bus")
		return path ~ /^(vendor|device|class|numa_node)$/
	if (kind == "function")
		return path ~ /^(vendor|device|subsystem_vendor|subsystem_device|class)$/ ||
			path ~ /^(revision|numa_node|uevent|local_cpulist)$/ ||
			path ~ /^(sriov_totalvfs|sriov_numvfs|(current|max)_link_(speed|width))$/ ||
			path ~ /^aer_dev_(correctable|nonfatal|fatal)$/
	return path ~ /^(operstate|carrier|carrier_(changes|up_count|down_count))$/ ||
		path ~ /^(type|ifindex|iflink|dev_port|dev_id|phys_port_name|mtu)$/ ||
		path ~ /^(speed|duplex|flags|tx_queue_len|link_mode|dormant)$/ ||
		path ~ /^(statistics\/[^\/]+|bonding\/(slaves|mode|active_slave|mii_status))$/
}

function is_link(path) {
	if (kind == "device")
		return path ~ /^(device|subsystem)$/
	if (kind == "bus")
		return path == "physfn"
	if (kind == "function")
		return path ~ /^(driver|subsystem|physfn|virtfn[0-9]+)$/
	if (kind == "interface" && path ~ /^lower_/)
		return substr(path, 7) in listed
	return kind == "interface" && path ~ /^(device|subsystem|master|upper_.*)$/
}

# Return true for a directory that is recorded even if it is empty.
function is_structure(path) {
	if (kind == "device")
		return path ~ /^(ports(\/[^\/]+(\/(counters|hw_counters|gids))?)?)?$/ ||
			path ~ /^ports\/[^\/]+\/gid_attrs(\/(types|ndevs))?$/
	return path == "" || kind == "function" && path == "net" ||
		kind == "interface" && path == "statistics"
}

$1 == "X" {
	print "strange", "below " $2 ": a name or link target with a tab or newline" >> notes
	next
}

{
	path = $3 == "" ? $2 : $2 "/" $3
	last = path
	sub(/.*\//, "", last)
	if (is_attribute($3) && $1 ~ /^[fp]$/)
		line = "F" OFS path
	else if ($1 == "l" && $4 == last)
		line = "U" OFS path OFS "open"
	else if ($1 == "l" && (is_attribute($3) || is_link($3) || is_structure($3)))
		line = "L" OFS path OFS $4
	else if ($1 == "E" && is_structure($3))
		line = "D" OFS path
	else if ($1 == "E" && kind != "class" && is_attribute($3))
		line = "U" OFS path OFS "read"
	else
		next
	# The first GID's interface is the port's. Those of the others are needed only if the GID is
	# used.
	print ($3 ~ /\/gid_attrs\/[a-z]+\/.*[^0]/ ? "G" OFS : "") line
}
