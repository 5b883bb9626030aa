#!/usr/bin/env bats
# nicview: the table of every platform, of recorded machines and of broken nodes; also as ibscan
# --format table, which executes nicview.
#
# test/snapshots/table has the expected tables as PLATFORM[.no-roles].COLUMNS, and only digests of
# those of recorded machines, which may not be published. UPDATE=1 writes them anew: review the
# diff.
# SPDX-License-Identifier: Apache-2.0

load lib/common

SNAPSHOTS=$ROOT/test/snapshots/table

setup() {
	unset COLUMNS NO_COLOR
	export TERM=xterm
}

teardown() {
	end_background
	nothing_survives
}

# records PLATFORM - write its scan with roles and GID tables to $BATS_TEST_TMPDIR/records; all
# tests share one scan
records() {
	local kept=$BATS_FILE_TMPDIR/$1.records
	if [ ! -e "$kept" ]; then
		node "$1" "$1"
		scan --gids | classify >"$kept"
		rm -rf "$NODE"
	fi
	cp "$kept" "$BATS_TEST_TMPDIR/records"
}

# table FILE [COLUMNS] - print the table of these records with a fixed time
table() { COLUMNS=${2-100} nicview "$1" | at_one_time; }
at_one_time() { sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2} ([0-9]{2}:?){3}Z/2026-01-02 03:04:05Z/'; }

# without_roles - remove what topoclass has added
without_roles() { jq -c 'del(.role, .monitored, .reason, .card, .topology)'; }

every_platform() { find "$PLATFORMS" -name '*.json' -exec basename -s .json {} + | sort; }

# as_kept NAME FILE - compare the file with the snapshot of that name
as_kept() {
	if [ -n "${UPDATE-}" ]; then
		mkdir -p "$SNAPSHOTS"
		cp "$2" "$SNAPSHOTS/$1"
	fi
	diff "$SNAPSHOTS/$1" "$2"
}

# no_longer_than COLUMNS FILE - check that no line is longer, and that there is only printable ASCII
no_longer_than() {
	[ -s "$2" ]
	LC_ALL=C awk -v n="$1" 'length > n || /[^ -~]/ {print FILENAME ": " n ": " $0; bad = 1} END {exit bad}' "$2"
}

# tables FILE COLUMNS... - write the table of these records at each width to
# $BATS_TEST_TMPDIR/table.COLUMNS; check that no line is longer and that there is only printable
# ASCII
tables() {
	local columns
	for columns in "${@:2}"; do
		COLUMNS=$columns nicview "$1" >"$BATS_TEST_TMPDIR/table.$columns"
		[ -s "$BATS_TEST_TMPDIR/table.$columns" ]
	done
	LC_ALL=C awk '
		FNR == 1 { columns = FILENAME; sub(/.*\./, "", columns) }
		length > columns + 0 || /[^ -~]/ { print columns ": " $0; bad = 1 }
		END { exit bad }' "$BATS_TEST_TMPDIR"/table.*
}

# rows FILE - print "DEVICE PORT" of each row, in the table's order: the text between the mark and
# the third column
rows() {
	awk 'NR >= 3 && (line = substr($0, 4)) && split(line, word, " ") &&
		word[2] ~ /^([0-9]+|-)$/ { print word[1], word[2] }' "$1"
}

# first_row FILE - print mark and device of the first row
first_row() { sed -n 3p "$1" | awk '{print $1, $2}'; }

# on_terminal FILE COMMAND... - run the command on a terminal of 100 columns and 30 rows, whose
# output goes to FILE
on_terminal() {
	local file=$1
	shift
	timeout 20 script -qec "stty cols ${COLS-100} rows ${ROWS-30}; $(printf '%q ' "$@")" \
		/dev/null </dev/null | tr -d '\r' >"$file"
}

escapes() { grep -c $'\033' "$1" || true; }

# --- every platform ---

@test "the table of every platform equals its snapshot at 80, 100 and 200 columns" {
	for platform in $(every_platform); do
		records "$platform"
		for columns in 80 100 200; do
			table "$BATS_TEST_TMPDIR/records" "$columns" >"$BATS_TEST_TMPDIR/table"
			no_longer_than "$columns" "$BATS_TEST_TMPDIR/table"
			as_kept "$platform.$columns" "$BATS_TEST_TMPDIR/table"
		done
	done
}

# Thorough: tools
@test "the table of every platform without roles equals its snapshot" {
	for platform in $(every_platform); do
		records "$platform"
		without_roles <"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/plain"
		table "$BATS_TEST_TMPDIR/plain" >"$BATS_TEST_TMPDIR/table"
		no_longer_than 100 "$BATS_TEST_TMPDIR/table"
		as_kept "$platform.no-roles.100" "$BATS_TEST_TMPDIR/table"
	done
}

@test "there are no other snapshots" {
	diff <(find "$SNAPSHOTS" -type f ! -name recorded.sha256 -printf '%f\n' | sort) \
		<(for p in $(every_platform); do printf '%s\n' "$p".{80,100,200} \
		"$p.no-roles.100"; done | sort)
}

