# exposition - the samples that a scan's records must yield, computed independently of ibscan; for
# names that only need lower case.
# SPDX-License-Identifier: Apache-2.0

def escaped: gsub("\\\\"; "\\\\") | gsub("\""; "\\\"") | gsub("\n"; "\\n");
def labelled($labels):
	($labels
		| map("\(.[0])=\"\(.[1] | if . == null then "" else tostring end | escaped)\"")
		| join(",")) as $text
	| if $text == "" then . else "\(.){\($text)}" end;
def sample($name; $labels; $value):
	if $value == null then empty else ($name | labelled($labels)) + " \($value)" end;
def one_if: if . then 1 else 0 end;
def some($key): [$key, .[$key]];
# jq has no null-safe tostring for bools in labels: false is a value.
def flag($key): [$key, if has($key) then .[$key] | tostring else null end];
def millionths: "\(. / 1000000 | floor).\(. % 1000000 | tostring | "000000"[length:] + .)";
def seconds: capture("^(?<s>[^.]*)[.](?<us>[0-9]{6})Z$") | "\(.s + "Z" | fromdateiso8601).\(.us)";
# Counters that every network interface has, too.
def prefix($map): if $map != "net" and (.key | IN("rx_bytes", "tx_bytes")) then "hw_" else "" end;
def file_of($map): if $map != "net" then select(.key != "lifespan") else . end;
def words($map): $map == "counters" and (.key == "port_rcv_data" or .key == "port_xmit_data");

def samples:
	(.[] | select(.kind == "scan.begin")
		| sample("nic_scan_info"; [some("node"), some("boot_id")]; 1)),
	(.[] | select(.kind == "scan.end")
		| sample("nic_scan_timestamp_seconds"; []; .ts | seconds),
		sample("nic_scan_duration_seconds"; [];
			.duration_us | if . == null then . else millionths end),
		sample("nic_scan_listed"; []; has("error") | not | one_if),
		sample("nic_scan_complete"; []; .complete | one_if),
		sample("nic_scan_devices"; []; .devices), sample("nic_scan_ports"; []; .ports),
		sample("nic_pci_functions_unbound"; [];
			.unbound | if . == null then . else length end)),
	(.[] | select(.kind == "device")
		| sample("nic_device_readable"; [some("device")]; .error == null | one_if),
		sample("nic_device_info";
			[some("device"), some("pci"), some("vendor"), some("driver"),
			some("hca_type"), some("fw_ver"), some("board_id"), some("node_guid"),
			["numa_node", if .numa_node < 0 then null else .numa_node end],
			flag("vf"), some("parent"), some("error"), some("card"),
			some("role"), some("reason"), flag("monitored")]; 1)),
	(.[] | select(.kind == "port")
		| [some("device"), some("port"), ["transport", .link_layer]] as $port
		| sample("nic_port_info";
			$port + [some("state"), some("phys_state"), some("rate"),
				some("netdev"), some("operstate")]; 1),
		sample("nic_port_state"; $port; .state_id),
		sample("nic_port_phys_state"; $port; .phys_state_id),
		sample("nic_port_rate_bytes_per_second"; $port;
			.rate_gbps | if . == null then . else . * 125000000 end),
		(.gids // {} | to_entries[]
			| sample("nic_port_gids"; $port + [["kind", .key]]; .value)),
		(("counters", "hw_counters", "device_hw_counters", "net") as $map
			| .[$map] // {} | to_entries[] | file_of($map)
			| (.key | ascii_downcase | sub("^port_"; "")) as $counter
			| "nic_port_\(prefix($map))\($counter)_total" as $name
			| sample($name; $port; if words($map) then .value * 4 else .value end)));
