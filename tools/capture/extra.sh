# --- extra.sh: what programs say of the node: GPU topology, GPUs, kernel log, configuration ---
# SPDX-License-Identifier: Apache-2.0

# Programs of the GPU driver hang when it does.
SMI_PATIENCE=30

# reason_given - what a program that failed has said.
reason_given() { head -c 300 "$tmp/why" | tr '[:cntrl:]' ' '; }

# said_by FILE NAME ARGUMENT... - what that program of ours says.
said_by() {
	file=$1 name=$2
	shift 2
	if ! beside "$name"; then
		note missing "$file: $name: not found"
	elif ! "$program" "$@" >"$tmp/$file" 2>"$tmp/why" </dev/null; then
		note missing "$file: $(reason_given)"
	fi
}

# find_config - sets `config` to the node's file; without one it is an empty one, and that is false.
find_config() {
	for config in "$base/etc/nic-health-monitor/config.yaml" \
		"$base/etc/nic-health-monitor/config.toml"; do
		[ ! -e "$config" ] || return 0
	done
	config=/dev/null
	return 1
}

# read_config - the configuration in force: of that file, with all that it does not say.
read_config() { said_by config.yaml ctreval --check-config --config "$config"; }

# from_smi FILE ARGUMENT... - what nvidia-smi says. That it fails is worth recording too.
from_smi() {
	file=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell; see read.sh
	timeout -k 1 "$SMI_PATIENCE" sh -c 'nvidia-smi "$@"; exit $?' sh "$@" \
		</dev/null >"$tmp/$file" 2>"$tmp/why"
	status=$?
	case $status in
	0) return ;;
	124 | 137) note hung "nvidia-smi $*" ;;
	*) note missing "$file: nvidia-smi ended with status $status: $(reason_given)" ;;
	esac
	return 1
}

# kernel_log - all of it, on stdout. The log of a node below another root is the file that it has,
# not that of this machine.
kernel_log() {
	if [ -n "$base" ] && ! [ -e dev/kmsg ]; then
		note missing "kmsg.txt: no dev/kmsg"
	elif [ -f dev/kmsg ]; then
		cat dev/kmsg
	elif ! command -v dmesg >/dev/null; then
		note missing "kmsg.txt: dmesg: not found"
	elif ! { dmesg --raw 2>"$tmp/why" || dmesg 2>"$tmp/why"; }; then
		note missing "kmsg.txt: $(reason_given)"
	fi
}

read_extra() {
	: >"$tmp/topo.txt"
	: >"$tmp/gpus.csv"
	if command -v nvidia-smi >/dev/null; then
		from_smi topo.txt topo -m
		# Serial numbers are not asked for.
		if ! grep -q '^hung.nvidia-smi' "$tmp/notes"; then
			from_smi gpus.csv --query-gpu=index,uuid,pci.bus_id --format=csv
		fi
	else
		note missing "topo.txt, gpus.csv: nvidia-smi: not found"
	fi
	# Lines about the driver, or about one of the recorded functions (pcieport has something to
	# say about them).
	kernel_log | awk -v "functions=$tmp/functions" '
		BEGIN {
			h2 = "[0-9a-f][0-9a-f]"
			is_function = "^[0-9a-f]+:" h2 ":" h2 "\\.[0-7]$"
			while ((getline function_path < functions) > 0) {
				sub(/.*\//, "", function_path)
				if (function_path ~ is_function)
					address[function_path]
			}
		}
		!/^ / {
			keep = /mlx5/
			if (!keep)
				for (a in address)
					if (index($0, a))
						keep = 1
		}
		keep' >"$tmp/kmsg.txt"
	[ -s "$tmp/kmsg.txt" ] || grep -q '^missing.kmsg' "$tmp/notes" ||
		note missing "kmsg.txt: no line in the kernel log is about a NIC"
}
