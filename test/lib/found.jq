# Convert a scan (slurped) to the form into which facts.jq converts a facts file, passed as $facts.
#
# If a facts file has no PCI address, the capture has no uevent of the PCI function. ibscan then
# takes the address from the device link, as the contract says, and there is nothing to compare it
# with.
# SPDX-License-Identifier: Apache-2.0
def texts:
	"\(.state_id): \(.state)" as $s | "\(.phys_state_id): \(.phys_state)" as $p
	| {state: $s, phys_state: $p};
def pick($names): with_entries(select(.key as $k | $names | index($k)));
def stated($device): [$facts[0].devices[] | select(.device == $device).pci_address] != [null];
. as $all
| ["symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
   "local_link_integrity_errors", "excessive_buffer_overrun_errors", "port_xmit_discards"]
	as $selected
| ["rnr_nak_retry_err", "local_ack_timeout_err", "roce_slow_restart"] as $hw_selected
| [.[] | select(.kind == "device") | . as $d | if has("error") then {device, unreadable: true} else
	{device, hca_type, fw_ver, board_id, vendor, numa_node,
	 pci: (if stated(.device) then .pci else null end), netdevs: [.netdevs[].name],
	 ports: [$all[] | select(.kind == "port" and .device == $d.device)
		| {port, link_layer, rate} + texts + {
		counters: (.counters | length), selected: (.counters | pick($selected)),
		hw_counters: (.hw_counters | length),
		hw_selected: (.hw_counters | pick($hw_selected))}]}
	end] | sort_by(.device)
