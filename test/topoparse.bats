#!/usr/bin/env bats
# topoparse: GPU metadata from the output of nvidia-smi topo -m, and invalid input.
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2153 # NODE is what node() has laid out
load lib/common
load lib/platforms

setup() {
	# Use the smallest matrix that has everything.
	HEADER=$'\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID'
	GPU0=$'GPU0\t X \tNV4\tPIX\tSYS\t0-31\t0\t\tN/A'
	GPU1=$'GPU1\tNV4\t X \tSYS\tNODE\t32-63\t1\t\tN/A'
	NIC0=$'NIC0\tPIX\tSYS\t X \tSYS\t\t\t\t'
	NIC1=$'NIC1\tSYS\tNODE\tSYS\t X \t\t\t\t'
	LEGEND=$'\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n  NV#  = Connection traversing # NVLinks\n'
	NAMES=$'NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n'
	WHOLE='{"gpus":[{"gpu_id":0,"numa_node":0},{"gpu_id":1,"numa_node":1}],"nic_topology":{"mlx5_0":["PIX","SYS"],"mlx5_1":["SYS","NODE"]}}'
	export HEADER GPU0 GPU1 NIC0 NIC1 LEGEND NAMES
}

# lines TEXT... - print each with a newline
lines() { printf '%s\n' "$@"; }
whole() { lines "$HEADER" "$GPU0" "$GPU1" "$NIC0" "$NIC1" "$LEGEND" "$NAMES"; }

# parse [OPTION...] - run topoparse on stdin with a time limit; sets $output, $stderr and $status,
# so it cannot be part of a pipe
parse() {
	cat >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr timeout 20 topoparse "$@" "$BATS_TEST_TMPDIR/in"
}

# gives JSON - check that stdin parses to that document, without a message
gives() {
	parse
	status_is 0
	[ -z "$stderr" ] || { echo "stderr: $stderr" >&2 && return 1; }
	diff <(jq -S . <<<"$output") <(jq -S . <<<"$1")
}