# Thorough: tools
@test "the broken port is first and alone marked, with roles and without, at any width" {
	records h100-oci-one-port-down
	without_roles <"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/plain"
	for file in records plain; do
		for columns in 80 100 200; do
			table "$BATS_TEST_TMPDIR/$file" "$columns" >"$BATS_TEST_TMPDIR/table"
			[ "$(first_row "$BATS_TEST_TMPDIR/table")" = "!! mlx5_12" ]
			[ "$(grep -c '^!!' "$BATS_TEST_TMPDIR/table")" -eq 1 ]
			grep -q '^!! mlx5_12 .* peers are up$' "$BATS_TEST_TMPDIR/table"
			head -n 1 "$BATS_TEST_TMPDIR/table" | grep -q ': 1 problem, 1 unclear$'
		done
	done
}

# Thorough: tools
@test "on every platform the marked ports are those that ctreval's first scan reports, or on whose card it does" {
	for platform in $(every_platform); do
		records "$platform"
		# A card's event names all its devices: take those that are not up.
		jq -r 'select(.kind=="port" and .state!="ACTIVE").device' \
			"$BATS_TEST_TMPDIR/records" | sort >"$BATS_TEST_TMPDIR/down"
		ctreval <"$BATS_TEST_TMPDIR/records" 2>/dev/null |
			jq -r '.entitiesImpacted[0].entityValue as $nic | .metadata.devices // $nic
				| split(",")[]' | sort -u |
			join - "$BATS_TEST_TMPDIR/down" >"$BATS_TEST_TMPDIR/accused"
		table "$BATS_TEST_TMPDIR/records" | awk '/^!!/ {print $2}' | sort |
			diff "$BATS_TEST_TMPDIR/accused" -
	done
	[ "$platform" = l40s-onprem-polling ] && [ "$(cat "$BATS_TEST_TMPDIR/accused")" = mlx5_3 ]
}

# Thorough: tools
@test "every port has exactly one row at any width" {
	for platform in a100-oci gb200-nvl4 h100-oci-one-port-down; do
		records "$platform"
		jq -r 'select(.kind=="port") | "\(.device) \(.port)"' "$BATS_TEST_TMPDIR/records" |
			sort >"$BATS_TEST_TMPDIR/ports"
		tables "$BATS_TEST_TMPDIR/records" 40 47 60 79 80 81 99 100 101 120 150 200 1000
		for columns in 40 47 60 79 80 81 99 100 101 120 150 200 1000; do
			diff <(rows "$BATS_TEST_TMPDIR/table.$columns" | sort) \
				"$BATS_TEST_TMPDIR/ports"
		done
	done
}

# --- recorded machines ---

# Thorough: tools
@test "every recorded machine has a row with the state of each port, at 80, 100 and 200 columns" {
	need_fixtures
	for facts in "$FIXTURES"/sysfs/*.json; do
		untree "sysfs/$(basename "$facts" .json)"
		for columns in 80 100 200; do
			COLUMNS=$columns ibscan --sysfs-root "$TREE/sys" --node test-node \
				--format table | at_one_time >"$BATS_TEST_TMPDIR/table"
			echo "$(sha256sum <"$BATS_TEST_TMPDIR/table") $(basename "$facts" \
				.json).$columns" >>"$BATS_TEST_TMPDIR/digests"
			no_longer_than "$columns" "$BATS_TEST_TMPDIR/table"
			# The facts have states like "4: ACTIVE"; an unreadable device has one row
			# without a state.
			diff <(jq \
				-r '.devices[] | .device as $d | if .enumerable == false then
					"\($d) -" else .ports[]
					| "\($d) \(.port)" end' "$facts" | sort) \
				<(rows "$BATS_TEST_TMPDIR/table" | sort)
			while read -r device port state phys; do
				grep -q -E "^.. $device +$port .* $state +$phys( |$)" \
					"$BATS_TEST_TMPDIR/table" ||
					{ echo "$facts: $device/$port is not $state $phys"; cat \
					"$BATS_TEST_TMPDIR/table"; return 1; }
			done < <(jq \
				-r '.devices[] | select(.enumerable != false) | .device as $d
					| .ports[]
				| "\($d) \(.port) \(.state|sub("^[0-9]+: *";""))"
					+ " \(.phys_state|sub("^[0-9]+: *";""))"' "$facts")
		done
	done
	# Otherwise the tables equal those that a person has reviewed.
	as_kept recorded.sha256 "$BATS_TEST_TMPDIR/digests"
}

@test "two ports of a recorded machine that are stuck in INIT are first" {
	untree sysfs/dgx-a100-gcm-stuck-init
	run --separate-stderr ibscan --sysfs-root "$TREE/sys" --format table
	status_is 0
	[ "$(grep '^!!' <<<"$output" | awk '{print $2, $6}' | xargs)" = "mlx5_6 INIT mlx5_8 INIT" ]
	grep -q '8 NICs, 8 ports: 2 problems$' <<<"$output"
}

# --- other problems ---

@test "a down port that the inclusion override names is a problem, whatever its role and peers" {
	shared_node h100-oci
	echo 'nicInclusionRegexOverride: ^mlx5_11$' >"$BATS_TEST_TMPDIR/config.yaml"
	scan | classify --config "$BATS_TEST_TMPDIR/config.yaml" >"$BATS_TEST_TMPDIR/records"
	table "$BATS_TEST_TMPDIR/records" 200 >"$BATS_TEST_TMPDIR/table"
	[ "$(first_row "$BATS_TEST_TMPDIR/table")" = "!! mlx5_11" ]
	grep -q '^!! mlx5_11 .* storage .* override matches it$' "$BATS_TEST_TMPDIR/table"
	head -n 1 "$BATS_TEST_TMPDIR/table" | grep -q ': 1 problem$'
}

@test "a port slower than its peers, or without an IPv4 GID, is a warning" {
	node h100-oci
	sim set mlx5_7/1 rate "100 Gb/sec (2X HDR)"
	for gid in "$NODE"/sys/class/infiniband/mlx5_9/ports/1/gids/*; do echo \
		0000:0000:0000:0000:0000:0000:0000:0000 >"$gid"; done
	echo fe80:0000:0000:0000:0e42:a1ff:fe00:0001 \
		>"$NODE/sys/class/infiniband/mlx5_10/ports/1/gids/0"
	echo 0000:0000:0000:0000:0000:0000:0000:0000 \
		>"$NODE/sys/class/infiniband/mlx5_10/ports/1/gids/1"
	scan --gids | classify | COLUMNS=150 nicview - >"$BATS_TEST_TMPDIR/table"
	head -n 1 "$BATS_TEST_TMPDIR/table" | grep -q ': 3 warnings, 1 unclear$'
	diff - <(sed -n 3,5p "$BATS_TEST_TMPDIR/table" |
		sed -E 's/^(!  mlx5_[0-9]+) .* (up|down) +(.*)/\1 \3/') <<-'END'
		!  mlx5_7 rate 100 Gb/s, peers 200 Gb/s
		!  mlx5_9 no valid GID
		!  mlx5_10 no IPv4 GID
	END
	# Without roles a port has no known peers; the GID table is read even without --gids.
	run --separate-stderr scan --format table
	[ "$(grep -c '^!  ' <<<"$output")" -eq 2 ]
	grep -q '^!  mlx5_9 .* no valid GID$' <<<"$output"
}

@test "the table of a machine without GID tables does not report missing GIDs" {
	node h100-oci
	rm -r "$NODE"/sys/class/infiniband/*/ports/1/gids
	run --separate-stderr scan --gids
	[ "$(jq -c 'select(.kind=="port").gids' <<<"$output" | sort -u)" = null ]
	run --separate-stderr scan --format table
	none grep -q GID <<<"$output"
}

