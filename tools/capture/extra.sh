# --- extra.sh: output of programs: GPU topology, GPUs, kernel log, configuration ---
# SPDX-License-Identifier: Apache-2.0

# Time limit of the GPU driver's programs, in seconds: they hang when the driver does.
SMI_PATIENCE=30

# reason_given - print the error message of the program that failed.
reason_given() { head -c 300 "$tmp/why" | tr '[:cntrl:]' ' '; }

# said_by FILE NAME ARGUMENT... - write the output of one of our programs to FILE.
said_by() {
	file=$1 name=$2
	shift 2
	if ! beside "$name"; then
		note missing "$file: $name: not found"
	elif ! "$program" "$@" >"$tmp/$file" 2>"$tmp/why" </dev/null; then
		note missing "$file: $(reason_given)"
	fi
}

# find_config - set `config` to the node's configuration file, or to /dev/null and return 1.
find_config() {
	for config in "$base/etc/nic-health-monitor/config.yaml" \
		"$base/etc/nic-health-monitor/config.toml"; do
		[ ! -e "$config" ] || return 0
	done
	config=/dev/null
	return 1
}

# read_config - write the configuration in force: the file's, completed by the defaults.
read_config() { said_by config.yaml ctreval --check-config --config "$config"; }

# from_smi FILE ARGUMENT... - write nvidia-smi's output to FILE. Note a failure, too.
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
	*) note missing "$file: nvidia-smi exited with status $status: $(reason_given)" ;;
	esac
	return 1
}

# kernel_log - print the whole kernel log: a captured node's file dev/kmsg, or dmesg's output. If
# dev/kmsg is missing below --root, that node is not this machine, whose log dmesg would print.
kernel_log() {
	if [ -n "$base" ] && ! [ -e dev/kmsg ]; then
		note missing "kmsg.txt: no dev/kmsg"
	elif [ -f dev/kmsg ]; then
		if is_inside dev/kmsg; then cat dev/kmsg; fi
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
		# The query must not include serial numbers.
		if ! grep -q '^hung.nvidia-smi' "$tmp/notes"; then
			from_smi gpus.csv --query-gpu=index,uuid,pci.bus_id --format=csv
		fi
	else
		note missing "topo.txt, gpus.csv: nvidia-smi: not found"
	fi
	# Keep lines about the driver, or about a recorded function: pcieport, for example, logs
	# errors of a function.
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
		note missing "kmsg.txt: the kernel log has no line about a NIC"
}
