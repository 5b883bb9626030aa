#!/usr/bin/env bats
# nicdiff: differences between two scans, from records, captures and trees.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { T=$BATS_TEST_TMPDIR; }

# scans NAME JQ - write scan records made by lib/records.jq to $T/NAME
scans() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" 'include "records"; '"$2" >"$T/$1"; }

# differs FILE... - check that nicdiff --json finds differences; sets $output to `device/port what
# was is delta per_second` for each
differs() {
	run --separate-stderr nicdiff --json "$@"
	status_is 1
	[ "$stderr" = "" ]
	output=$(jq -r '[(if .port then "\(.device)/\(.port)" else .device end), .what, .was, .is,
		.delta, .per_second] | map(select(. != null) | tostring) | join(" ")' <<<"$output")
}

# is LINE... - check that exactly these are the differences
is() { diff <(printf '%s\n' "$@") <(echo "$output"); }

@test "differences are shown by device and port, counters with growth and rate" {
	scans in 'def nic($symbols; $version; $state): ib("mlx5_0"; {symbol_error: $symbols, x: 0})
			+ {state: $state, device_extra: {fw_ver: $version, node_guid: "0:1"}};
		(ib("mlx5_1"; {}) + {pci: "0000:2a:00.0"}) as $other
		| scan(1; 10; [nic(3; "28.1"; "ACTIVE"), $other]),
		scan(2; 20; [nic(8; "28.2"; "DOWN"), $other])'
	run --separate-stderr nicdiff "$T/in"
	status_is 1
	[ "$stderr" = "" ]
	diff - <(echo "$output") <<-'END'
		n1 2023-11-14 22:13:30 -> n1 2023-11-14 22:13:40 UTC (10 s later)

		mlx5_0 (0000:18:00.0)
		  fw_ver                           28.1 -> 28.2
		  port 1
		    counters/symbol_error            3 -> 8 (+5, 0.50/s)
		    state                            ACTIVE -> DOWN
	END
	[ "$(nicdiff <"$T/in")" = "$output" ]
	[ "$(nicdiff - <"$T/in")" = "$output" ]
	diff <(nicdiff --json "$T/in") - <<-'END'
		{"kind":"difference","v":1,"device":"mlx5_0","pci":"0000:18:00.0","what":"fw_ver","was":"28.1","is":"28.2"}
		{"kind":"difference","v":1,"device":"mlx5_0","pci":"0000:18:00.0","what":"counters/symbol_error","port":1,"was":3,"is":8,"delta":5,"per_second":0.5}
		{"kind":"difference","v":1,"device":"mlx5_0","pci":"0000:18:00.0","what":"state","port":1,"was":"ACTIVE","is":"DOWN"}
	END
}

@test "two equal scans have no difference and exit 0" {
	scans in 'scan(1; 10; [ib("mlx5_0"; {symbol_error: 3})]),
		scan(2; 20; [ib("mlx5_0"; {symbol_error: 3})])'
	run --separate-stderr nicdiff "$T/in"
	status_is 0
	[ "$(sed -n 3p <<<"$output")" = "no differences" ]
	run --separate-stderr nicdiff --json "$T/in"
	status_is 0
	[ "$output" = "" ]
}

@test "one file is compared from its first scan to its last, two files by the last scan of each" {
	scans a '[0, 1, 7] as $v | range(3) as $i | scan($i; $i + 1; [ib("mlx5_0"; {x: $v[$i]})])'
	scans b '[3, 9] as $v | range(2) as $i | scan($i; $i + 10; [ib("mlx5_0"; {x: $v[$i]})])'
	differs "$T/a"
	is "mlx5_0/1 counters/x 0 7 7 3.5"
	differs "$T/a" "$T/b"
	is "mlx5_0/1 counters/x 7 9 2 0.25"
	differs "$T/a" - <"$T/b"
	is "mlx5_0/1 counters/x 7 9 2 0.25"
}