# Thorough: tools
@test "a healthy port's row has its error counters, the most serious first, and no number is cut off" {
	node h100-oci
	sim set mlx5_4/1 counters/port_rcv_errors 65535
	sim set mlx5_4/1 counters/symbol_error 123456
	sim set mlx5_4/1 counters/link_downed 3
	sim set mlx5_4/1 counters/port_xmit_wait 99
	sim set mlx5_4/1 net/statistics/rx_packets 99
	scan >"$BATS_TEST_TMPDIR/records"
	tables "$BATS_TEST_TMPDIR/records" {60..240}
	# mlx5_4 has one line in each of the 181 tables, in three variants.
	grep -h -A 1 'mlx5_4 ' "$BATS_TEST_TMPDIR"/table.* | grep \
		-o 'link_downed.*' >"$BATS_TEST_TMPDIR/seen"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/seen")" -eq 181 ]
	diff <(sort -u "$BATS_TEST_TMPDIR/seen") - <<-'END'
		link_downed=3 +2
		link_downed=3 symbol_error=123456 +1
		link_downed=3 symbol_error=123456 port_rcv_errors>=65535
	END
	none grep -q '^[!?].*mlx5_4 ' "$BATS_TEST_TMPDIR"/table.*
}

@test "a device that hangs, is unreadable or dangles is a problem, and the others are shown" {
	node h100-oci
	sim hang mlx5_3/1 state
	sim dangle mlx5_5
	sim unreadable mlx5_6/1 state
	timeout 20 ibscan --sysfs-root "$NODE/sys" --node test-node \
		--device-timeout 1s >"$BATS_TEST_TMPDIR/raw"
	classify <"$BATS_TEST_TMPDIR/raw" >"$BATS_TEST_TMPDIR/classified"
	sim mend mlx5_3/1 state
	for file in raw classified; do
		table "$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/table"
		no_longer_than 100 "$BATS_TEST_TMPDIR/table"
		head -n 1 "$BATS_TEST_TMPDIR/table" | grep \
			-q '18 NICs, 15 ports: 3 problems, 1 unclear$'
		[ "$(grep '^!!' "$BATS_TEST_TMPDIR/table" |
			sed -E 's/^!! (mlx5_[0-9]+) .* (cannot be read.*)/\1 \2/')" = \
			"mlx5_3 cannot be read: timeout
mlx5_5 cannot be read: ENOENT
mlx5_6 cannot be read: EISDIR" ]
	done
}

