# Convert the facts file of a recorded machine (../shared/fixtures/sysfs/*.json) to the form into
# which found.jq converts a scan.
# SPDX-License-Identifier: Apache-2.0
[.devices[] | if .enumerable == false then {device, unreadable: true} else
	{device, hca_type, fw_ver, board_id, vendor, numa_node: (.numa_node // -1),
	 pci: .pci_address, netdevs,
	 ports: [.ports[] | {port, state, phys_state, link_layer, rate,
		counters: (.counters.numeric_files // 0), selected: (.counters.selected // {}),
		hw_counters: (.hw_counters.numeric_files // 0),
		hw_selected: (.hw_counters.selected // {})}]}
	end] | sort_by(.device)