# refused LINE REASON - check that stdin exits 65 with one line on stderr about that line (0: the
# whole) and nothing on stdout
refused() {
	local where="line $1: "
	[ "$1" != 0 ] || where=
	parse
	status_is 65 "^topoparse: error: $BATS_TEST_TMPDIR/in: $where.*$2"
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# --- recorded matrices ---

# meaning - print the content of the document on stdin, and the order of its columns
meaning() { command jq -S -c '[{gpus, nic_topology}, (.nic_topology | keys_unsorted)]'; }

# expected FILE ACTUAL - check the result against the description beside a recorded matrix; see
# fixtures/README.md
expected() {
	local json=$1 parsed=$2
	if jq -e 'has("error")' "$json" >/dev/null; then
		[ "$status" -eq 65 ] && [ ! -s "$parsed" ]
	elif [ "$status" -eq 65 ]; then
		[ ! -s "$parsed" ] &&
			jq -e '.single_gpu == true or ((.accept // []) | index("error") != null)' \
			"$json" >/dev/null
	else
		[ "$status" -eq 0 ] && diff <(meaning <"$json") <(meaning <"$parsed")
	fi
}

@test "every recorded matrix has its expected result, by name, on stdin and as -" {
	need_fixtures
	local json text how again count=0 T=$BATS_TEST_TMPDIR
	for json in "$FIXTURES"/topo/*.json; do
		text=${json%.json}.txt
		status=0
		timeout 20 topoparse "$text" >"$T/out" 2>"$T/err" || status=$?
		expected "$json" "$T/out" || {
			echo "$text: exit code $status" >&2
			cat "$T/err" >&2
			return 1
		}
		[ "$status" -eq 0 ] || [ "$(wc -l <"$T/err")" -eq 1 ]
		# Stdin gives the same result, except for the file's name in an error.
		for how in '' -; do
			again=0
			timeout 20 topoparse $how <"$text" >"$T/again" 2>"$T/again.err" || again=$?
			[ "$again" -eq "$status" ]
			cmp "$T/out" "$T/again"
			diff <(sed "s|$text|stdin|" "$T/err") "$T/again.err"
		done
		count=$((count + 1))
	done
	[ "$count" -ge 18 ]
}

# Thorough: tools
@test "a recorded matrix cut off anywhere is rejected, or parses to the same except for lost names" {
	need_fixtures
	local whole n T=$BATS_TEST_TMPDIR json=$FIXTURES/topo/power9-v100-numa8.json
	jq -e 'has("error") | not' "$json"
	IFS= read -r -d '' whole <"${json%.json}.txt" || true
	for ((n = 0; n < ${#whole}; n += 7)); do
		printf %s "${whole:0:n}" >"$T/in"
		status=0
		topoparse <"$T/in" >"$T/out" 2>"$T/err" || status=$?
		case $status in
		0) cat "$T/out" >>"$T/parsed" ;;
		65) [ ! -s "$T/out" ] ;;
		*) status_is 65 ;;
		esac
	done
	# There is only one line, since all of them are equal.
	diff <(meaning <"$json") <(meaning <"$T/parsed" | uniq)
}

# --- good texts ---

@test "a matrix becomes one JSON document with GPUs by number and NICs in the order of their columns" {
	lines $'\tGPU2\tmlx5_10\tGPU0\tmlx5_2\tCPU Affinity\tNUMA Affinity' \
		$'GPU2\t X \tPIX\tSYS\tSYS\t0-3\t1' \
		$'GPU0\tSYS\tNODE\t X \tPXB\t0-3\t0' >"$BATS_TEST_TMPDIR/m"
	run --separate-stderr topoparse "$BATS_TEST_TMPDIR/m"
	status_is 0
	[ -z "$stderr" ]
	[ "$output" = '{
  "gpus": [
    {"gpu_id": 0, "numa_node": 0},
    {"gpu_id": 2, "numa_node": 1}
  ],
  "nic_topology": {
    "mlx5_10": ["NODE", "PIX"],
    "mlx5_2": ["PXB", "SYS"]
  }
}' ]
}

# Thorough: tools
@test "a matrix parses with tabs expanded, with CRLF, with colours and behind other output" {
	whole | gives "$WHOLE"
	whole | expand | gives "$WHOLE"
	whole | sed 's/$/\r/' | gives "$WHOLE"
	whole | sed $'1s/.*/\t\e[4m&\e[0m\e[K/; 2s/PIX/\e[1;32mPIX\e[m/' | gives "$WHOLE"
	{ printf '\xef\xbb\xbf$ nvidia-smi topo -m\n\e]0;title\aWARNING: infoROM is corrupted\n\n' && whole && echo '$ exit'; } | gives "$WHOLE"
}

# Thorough: tools
@test "cells without a blank between them are split if only one reading is possible" {
	whole | sed -E 's/PIX\tSYS/PIXSYS/; s/^GPU1\tNV4\t X \tSYS/GPU1NV4 XSYS/; s/^(NIC1\tSYS)\tNODE\tSYS/\1NODESYS/' | gives "$WHOLE"
	whole | sed $'s/SYS\t0-31/SYS0-31/' | gives "$WHOLE"
	lines "GPU0 GPU1 NIC0 NIC1 NUMA Affinity" "GPU0 X NV4 NODENODE 0" "GPU1 NV4X PIXPIX 0" \
		"$NAMES" |
		gives '{"gpus":[{"gpu_id":0,"numa_node":0},{"gpu_id":1,"numa_node":0}],"nic_topology":{"mlx5_0":["NODE","PIX"],"mlx5_1":["NODE","PIX"]}}'
	whole | sed 's/NV4/NV12NV12/' | refused 2 'more than 4 cells'
	whole | sed '2s/NV4/NV1212/' | refused 2 "'NV1212' in the row of GPU0"
	whole | sed $'2s/NV4\tPIX/NV4PI/' | refused 2 "'PI' in the row of GPU0"
}

# Thorough: tools
@test "a header may be wrapped, or without blanks, or both" {
	lines GPU0 $'GPU1\tNIC0' $'\tNIC1 CPU' "Affinity NUMA Affinity GPU NUMA" ID "$GPU0" \
		"$GPU1" "$NAMES" | gives "$WHOLE"
	lines "GPU0GPU1NIC0NIC1CPU AffinityNUMA AffinityGPU NUMA ID" "$GPU0" "$GPU1" "$NAMES" |
		gives "$WHOLE"
	lines "GPU0GPU1mlx5_0mlx5_1CPU" "AffinityNUMA AffinityGPU NUMA ID" "$GPU0" "$GPU1" \
		"${NIC0/NIC/mlx5_}" "${NIC1/NIC/mlx5_}" | gives "$WHOLE"
	lines "GPU0GPU1mlx5_0mlx5_1CPU AffinityNUMA AffinityGPU NUMA ID" "$GPU0" "$GPU1" | refused \
		1 "mlx5_0mlx5_1' in the header is not"
	lines "GPU0 GPU1 NIC0 eth1 CPU Affinity" "$GPU0" "$GPU1" | refused 1 \
		"'eth1' in the header is not"
}

# Thorough: tools
@test "rows may be in any order, repeated if equal, and missing if other rows imply them" {
	lines "$HEADER" "$NIC1" "$GPU1" "$GPU0" "$NIC0" "$NAMES" | gives "$WHOLE"
	lines "$HEADER" "$GPU0" "$GPU0" "$GPU1" "$HEADER" "$GPU1" "$NIC0" "$NAMES" | gives "$WHOLE"
	lines "$HEADER" "$GPU0" "$GPU1" "$NAMES" | gives "$WHOLE"
	lines "$HEADER" "$GPU0" "$NIC0" "$NIC1" "$NAMES" | refused 1 "GPU1 has a column but no row"
	lines "$HEADER" "$GPU0" "$GPU1" "$NIC0" "${GPU1/NODE/PIX}" | refused 5 \
		"a second row of GPU1, other than the one in line 3"
	lines "$HEADER" "$GPU0" "${GPU1/NV4/NV2}" | refused 3 \
		"GPU0 and GPU1 are NV2 to each other here, and NV4 in line 2"
	lines "$HEADER" "$GPU0" "$GPU1" "${NIC1/NODE/PIX}" | refused 4 \
		"GPU1 and NIC1 are PIX to each other here, and NODE in line 3"
}

# Thorough: tools
@test "the NUMA node is the first integer of its column, and -1 without one" {
	local node affinity
	while read -r node affinity; do
		whole | sed -E "2s/0-31\t0\t\tN\/A$/$affinity/" >"$BATS_TEST_TMPDIR/m"
		run --separate-stderr topoparse "$BATS_TEST_TMPDIR/m"
		status_is 0
		jq -e --argjson n "$node" '.gpus[0].numa_node == $n' <<<"$output"
	done <<-'END'
		0 0-71\t0,2-17\t\t2
		1 72-143\t1,19-25\t\t10
		8 0-63\t8\t\tN\/A
		3 \t3\t\tN\/A
		-1 \t\t\t\tN\/A
		-1 0-7\tN\/A\t\tN\/A
		-1 0-7\t\tN\/A\t\tN\/A
		5 0-7 5 N\/A
	END
	whole | sed $'s/\t[^\t]*\t\tN.A$//; s/\tNUMA.*//' >"$BATS_TEST_TMPDIR/m"
	run --separate-stderr topoparse "$BATS_TEST_TMPDIR/m"
	status_is 0 '^topoparse: warning: no GPU has a known NUMA node: topoclass will reject this$'
	jq -e '[.gpus[].numa_node] == [-1, -1]' <<<"$output"
}

# Thorough: tools
@test "a NUMA node with an ambiguous column exits 65" {
	whole | expand | sed -E '2s/  0(  +N.A)/   \1/' | refused 2 \
		'the NUMA affinity in it is ambiguous'
	whole | sed -E $'2s/0-31\t0/0-310/' | refused 2 \
		'the NUMA affinity in it is ambiguous'
	whole | sed -E $'2s/0-31\t0/0-31\t0\t1/' | refused 2 'is not an affinity for 3 more columns'
	whole | sed -E $'2s/0-31\t0/0-31\tx/' | refused 2 'is not an affinity for 3 more columns'
	whole | sed -E $'2s/\t0-31.*//' | refused 2 \
		'nothing follows the cells, unlike in line 3'
	printf '%s\n%s' "GPU0 GPU1 NUMA Affinity" "GPU0 X SYS 0
GPU1 SYS X 1" | refused 3 'the text ends in the NUMA affinity of GPU1'
}

@test "a matrix may have a single GPU" {
	lines $'\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID' \
		$'GPU0\t X \tPHB\t0-15\t0\t\tN/A' $'NIC0\tPHB\t X ' "" "NIC Legend:" \
		"  NIC0: mlx5_0" |
		gives '{"gpus":[{"gpu_id":0,"numa_node":0}],"nic_topology":{"mlx5_0":["PHB"]}}'
	parse < <(lines $'\tGPU0\tCPU Affinity\tNUMA Affinity' $'GPU0\t X \t0-15\t0')
	status_is 0 '^topoparse: warning: no NIC columns'
	[ "$(jq -c .nic_topology <<<"$output")" = '{}' ]
}

@test "a NIC that the legend does not name keeps its label, with a warning" {
	parse < <(lines "$HEADER" "$GPU0" "$GPU1" "${NAMES/$'  NIC1: mlx5_1\n'/}")
	status_is 0 '^topoparse: warning: the NIC Legend does not say which device NIC1 is \(1 of 2 NICs like this\)$'
	[ "$(jq -c '.nic_topology | keys' <<<"$output")" = '["NIC1","mlx5_0"]' ]
	parse < <(lines "$HEADER" "$GPU0" "$GPU1" $'\nLegend:\n\n  X    = Self\n  SY')
	status_is 0 'which device NIC0 is \(2 of 2 NICs like this\)$'
	[ "$(jq -c '.nic_topology | keys' <<<"$output")" = '["NIC0","NIC1"]' ]
}

# Thorough: tools
@test "a contradictory legend exits 65" {
	{ whole && echo 'NIC0: mlx5_7'; } | refused 18 'NIC0 is mlx5_7 here, and mlx5_0 in line 15'
	whole | sed 's/NIC1: mlx5_1/NIC1: mlx5_0/' | refused 16 'two columns for mlx5_0'
	{ whole && echo 'NIC2: mlx5_2'; } | refused 18 \
		'the NIC Legend has NIC2, which has no column'
	whole | sed 's/NIC1: mlx5_1/NIC1: mlx5_1 up/' | \
		refused 16 "'mlx5_1 up' is not a device name"
	whole | sed 's/NIC1: mlx5_1/NIC1: ..\/mlx5_1/' | refused 16 "is not a device name"
	whole | head -c -6 | refused 16 "is not a device name for NIC1|may have been cut off"
}

# --- no matrix ---

# Thorough: tools
@test "a text that is no matrix exits 65 with one line" {
	refused 0 'no GPU column' </dev/null
	lines "No devices were found" | refused 1 "the command failed: 'No devices were found'"
	lines "GPU0 GPU1 CPU Affinity" "Failed to run topology matrix" | refused 2 \
		"the command failed: 'Failed to run topology matrix'"
	lines "$HEADER" "" "$LEGEND" | refused 1 'a header without rows'
	lines "$GPU0" "$GPU1" | refused 1 'a row of GPU0 before any header'
	lines "=== ROCm System Management Interface ===" "=== Weight between two GPUs ===" \
		"       GPU0         GPU1         " \
		"GPU0   0            52           " "GPU1   52           0            " | refused \
		4 "'0' in the row of GPU0.*no matrix of nvidia-smi topo -m"
	head -c 100000 /dev/urandom | tr -d 'G' | refused 0 'no GPU column'
}

# Thorough: tools
@test "rows with lost, extra or shifted cells exit 65" {
	whole | sed '2s/PIX\t//' | refused 2 "'0-31' in the row of GPU0, where 1 more"
	whole | sed '2s/PIX/PIX\tPIX/' | refused 2 'more than 4 cells in the row of GPU0'
	whole | sed '2s/ X \tNV4/NV4\t X /' | refused 2 \
		'no X in the row of GPU0 in the column of GPU0'
	whole | sed '2s/PIX/ X /' | refused 2 'the X in the row of GPU0 is in the column of NIC0'
	whole | sed '2s/PIX/NV4/' | refused 2 'NVLinks between GPU0 and NIC0'
	whole | sed '2s/PIX/SOC/' | refused 2 "'SOC' in the row of GPU0"
	whole | sed '4s/\tSYS\t\t*$//' | refused 4 '3 cells in the row of NIC0, 4 columns'
	whole | sed 's/^NIC1/NIC2/' | refused 5 "a row of 'NIC2', which has no column"
	whole | sed 's/^NIC1\t/\t/' | refused 5 "cells without a label|a row of 'SYS'"
	whole | sed '1s/NIC1/NIC0/' | refused 1 "two columns are called 'NIC0'"
	whole | sed '1s/\tNIC1//' | refused 2 'more than 3 cells in the row of GPU0'
	whole | cut -c 1-22 | refused 1 "in the header|the header breaks off"
}

@test "control characters in the text do not reach the terminal" {
	parse < <(whole | LC_ALL=C sed $'2s/PIX/\e[3;1HPI\x07X\xff/')
	status_is 65 "line 2: '.x1b\[3;1HPI.x07X.xff' in the row of GPU0"
	none grep -q -a -P '[\x00-\x08\x0b-\x1f\x7f-\xff]' <<<"$stderr"
	whole | sed '2s/PIX/\x00\x01/' | refused 2 'in the row of GPU0'
}

# Thorough: tools
@test "a text beyond the limits exits 65 quickly" {
	yes 'SYS SYS SYS SYS SYS SYS SYS' | head -c 9000000 >"$BATS_TEST_TMPDIR/big"
	run --separate-stderr timeout 20 topoparse "$BATS_TEST_TMPDIR/big"
	status_is 65 'big: more than 8 MiB$'
	head -c 8000000 "$BATS_TEST_TMPDIR/big" | refused 0 'more than 65536 lines'
	{ echo 'GPU0 X' && head -c 70000 /dev/zero | tr '\0' x; } | sed 1d | refused 1 \
		'a line of more than 65536 bytes'
	seq -f GPU%g -s ' ' 0 1024 | refused 1 'more than 1024 columns'
	# This word could be split into labels in very many ways.
	{ head -c 8000 /dev/zero | tr '\0' a | sed 's/^/GPU0/' && echo ' Affinity' &&
		for i in $(seq 60); do head -c "$i" /dev/zero | tr '\0' a && echo ' X'; done; } |
		refused 1 'more than one way'
}

# --- the GPUs' query ---

uuid() { printf 'GPU-00000000-0000-4000-8000-%012d' "$1"; }

@test "--gpus adds UUIDs, serial numbers and PCI addresses, whatever columns the query has" {
	local csv=$BATS_TEST_TMPDIR/gpus.csv
	local expected='[[0,"GPU-00000000-0000-4000-8000-000000000000","0000:0f:00.0","1650000000001",0]'
	expected+=',[1,"GPU-00000000-0000-4000-8000-000000000001","10001:c1:00.0",null,1]]'
	gpus() { jq -c '[.gpus[] | [.gpu_id, .uuid, .pci_address, .serial_number, .numa_node]]' \
		<<<"$output"; }

	lines "index, uuid, serial, pci.bus_id" "0, $(uuid 0), 1650000000001, 00000000:0F:00.0" \
		"1, $(uuid 1), [N/A], 00010001:C1:00.0" >"$csv"
	parse --gpus "$csv" < <(whole)
	status_is 0
	[ -z "$stderr" ]
	[ "$(gpus)" = "$expected" ]
	# The same without a header.
	sed -i 1d "$csv"
	parse --gpus="$csv" < <(whole)
	[ "$(gpus)" = "$expected" ]
	# The same with other columns in another order.
	lines "name, pci.bus_id, gpu_serial, index, uuid" \
		"H100, 00010001:C1:00.0, [Not Supported], 1, $(uuid 1)" \
		"H100, 00000000:0F:00.0, 1650000000001, 0, $(uuid 0)" | sed 's/$/\r/' >"$csv"
	parse --gpus "$csv" < <(whole)
	[ "$(gpus)" = "$expected" ]
	# The same through a pipe.
	run --separate-stderr bash -c 'topoparse --gpus <(cat "$1") "$2"' _ "$csv" \
		"$BATS_TEST_TMPDIR/in"
	status_is 0
	[ "$(gpus)" = "$expected" ]
}

# Thorough: tools
@test "a --gpus file that does not match the matrix exits 65 with its name and line" {
	local csv=$BATS_TEST_TMPDIR/gpus.csv
	not() {
		cat >"$csv"
		whole >"$BATS_TEST_TMPDIR/in"
		run --separate-stderr timeout 20 topoparse --gpus "$csv" "$BATS_TEST_TMPDIR/in"
		status_is 65 "^topoparse: error: $csv: $1"
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	}
	lines index 0 | not 'GPU1 is in the matrix, but not here'
	lines index 0 1 2 | not 'line 4: GPU2 is not in the matrix'
	lines index 0 1 0 | not 'line 4: GPU0 was in line 2 already'
	lines "index, uuid" "0, $(uuid 0)" "1, $(uuid 0)" |
		not 'line 3: GPU1 and GPU0 \(line 2\) have the same UUID'
	lines "index, uuid" "0, GPU-123" "1, $(uuid 0)" | not "line 2: 'GPU-123' is not a UUID"
	lines "index, pci.bus_id" "0, 0F:00.0" | not "line 2: '0F:00.0' is not a PCI address"
	lines "index, uuid" "0, $(uuid 0), more" | not 'line 2: 3 values, 2 columns'
	lines "uuid, serial" "$(uuid 0), 7" | not "line 1: no column 'index'"
	lines "No devices were found" | not "line 1: no column 'index'"
	lines $'index\x1b[3;1H' "0" | not "line 1: no column 'index'"
	not 'GPU0 is in the matrix, but not here' </dev/null
}

# --- the devices that exist ---

@test "--sysfs-root warns of each missing device and changes nothing else" {
	local root=$BATS_TEST_TMPDIR/sys
	mkdir -p "$root/class/infiniband/mlx5_0" "$root/class/infiniband/mlx5_1"
	parse --sysfs-root "$root" < <(whole)
	status_is 0
	[ -z "$stderr" ]
	rmdir "$root/class/infiniband/mlx5_0" "$root/class/infiniband/mlx5_1"
	mkdir "$root/class/infiniband/mlx5_10"
	parse --sysfs-root "$root" < <(whole)
	status_is 0
	[ "$stderr" = "$(printf '%s\n' \
		"topoparse: warning: mlx5_0 is in the matrix, but not in $root/class/infiniband" \
		"topoparse: warning: mlx5_1 is in the matrix, but not in $root/class/infiniband")" ]
	diff <(jq -S . <<<"$output") <(jq -S . <<<"$WHOLE")
}

@test "--sysfs-root without a device list is a warning, and a missing root exits 66" {
	mkdir "$BATS_TEST_TMPDIR/sys"
	parse --sysfs-root "$BATS_TEST_TMPDIR/sys" < <(whole)
	status_is 0 '^topoparse: warning: .*/sys/class/infiniband cannot be listed, device names are not checked: No such file or directory$'
	diff <(jq -S . <<<"$output") <(jq -S . <<<"$WHOLE")
	parse --sysfs-root "$BATS_TEST_TMPDIR/nope" < <(whole)
	status_is 66 '^topoparse: error: .*/nope: No such file or directory$'
	[ -z "$output" ]
}

@test "warnings about missing devices are limited in number" {
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/infiniband"
	parse --sysfs-root "$BATS_TEST_TMPDIR/sys" < <({ printf 'GPU0 ' && seq -f mlx5_%g -s ' ' 0 \
		99 | tr '\n' ' ' && echo 'NUMA Affinity' && printf 'GPU0 X ' && yes SYS | head \
		-100 | xargs | tr '\n' ' ' && echo 0; })
	status_is 0 '^topoparse: warning: and 68 more that are not in '
	[ "$(wc -l <<<"$stderr")" -eq 33 ]
}

# --- with topoclass ---

# Thorough: tools
@test "topoclass gives every NIC the same role with topoparse's metadata as with the collector's" {
	local platform count=0 allowed
	for platform in "$PLATFORMS"/*.json; do
		platform=$(basename "$platform" .json)
		node "$platform" "$platform"
		scan >"$BATS_TEST_TMPDIR/scan"
		matrix "$platform" | timeout 20 topoparse --sysfs-root "$NODE/sys" \
			>"$BATS_TEST_TMPDIR/metadata.json" 2>"$BATS_TEST_TMPDIR/err"
		allowed='is in the matrix, but not in'
		[ "$(jq '.nic_topology | length' "$PLATFORMS/$platform.json")" -gt 0 ] ||
			allowed='no NIC columns: topoclass will find no NIC near a GPU$'
		none grep -v "$allowed" "$BATS_TEST_TMPDIR/err"
		classify <"$BATS_TEST_TMPDIR/scan" >"$BATS_TEST_TMPDIR/with-collector"
		classify --metadata "$BATS_TEST_TMPDIR/metadata.json" <"$BATS_TEST_TMPDIR/scan" \
			>"$BATS_TEST_TMPDIR/with-topoparse"
		cmp "$BATS_TEST_TMPDIR/with-collector" "$BATS_TEST_TMPDIR/with-topoparse"
		diff <(jq -r '.expected.classification | to_entries[]
			| "\(.key) \(.value.role) \(.value.why)"' \
			"$PLATFORMS/$platform.json" | sort) \
			<(jq -r 'select(.kind == "device" and .role)
				| "\(.device) \(.role) \(.reason)"' \
				"$BATS_TEST_TMPDIR/with-topoparse" | sort)
		rm -rf "$NODE"
		count=$((count + 1))
	done
	[ "$count" -eq 10 ]
}

@test "topoclass accepts the recorded matrix of a platform's machine" {
	need_fixtures
	node a100-oci
	topoparse --sysfs-root "$NODE/sys" "$FIXTURES/topo/a100-oci-8gpu-18nic.txt" \
		>"$BATS_TEST_TMPDIR/metadata.json"
	scan | classify --metadata "$BATS_TEST_TMPDIR/metadata.json" >"$BATS_TEST_TMPDIR/roles"
	diff <(jq -r '.expected.classification | to_entries[]
		| "\(.key) \(.value.role) \(.value.why)"' "$PLATFORMS/a100-oci.json" | sort) \
		<(jq -r 'select(.kind == "device" and .role) | "\(.device) \(.role) \(.reason)"' \
		"$BATS_TEST_TMPDIR/roles" | sort)
}

# --- files and exit codes ---

@test "a missing file exits 66, an unreadable one 74, and a second one 64" {
	whole >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr topoparse "$BATS_TEST_TMPDIR/nope"
	status_is 66 '^topoparse: error: .*/nope: No such file or directory$'
	run --separate-stderr topoparse --gpus "$BATS_TEST_TMPDIR/nope" "$BATS_TEST_TMPDIR/in"
	status_is 66 '^topoparse: error: .*/nope: No such file or directory$'
	[ -z "$output" ]
	run --separate-stderr topoparse "$BATS_TEST_TMPDIR"
	status_is 74 ': Is a directory$'
	run --separate-stderr bash -c 'topoparse <&-'
	status_is 74 '^topoparse: error: stdin: Bad file descriptor$'
	run --separate-stderr topoparse "$BATS_TEST_TMPDIR/in" second
	status_is 64 "'second'"
}

@test "a write error exits 74" {
	whole >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr bash -c 'topoparse "$1" >/dev/full' _ "$BATS_TEST_TMPDIR/in"
	status_is 74 '^topoparse: error: stdout: No space left on device$'
	run --separate-stderr bash -c 'topoparse "$1" >&-' _ "$BATS_TEST_TMPDIR/in"
	status_is 74 '^topoparse: error: stdout: Bad file descriptor$'
}