@test "a stuck scan is reported on stderr and does not change the table" {
	node l40s-onprem
	scan >"$BATS_TEST_TMPDIR/scan"
	nicview "$BATS_TEST_TMPDIR/scan" >"$BATS_TEST_TMPDIR/table"
	sed '2i {"kind":"scan.stall","ts":"T","boottime_ns":1,"in_flight_ms":11999}' \
		"$BATS_TEST_TMPDIR/scan" >"$BATS_TEST_TMPDIR/stalled"
	run --separate-stderr nicview "$BATS_TEST_TMPDIR/stalled"
	status_is 0
	[ "$stderr" = "nicview: warning: the scan makes no progress: it has been running for 11 s" ]
	diff "$BATS_TEST_TMPDIR/table" - <<<"$output"
}

@test "an unreadable device is a problem, whatever its name" {
	node gb200-nvl4
	sim dangle ibP2p3s0
	scan | classify | nicview - >"$BATS_TEST_TMPDIR/table"
	head -n 1 "$BATS_TEST_TMPDIR/table" | grep -q '6 NICs, 5 ports: 1 problem$'
	grep -q -E '^!! ibP2p3s0 +- .* cannot be read: ENOENT$' "$BATS_TEST_TMPDIR/table"
}

@test "a NIC that lost its driver is a problem, and its card lacks a port" {
	node h100-oci
	sim remove mlx5_4
	scan | classify >"$BATS_TEST_TMPDIR/records"
	table "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/table"
	head -n 1 "$BATS_TEST_TMPDIR/table" | grep -q '17 NICs, 17 ports: 3 problems, 1 unclear$'
	grep -q '^!! mlx5_3 ' "$BATS_TEST_TMPDIR/table"
	grep -q 'its card has 1 port, peers 2' "$BATS_TEST_TMPDIR/table"
	grep -q -E '^!! 0000:2a:00.1 +- .*no driver bound$' "$BATS_TEST_TMPDIR/table"
}

@test "without GPU metadata a NIC on a GPU's switch without an RDMA device is a problem" {
	node dgx-h100
	sim unregister mlx5_3
	scan | topoclass --metadata "auto:$BATS_TEST_TMPDIR/none" --sysfs-root "$NODE/sys" \
		2>"$BATS_TEST_TMPDIR/notes" >"$BATS_TEST_TMPDIR/records"
	table "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/table"
	grep -q -E '^!! 0000:40:00.0 +- .*no RDMA device$' "$BATS_TEST_TMPDIR/table"
}

@test "a NIC that is only in the GPU metadata has a row" {
	node l40s-onprem
	sim remove mlx5_3
	scan | classify >"$BATS_TEST_TMPDIR/records"
	table "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/table"
	grep -q '2 problems$' "$BATS_TEST_TMPDIR/table"
	grep -q -E '^!! mlx5_3 +- .*lost$' "$BATS_TEST_TMPDIR/table"
	# The host's own NIC may be missing for the same reason as its route, so it is no problem.
	sim restore mlx5_3
	sim remove mlx5_0
	scan | classify >"$BATS_TEST_TMPDIR/records"
	table "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/table"
	grep -q '1 warning, 1 unclear$' "$BATS_TEST_TMPDIR/table"
	grep -q -E '^! +mlx5_0 +- .*only in GPU metadata$' "$BATS_TEST_TMPDIR/table"
	grep -q -E '^\?  0000:2a:00.0 .*no driver bound$' "$BATS_TEST_TMPDIR/table"
}

@test "a plane that is down is a warning, and planes do not count as ports of their card" {
	node multi-plane
	sim unplug smi0/3
	run --separate-stderr bash \
		-c "$(declare -f scan classify); scan --counters none | classify | nicview -"
	status_is 0
	[[ "${lines[0]}" == *"5 NICs, 5 ports, 8 planes: 1 warning" ]]
	[[ "${lines[2]}" == "!  smi0 "*" 3 "*" DOWN "* ]]
	grep -q "plane 3 of mlx5_0 is down" <<<"$output"
	sim up smi0/3
	sim remove smi1
	run --separate-stderr bash \
		-c "$(declare -f scan classify); scan --counters none | classify | nicview -"
	[[ "${lines[0]}" == *"5 NICs, 5 ports, 4 planes: all well" ]]
}

@test "a node without RDMA devices makes one line" {
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/net"
	run --separate-stderr ibscan --sysfs-root "$BATS_TEST_TMPDIR/sys" --node test-node \
		--format table
	status_is 0
	local none='^test-node  [-0-9]+ [:0-9]+Z  no RDMA devices \(class/infiniband: ENOENT\)$'
	[[ $output =~ $none ]]
	[ -z "$stderr" ]
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/infiniband"
	run --separate-stderr ibscan --sysfs-root "$BATS_TEST_TMPDIR/sys" --node test-node \
		--format table
	[[ $output =~ Z\ \ no\ RDMA\ devices$ ]]
}

# --- damaged records ---

@test "a scan that lost a record, or its end, is shown as incomplete" {
	records l40s-onprem
	grep -v '"kind":"port".*mlx5_4' "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/lost"
	run --separate-stderr table "$BATS_TEST_TMPDIR/lost"
	grep -q '5 NICs, 4 ports: no problem, 1 unclear, scan incomplete$' <<<"$output"
	grep -q '^?  mlx5_4 .*its ports were lost$' <<<"$output"
	sed '$d' "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/torn"
	run --separate-stderr table "$BATS_TEST_TMPDIR/torn"
	grep -q '5 NICs, 5 ports: no problem, scan incomplete$' <<<"$output"
}