@test "an extra scan, which has only some devices, is not compared" {
	scans in 'scan(1; 10; [ib("mlx5_0"; {x: 1}), ib("mlx5_1"; {x: 1}) + {pci: "b"}]),
		scan(2; 20; [ib("mlx5_0"; {x: 3}), ib("mlx5_1"; {x: 1}) + {pci: "b"}]),
		(scan(3; 30; [ib("mlx5_0"; {x: 9})])
			| if .kind == "scan.begin" then .extra = true else . end)'
	differs "$T/in"
	is "mlx5_0/1 counters/x 1 3 2 0.2"
	tail -n 4 "$T/in" >"$T/extra"
	run --separate-stderr nicdiff "$T/in" "$T/extra"
	status_is 65 "^nicdiff: error: $T/extra: it contains no scan$"
}

@test "devices are matched by PCI address, else by GUID, and by name if they have no address" {
	scans in 'def nic($name; $pci; $guid): ib($name; {}) + {pci: $pci,
			device_extra: {node_guid: $guid}};
		scan(1; 1; [nic("mlx5_0"; "a"; "0:1"), nic("mlx5_1"; "b"; "0:2"),
			nic("rxe0"; null; "0:3"), nic("mlx5_3"; "d"; "0:0"),
			nic("mlx5_5"; "f"; "0:5")]),
		scan(2; 2; [nic("mlx5_1"; "a"; "0:1"), nic("mlx5_0"; "b"; "0:9"),
			nic("rxe0"; null; "0:3"), nic("mlx5_4"; "e"; "0:0"),
			nic("mlx5_5"; "g"; "0:5")])'
	differs "$T/in"
	is "mlx5_1 device mlx5_0 mlx5_1" "mlx5_0 device mlx5_1 mlx5_0" \
		"mlx5_0 node_guid 0:2 0:9" "mlx5_3 device mlx5_3" "mlx5_5 pci f g" \
		"mlx5_4 device mlx5_4"
	run --separate-stderr nicdiff "$T/in"
	[[ "$output" = *$'\nmlx5_3 (d)\n  gone\n'* ]]
	[[ "$output" = *$'\nmlx5_4 (e)\n  new' ]]
}

@test "ports can appear and vanish, and an SMI device is not confused with its parent of the same address" {
	scans in 'def two: .[0], (.[1] | .ports = 2), .[2], (.[2] | .port = 2), .[3:][];
		[scan(1; 1; [ib("mlx5_0"; {})])], [scan(2; 2; [ib("mlx5_0"; {})])]
		| if .[0].scan == 2 then [two | if .kind == "scan.end" then .ports = 2 else . end]
			else . end | .[]'
	differs "$T/in"
	is "mlx5_0 ports 1 2" "mlx5_0/2 port 2"
	scans in 'def smi: ib("smi0"; {}) + {device_extra: {parent: "mlx5_0"}};
		scan(1; 1; [ib("mlx5_0"; {}), smi]), scan(2; 2; [smi, ib("mlx5_0"; {})])'
	run nicdiff --json "$T/in"
	status_is 0
}

@test "the ports of an unreadable device are unknown, not gone" {
	scans read 'scan(1; 1; [ib("mlx5_0"; {})])'
	scans unread 'scan(2; 2; [ib("mlx5_0"; {}) + {device_extra: {error: "EIO", ports: 0}}])
		| if .kind == "scan.end" then .ports = 0 else . end | select(.kind != "port")'
	differs "$T/read" "$T/unread"
	is "mlx5_0 error EIO"
	differs "$T/unread" "$T/read"
	is "mlx5_0 error EIO"
	# The same with one of two ports.
	scans two 'def two: .[0], (.[1] | .ports = 2), .[2], (.[2] | .port = 2),
			(.[3] | .ports = 2);
		[scan(1; 1; [ib("mlx5_0"; {x: 1})])] | two'
	scans one 'scan(2; 2; [ib("mlx5_0"; {x: 3}) + {device_extra: {error: "EIO"}}])'
	differs "$T/two" "$T/one"
	is "mlx5_0 error EIO" "mlx5_0/1 counters/x 1 3 2 2"
}

@test "a counter that was reset has no growth, and the largest counters are exact" {
	scans in '[["18446744073709551614", 9, 5], ["18446744073709551615", 3, null]] as $v
		| range(2) as $i | scan($i; 1 + 1000 * $i;
			[ib("mlx5_0"; {a: $v[$i][0], b: $v[$i][1], c: $v[$i][2]})])'
	differs "$T/in"
	is "mlx5_0/1 counters/a 18446744073709551614 18446744073709551615 1 0" \
		"mlx5_0/1 counters/b 9 3" "mlx5_0/1 counters/c 5"
}

