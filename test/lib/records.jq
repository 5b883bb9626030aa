# Make scan records from a short description, for tests of ctreval that need hours or odd scans:
# `jq -n -c -L test/lib 'include "records"; scan(1; 10; [ib("mlx5_0"; {link_downed: 3})])'`.
# SPDX-License-Identifier: Apache-2.0
def stamp($s): ($s | floor | todate | rtrimstr("Z")) + ".000000Z";

# scan NUMBER at second AT with DEVICES: the four kinds of records.
def scan($n; $at; $devices):
	def common:
		{scan: $n, ts: stamp(1700000000 + $at), boottime_ns: ($at * 1000000000 | floor)};
	{kind: "scan.begin", v: 1, node: "n1", boot_id: "b1", interval_ms: 1000} + common,
	($devices[] | . as $d
		| {kind: "device", scan: $n, device, pci, vf: ($d.vf // false), ports: 1}
			+ ($d.device_extra // {}),
		  {kind: "port", device, port: 1, link_layer, state, phys_state, operstate,
			counters, hw_counters, net}
			+ common + ($d.extra // {})),
	{kind: "scan.end", devices: ($devices | length), ports: ($devices | length),
		complete: true, unreadable: []} + common;

# One device with one healthy port; $more changes or adds fields.
def ib($name; $counters): {device: $name,
	pci: "0000:18:00.0", link_layer: "InfiniBand", state: "ACTIVE",
	phys_state: "LinkUp", operstate: "up", counters: $counters, hw_counters: {}, net: {}};
def eth($name; $counters): ib($name; $counters) + {link_layer: "Ethernet"};