@test "control characters in records do not reach the terminal" {
	records l40s-onprem
	# Replace every text of a scan by a hostile one.
	for evil in '\u001b]0;owned\u0007\u001b[2J' '\n\n\r\t' '\u009b31m\u202e' '漢字漢字漢字' \
		'\u0000\u007f' "$(printf 'x%.0s' {1..3000})"; do
		jq -c --arg evil "$(jq -rn "\"$evil\"")" \
			'walk(if type == "string" then . else . end)
			| if .kind == "device" then .vendor = $evil | .hca_type = $evil
			| .driver = $evil
			  elif .kind == "port" then .link_layer = $evil | .state = $evil
			| .phys_state = $evil | .rate = $evil
				| .netdev = $evil | .operstate = $evil
				| .counters = {($evil): 7, link_downed: 7}
			  elif .kind == "scan.begin" then .node = ($evil | .[:60])
			  else .unbound = [$evil, 7, null, {}] end' "$BATS_TEST_TMPDIR/records" \
				>"$BATS_TEST_TMPDIR/evil"
		for columns in 80 100 200; do
			COLUMNS=$columns nicview "$BATS_TEST_TMPDIR/evil" >"$BATS_TEST_TMPDIR/table"
			no_longer_than "$columns" "$BATS_TEST_TMPDIR/table"
			grep -q 'mlx5_3 ' "$BATS_TEST_TMPDIR/table"
		done
	done
}

@test "fields of wrong types are left out, not printed" {
	records l40s-onprem
	jq -c 'if .kind == "port" then .rate = 7 | .rate_gbps = "x" | .netdev = [] | .gids = "y"
		elif .kind == "device" then .fw_ver = 7 | .netdevs = null else . end' \
			"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/odd"
	run --separate-stderr table "$BATS_TEST_TMPDIR/odd"
	status_is 0
	grep -q '5 NICs, 5 ports: all well$' <<<"$output"
	none grep -q 'Gb/s\|NETDEV' <<<"$output"
}

@test "long names leave the columns aligned" {
	local long
	long=$(printf 'n%.0s' {1..60})
	records gb200-nvl4
	sed "s/ibP16p3s0/$long/g; s/roceP6p3s0/mlx5_bond_0/g" "$BATS_TEST_TMPDIR/records" \
		>"$BATS_TEST_TMPDIR/long"
	for columns in 80 100 200; do
		table "$BATS_TEST_TMPDIR/long" "$columns" >"$BATS_TEST_TMPDIR/table"
		no_longer_than "$columns" "$BATS_TEST_TMPDIR/table"
		# Every state starts below its header.
		awk 'NR == 2 {at = index($0, "STATE")} NR > 2 && substr($0, at, 6) != "ACTIVE" {bad = 1; print} END {exit bad}' "$BATS_TEST_TMPDIR/table"
	done
}

# --- terminals and files ---

@test "colours are only for terminals, and not with NO_COLOR or on a dumb terminal" {
	records h100-oci-one-port-down
	nicview "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/plain"
	[ "$(escapes "$BATS_TEST_TMPDIR/plain")" -eq 0 ]

	on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	grep -q $'^\033\\[1;31m!! mlx5_12 .*\033\\[0m$' "$BATS_TEST_TMPDIR/out"
	# Without the colours the table is the same.
	diff <(sed $'s/\033\\[[0-9;]*m//g' "$BATS_TEST_TMPDIR/out") "$BATS_TEST_TMPDIR/plain"

	NO_COLOR=1 on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	diff "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/plain"
	TERM=dumb on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	diff "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/plain"
	# An empty NO_COLOR does not count (no-color.org).
	NO_COLOR='' on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	[ "$(escapes "$BATS_TEST_TMPDIR/out")" -gt 0 ]
}

# Thorough: tools
@test "the table is as wide as COLUMNS says, else as the terminal, else 100 columns" {
	records a100-oci
	for columns in 80 100 200; do
		table "$BATS_TEST_TMPDIR/records" "$columns" >"$BATS_TEST_TMPDIR/$columns"
	done
	# An invalid width does not count.
	for columns in '' x 0 39 1001 -80 99999999999999999999; do
		table "$BATS_TEST_TMPDIR/records" "$columns" | diff "$BATS_TEST_TMPDIR/100" -
	done
	export NO_COLOR=1
	for columns in 80 200; do
		COLS=$columns on_terminal "$BATS_TEST_TMPDIR/out" nicview \
			"$BATS_TEST_TMPDIR/records"
		diff <(sed 1d "$BATS_TEST_TMPDIR/out") <(sed 1d "$BATS_TEST_TMPDIR/$columns")
	done
	# The shell in between may set COLUMNS itself.
	COLS=200 on_terminal "$BATS_TEST_TMPDIR/out" env COLUMNS=80 nicview \
		"$BATS_TEST_TMPDIR/records"
	diff <(sed 1d "$BATS_TEST_TMPDIR/out") <(sed 1d "$BATS_TEST_TMPDIR/80")
}