@test "there are no rates across a boot, nor when time stands still or goes back" {
	local second
	for second in 'scan(2; 20; $b) | if .boot_id then .boot_id = "b2" else . end' 'scan(2; 10; $b)' 'scan(2; 9; $b)'; do
		scans in '[ib("mlx5_0"; {x: 1})] as $a | [ib("mlx5_0"; {x: 3})] as $b
			| scan(1; 10; $a), ('"$second"')'
		differs "$T/in"
		is "mlx5_0/1 counters/x 1 3 2"
		[[ "$(nicdiff "$T/in" | head -n 1)" = *"(time between them unknown)" ]]
	done
}

@test "null equals a missing member, and lists and unknown members are compared" {
	scans in '[{vendor: null, netdevs: [{name: "a"}], new: {deep: {x: 1}}},
			{netdevs: [{name: "b"}], new: {deep: {x: 2}}}] as $extra
		| range(2) as $i
		| scan($i; $i; [ib("mlx5_0"; {}) + {device_extra: $extra[$i]}])'
	differs "$T/in"
	is 'mlx5_0 netdevs [{"name":"a"}] [{"name":"b"}]' 'mlx5_0 new/deep {"x":1} {"x":2}'
}

@test "control characters are escaped in the text output" {
	scans in '["a", "\u001b[2J"] as $v | range(2) as $i
		| scan($i; $i; [ib("mlx5_0"; {}) + {device_extra: {fw_ver: $v[$i]}}])'
	run nicdiff "$T/in"
	[[ "$output" = *'a -> \x1b[2J'* ]]
}

@test "bad lines are skipped with a warning, and an incomplete scan is reported" {
	scans in 'scan(1; 1; [ib("mlx5_0"; {x: 1})]), "torn", scan(2; 2; [ib("mlx5_0"; {x: 2})]),
		{kind: "event"}, {kind: "device", scan: 2}'
	run --separate-stderr nicdiff --json "$T/in"
	status_is 1
	stderr_has "^nicdiff: warning: $T/in: line [0-9]+"
	[ "$(wc -l <<<"$output")" -eq 1 ]
	scans in 'scan(1; 1; [ib("mlx5_0"; {x: 1})]) | if .kind == "scan.end" then .ports = 2 else . end'
	scans after 'scan(2; 2; [ib("mlx5_0"; {x: 2})])'
	run --separate-stderr nicdiff --json "$T/in" "$T/after"
	status_is 1
	stderr_has "^nicdiff: warning: scan 1 is incomplete"
}

@test "a scan that could not list the devices is reported; a node without RDMA devices is not" {
	scans in 'scan(1; 10; [ib("mlx5_0"; {})]), (scan(2; 20; [])
		| if .kind == "scan.end" then . + {complete: false, error: "EIO"} else . end)'
	run --separate-stderr nicdiff "$T/in"
	status_is 1
	stderr_has "^nicdiff: warning: scan 2 could not list the devices \(EIO\): they may still exist$"
	sed -i 's/EIO/ENOENT/' "$T/in"
	differs "$T/in"
	is 'mlx5_0 device mlx5_0'
}

@test "fewer than two scans exit 65, a missing file 66, a third file 64, a write error 74" {
	scans one 'scan(1; 1; [ib("mlx5_0"; {})])'
	run --separate-stderr nicdiff "$T/one"
	status_is 65 "^nicdiff: error: $T/one: it contains only one scan: nothing to compare$"
	: >"$T/none"
	run --separate-stderr nicdiff "$T/one" "$T/none"
	status_is 65 "^nicdiff: error: $T/none: it contains no scan$"
	run --separate-stderr nicdiff "$T/missing" "$T/one"
	status_is 66 "^nicdiff: error: $T/missing: No such file or directory$"
	run --separate-stderr nicdiff "$T/one" "$T/one" "$T/one"
	status_is 64 "unexpected operand"
	run --separate-stderr bash -c 'nicdiff "$1" "$1" >/dev/full' _ "$T/one"
	status_is 74 "^nicdiff: error: stdout: "
}

# --- captures and trees ---