# Thorough: tools
@test "with --interval on a terminal each table replaces the one before" {
	shared_node h100-oci-one-port-down
	NO_COLOR=1 on_terminal "$BATS_TEST_TMPDIR/out" ibscan --sysfs-root "$NODE/sys" \
		--interval 50ms --count 3 --format table
	[ "$(grep -c $'^\\(\033\\[J\\)\\?\033\\[H.*18 NICs' "$BATS_TEST_TMPDIR/out")" -eq 3 ]
	[ "$(grep -c $'^!! mlx5_12 .*\033\\[K$' "$BATS_TEST_TMPDIR/out")" -eq 3 ]
	[ "$(grep -c '^$' "$BATS_TEST_TMPDIR/out")" -eq 0 ]
	# The same for records with roles.
	scan --interval 50ms --count 2 | classify >"$BATS_TEST_TMPDIR/records"
	on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	[ "$(grep -c $'\033\\[H' "$BATS_TEST_TMPDIR/out")" -eq 2 ]
	# A single scan does not change the rest of the screen.
	scan | classify >"$BATS_TEST_TMPDIR/records"
	on_terminal "$BATS_TEST_TMPDIR/out" nicview "$BATS_TEST_TMPDIR/records"
	[ "$(grep -c $'\033\\[[HKJ]' "$BATS_TEST_TMPDIR/out")" -eq 0 ]
}

@test "a redrawn table fits the screen: it has the worst rows and the number of the others" {
	shared_node h100-oci-one-port-down
	export NO_COLOR=1
	ROWS=12 on_terminal "$BATS_TEST_TMPDIR/out" ibscan --sysfs-root "$NODE/sys" \
		--interval 50ms --count 1 --format table
	[ "$(grep -c $'\033\\[K$' "$BATS_TEST_TMPDIR/out")" -eq 11 ]
	grep -q '^!! mlx5_12 ' "$BATS_TEST_TMPDIR/out"
	grep -q $'^   +10 rows, 0 of them marked\033\\[K$' "$BATS_TEST_TMPDIR/out"
	# A table that is not redrawn has all rows.
	ROWS=12 on_terminal "$BATS_TEST_TMPDIR/out" ibscan --sysfs-root "$NODE/sys" --format table
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 20 ]
}

@test "without a way to redraw, each table follows the one before" {
	shared_node l40s-onprem
	run --separate-stderr scan --interval 50ms --count 3 --format table
	status_is 0
	[ "$(grep -c '5 NICs, 5 ports: all well$' <<<"$output")" -eq 3 ]
	[ "$(grep -c '^$' <<<"$output")" -eq 2 ]
	none grep -q $'\033' <<<"$output"
	TERM=dumb on_terminal "$BATS_TEST_TMPDIR/out" ibscan --sysfs-root "$NODE/sys" \
		--interval 50ms --count 2 --format table
	[ "$(escapes "$BATS_TEST_TMPDIR/out")" -eq 0 ]
	[ "$(grep -c '^$' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
}

@test "a table in a file is plain, whatever the terminal" {
	shared_node l40s-onprem
	on_terminal "$BATS_TEST_TMPDIR/out" ibscan --sysfs-root "$NODE/sys" --interval 50ms \
		--count 2 --format table \
		--output "$BATS_TEST_TMPDIR/file"
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/file")" -eq 7 ]
	no_longer_than 100 "$BATS_TEST_TMPDIR/file"
}

@test "the table is the same in every locale" {
	records gb200-nvl4
	for locale in C C.UTF-8 tr_TR.UTF-8 de_DE.UTF-8; do
		LC_ALL=$locale table "$BATS_TEST_TMPDIR/records" >>"$BATS_TEST_TMPDIR/$locale"
		diff "$BATS_TEST_TMPDIR/C" "$BATS_TEST_TMPDIR/$locale"
	done
}

@test "a write error of the table exits 74" {
	records l40s-onprem
	run --separate-stderr bash -c 'nicview "$1" >/dev/full' - "$BATS_TEST_TMPDIR/records"
	status_is 74 'stdout'
}

@test "--output fails instead of replacing what is not a regular file" {
	records l40s-onprem
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for format in table prometheus; do
		run --separate-stderr timeout 20 ibscan --format "$format" \
			--output "$BATS_TEST_TMPDIR/fifo" "$BATS_TEST_TMPDIR/records"
		status_is 74 '^ibscan: error: .*/fifo: File exists$'
		[ -p "$BATS_TEST_TMPDIR/fifo" ]
		run --separate-stderr timeout 20 ibscan --format "$format" \
			--output "$BATS_TEST_TMPDIR/nowhere/table" "$BATS_TEST_TMPDIR/records"
		status_is 74 '^ibscan: error: .*/nowhere/table: No such file or directory$'
	done
	[ ! -e "$BATS_TEST_TMPDIR/fifo.tmp" ]
}

@test "records without a scan make a warning" {
	records l40s-onprem
	for format in table prometheus; do
		run --separate-stderr ibscan --format "$format" \
			- < <(sed 1d "$BATS_TEST_TMPDIR/records")
		status_is 0 '^ibscan: warning: stdin: contains no scan'
		[ -z "$output" ]
		run --separate-stderr ibscan --format "$format" /dev/null
		status_is 0 '^ibscan: warning: /dev/null: contains no scan'
		run --separate-stderr ibscan --format "$format" "$BATS_TEST_TMPDIR/records"
		[ -z "$stderr" ]
	done
}

@test "the table does not call an incomplete scan healthy, even if no row shows a problem" {
	records l40s-onprem
	jq -c 'if .kind == "scan.end" then .complete = false | .unreadable = ["mlx5_9"]
		else . end' "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/other"
	[[ $(table "$BATS_TEST_TMPDIR/records" | head -n 1) == *': all well' ]]
	[[ $(table "$BATS_TEST_TMPDIR/other" | head -n 1) == *': no problem, scan incomplete' ]]
}

@test "the table reports that devices cannot be listed instead of showing none" {
	records l40s-onprem
	jq -c 'select(.kind | startswith("scan.")) | if .kind == "scan.end" then
		. + {devices: 0, ports: 0, complete: false, error: "EACCES"} else . end' \
		"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/other"
	[[ $(table "$BATS_TEST_TMPDIR/other") \
		== *'Z  RDMA devices cannot be listed (class/infiniband: EACCES)' ]]
}

# --- live scans ---

# in_a_scan COMMAND... - run it in the background until it waits for a hanging device of $NODE; sets
# SCANNER, its ibscan
in_a_scan() {
	node h100-oci
	sim hang mlx5_3/1 state
	background "$@" --sysfs-root "$NODE/sys" --node test-node --device-timeout 60s
	wait_until 20 is_reading
	SCANNER=$(pgrep -P "$PID" -x ibscan)
}
# is_reading - return success once ibscan has threads that read devices: a scan has begun, and
# ibscan can be stopped.
is_reading() {
	local tasks
	tasks=("/proc/$(pgrep -P "$PID" -x ibscan)/task/"*)
	[ ${#tasks[@]} -gt 1 ]
}

# has_heard SIGNAL - return success once the program, which catches SIGNAL only once, has received
# it
has_heard() {
	local caught
	caught=$(sed -n 's/^SigCgt:\t*//p' "/proc/$PID/status")
	[ -n "$caught" ] && (((0x$caught >> ($(kill -l "$1") - 1) & 1) == 0))
}

@test "ibscan --format table shows the same as nicview, live and from records, on stdout and in a file" {
	local how name
	shared_node h100-oci-one-port-down
	scan --gids | classify >"$BATS_TEST_TMPDIR/records"
	nicview "$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/table"
	nicview <"$BATS_TEST_TMPDIR/records" | cmp "$BATS_TEST_TMPDIR/table" -
	ibscan --format table "$BATS_TEST_TMPDIR/records" | cmp "$BATS_TEST_TMPDIR/table" -
	ibscan --format table - <"$BATS_TEST_TMPDIR/records" | cmp "$BATS_TEST_TMPDIR/table" -
	for how in 'ibscan --format table' nicview; do
		name=$BATS_TEST_TMPDIR/${how%% *}
		$how --sysfs-root "$NODE/sys" --node test-node --counters link_downed \
			--vf-counters \
			--include mlx5_1 --exclude 'mlx5_1$' --output "$name" \
			--boot-id-file "$NODE/proc/sys/kernel/random/boot_id" </dev/null
		grep -q '8 NICs, 8 ports: ' "$name"
		grep -q '^?  mlx5_12 ' "$name"
		none grep -q 'mlx5_1 \|mlx5_2 ' "$name"
	done
	diff <(at_one_time <"$BATS_TEST_TMPDIR/nicview") <(at_one_time <"$BATS_TEST_TMPDIR/ibscan")
}

@test "without arguments nicview shows this node if stdin is a terminal, else it reads records" {
	NODE_NAME=test-node on_terminal "$BATS_TEST_TMPDIR/out" nicview
	grep -q -E '^.{0,9}test-node  [-0-9]+ [:0-9]+Z  ' "$BATS_TEST_TMPDIR/out"
	run --separate-stderr nicview </dev/null
	status_is 0 '^nicview: warning: stdin: contains no scan'
	[ -z "$output" ]
}

@test "ibscan --format table without FILE shows this node, whatever stdin is" {
	local option
	export NODE_NAME=test-node
	for option in --format=table --gids -v; do
		run --separate-stderr ibscan --format table "$option" </dev/null
		status_is 0
		[[ ${lines[0]} =~ ^test-node\ \ [-0-9]+\ [:0-9]+Z\ \  ]]
		none grep -q 'contains no scan' <<<"$stderr"
	done
}

@test "options about scanning are rejected with records" {
	local option refused
	for option in '--interval 1s' --vf-counters '--metrics-fd 3'; do
		refused="${option%% *} cannot be combined with records from -"
		# shellcheck disable=SC2086 # an option and its value
		run --separate-stderr nicview $option -
		status_is 64 "^nicview: error: $refused \(try 'nicview --help'\)$"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		# shellcheck disable=SC2086
		run --separate-stderr ibscan --format table $option -
		status_is 64 "^ibscan: error: $refused \(try 'ibscan --help'\)$"
	done
	run --separate-stderr nicview a b
	status_is 64 "^nicview: error: unexpected operand 'b'"
	run --separate-stderr nicview --output ''
	status_is 64 "^nicview: error: --output '': not the name of a file"
}

# Thorough: tools
@test "when ibscan fails, nicview shows its message and exits with its code" {
	local how sys=$BATS_TEST_TMPDIR/sys config=$BATS_TEST_TMPDIR/config.yaml
	mkdir -p "$sys/class"
	echo 'counters: 7' >"$config"
	for how in nicview 'ibscan --format table'; do
		read -r -a how <<<"$how"
		run --separate-stderr "${how[@]}" --interval soon
		status_is 64 "^ibscan: error: --interval 'soon': not a duration .*\(try 'ibscan --help'\)$"
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		run --separate-stderr "${how[@]}" --sysfs-root "$BATS_TEST_TMPDIR/nowhere"
		status_is 66 '^ibscan: error: .*/nowhere: No such file or directory$'
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		run --separate-stderr "${how[@]}" --config "$config" --sysfs-root "$sys"
		status_is 78 '^ibscan: error: .*config.yaml:1:'
		[ -z "$output" ]
		run --separate-stderr "${how[@]}" --sysfs-root "$sys" --boot-id-file "$sys/nowhere"
		status_is 0 '^ibscan: warning: .*/nowhere: .*: records will have no boot id$'
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "a missing ibscan or nicview exits 71 with one line" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cp "$NHM_BIN/nicview" "$NHM_BIN/ibscan" "$BATS_TEST_TMPDIR/bin"
	rm "$BATS_TEST_TMPDIR/bin/ibscan"
	run --separate-stderr "$BATS_TEST_TMPDIR/bin/nicview" --count 1
	status_is 71 '^nicview: error: .*/bin/ibscan: No such file or directory$'
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	mv "$BATS_TEST_TMPDIR/bin/nicview" "$BATS_TEST_TMPDIR/nicview"
	cp "$NHM_BIN/ibscan" "$BATS_TEST_TMPDIR/bin"
	run --separate-stderr "$BATS_TEST_TMPDIR/bin/ibscan" --format table -
	status_is 71 '^ibscan: error: .*/bin/nicview: No such file or directory$'
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# Thorough: tools
@test "on SIGTERM and SIGINT nicview waits for the scan in progress and shows it" {
	local how signal
	for how in 'nicview TERM' 'nicview INT' 'ibscan --format table TERM'; do
		signal=${how##* }
		# shellcheck disable=SC2086 # a command with its options
		in_a_scan ${how% *} --interval 1h
		kill -s "$signal" "$PID"
		wait_until 20 has_heard "$signal"
		sim mend mlx5_3/1 state
		ends_with 0 "$PID"
		head -n 1 "$BATS_TEST_TMPDIR/out" |
			grep -q '^test-node .*  18 NICs, 18 ports: no problem, 1 unclear$'
		[ ! -s "$BATS_TEST_TMPDIR/err" ]
		rm -rf "$NODE"
	done
}

@test "on SIGTERM between two scans nicview ends at once" {
	shared_node l40s-onprem
	background nicview --sysfs-root "$NODE/sys" --interval 1h
	wait_until 20 has_lines 7 "$BATS_TEST_TMPDIR/out"
	kill -TERM "$PID"
	ends_with 0 "$PID"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 7 ]
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

# Thorough: tools
@test "a second SIGTERM, SIGKILL or a missing reader ends nicview and its ibscan" {
	local signal
	for signal in TERM KILL; do
		in_a_scan nicview
		kill -s "$signal" "$PID"
		if [ "$signal" = TERM ]; then
			wait_until 20 has_heard TERM
			is_running "$SCANNER"
			kill -TERM "$PID"
		fi
		ends_with $((128 + $(kill -l "$signal"))) "$PID"
		wait_until 20 is_gone "$SCANNER"
		[ ! -s "$BATS_TEST_TMPDIR/out" ]
		rm -rf "$NODE"
	done
	node l40s-onprem
	# shellcheck disable=SC2016 # for the inner shell
	run timeout 60 bash -c 'nicview --sysfs-root "$1/sys" --interval 10ms | head -n 1 >/dev/null
		exit "${PIPESTATUS[0]}"' _ "$NODE"
	status_is 141
	wait_until 20 none_of_ours
}

@test "an ibscan that dies makes nicview exit 71 without a partial table" {
	in_a_scan nicview --output "$BATS_TEST_TMPDIR/table"
	kill -KILL "$SCANNER"
	ends_with 71 "$PID"
	[ "$(cat "$BATS_TEST_TMPDIR/err")" = "nicview: error: ibscan: killed by SIGKILL" ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	[ ! -e "$BATS_TEST_TMPDIR/table" ]
}

@test "a write error of the table also ends a watch" {
	shared_node l40s-onprem
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr timeout 60 \
		bash -c 'exec nicview --sysfs-root "$1/sys" --interval 1h >/dev/full' _ "$NODE"
	status_is 74 '^nicview: error: stdout: No space left on device$'
	run --separate-stderr timeout 60 nicview --sysfs-root "$NODE/sys" --interval 1h \
		--output "$BATS_TEST_TMPDIR/nowhere/table"
	status_is 74 '^nicview: error: .*/nowhere/table: No such file or directory$'
}