@test "captures, their trees and node trees are compared like records, with the captures' times" {
	few h100-oci mlx5_0 mlx5_1
	echo "1000.50 9" >"$NODE/proc/uptime"
	nhm-capture --root "$NODE" "$T/a"
	sim set mlx5_0 fw_ver 28.99
	sim add mlx5_1/1 counters/symbol_error 12
	echo "1010.50 9" >"$NODE/proc/uptime"
	nhm-capture --root "$NODE" "$T/b"
	differs "$T/a" "$T/b"
	is "mlx5_0 fw_ver 28.37.1014 28.99" "mlx5_1/1 counters/symbol_error 0 12 12 1.2"
	local found=$output time
	time=$(sed -n 's/^time: \(.*\)T\(.*\)Z/\1 \2/p' "$T/a/MANIFEST")
	[[ "$(nicdiff "$T/a" "$T/b" | head -n 1)" = "a $time -> b "*" UTC (10 s later)" ]]
	[[ "$(nicdiff "$T/a/node.tree" "$T/b" | head -n 1)" = "node.tree $time -> b "* ]]
	differs "$T/a/node.tree" "$NODE"
	is "$found"
	nhm-capture --unpack "$T/a/node.tree" "$T/tree"
	differs "$T/tree" "$T/b"
	is "$found"
	# Without an uptime the scan has no time.
	rm "$T/tree/proc/uptime"
	differs "$T/tree" "$T/b"
	is "mlx5_0 fw_ver 28.37.1014 28.99" "mlx5_1/1 counters/symbol_error 0 12 12"
}

@test "a file that is neither records nor a capture exits 65, and no temporary file is left behind" {
	mkdir "$T/empty" "$T/tmp"
	echo nonsense >"$T/bad"
	local bad
	for bad in empty bad; do
		TMPDIR=$T/tmp run --separate-stderr nicdiff "$T/$bad" "$T/$bad"
		status_is 65 "^nicdiff: error: $T/$bad: it contains no scan$"
		stderr_has "^nhm-capture: "
	done
	[ "$(ls -A "$T/tmp")" = "" ]
}

@test "nhm-capture --scan writes one scan and rejects options that do not go with it" {
	few h100-oci mlx5_0
	run --separate-stderr nhm-capture --scan "$NODE"
	status_is 0
	[ "$(jq -r .kind <<<"$output" | xargs)" = "scan.begin device port scan.end" ]
	[ "$(jq -r 'select(.kind == "scan.begin").node' <<<"$output")" = node ]
	run --separate-stderr nhm-capture --scan "$NODE" "$T/dir"
	status_is 64 "^nhm-capture: error: unexpected operand '$T/dir'"
	run --separate-stderr nhm-capture --mask --scan "$NODE"
	status_is 64 "^nhm-capture: error: cannot be combined with --scan: '--mask'"
	run --separate-stderr nhm-capture --scan "$T/missing"
	status_is 66 "^nhm-capture: error: $T/missing: No such file$"
}

@test "nhm-capture --scan names the record, tarball or directory that has no sys" {
	local source
	mkdir -p "$T/b/later" "$T/tree"
	printf 'F\tproc/uptime\t1\n' | tee "$T/b/node.tree" >"$T/b/later/node.tree"
	tar -C "$T" -czf "$T/b.tar.gz" b
	for source in b b/node.tree b.tar.gz tree; do
		run --separate-stderr nhm-capture --scan "$T/$source"
		status_is 66 "^nhm-capture: error: $T/$source: it has no sys$"
	done
}

@test "nhm-capture --scan whose output cannot be written exits 74, and a record needs no stdout" {
	local to
	few l40s-oci mlx5_0 mlx5_1
	nhm-capture --root "$NODE" "$T/record"
	while read -r to reason; do
		run --separate-stderr bash -c "nhm-capture --scan \"\$1\" >$to" _ "$T/record"
		status_is 74
		[ "$stderr" = "nhm-capture: error: stdout: $reason" ]
	done <<-END
		/dev/full No space left on device
		&- Bad file descriptor
	END
	run --separate-stderr bash -c 'nhm-capture --root "$1" "$2" >&-' _ "$NODE" "$T/other"
	status_is 0
	[ "$stderr" = "" ]
	[ -s "$T/other/node.tree" ]
}
