# --- bundle.sh: what only a bundle has: history, configuration, versions, serial numbers ---
# SPDX-License-Identifier: Apache-2.0

read_history() {
	spool=$base/var/lib/nic-health-monitor/spool.db
	if ! [ -e "$spool" ]; then
		note missing "history.ndjson, standing.ndjson: $spool: No such file"
		return
	fi
	said_by history.ndjson nichist --spool "$spool" --history --format json
	said_by standing.ndjson nichist --spool "$spool" --standing --format json
}

# versions - print the versions of the kernel, the system, the GPU driver and our programs.
versions() {
	echo "kernel: $(uname -srvm)"
	sed -n 's/^PRETTY_NAME=/system: /p' etc/os-release 2>/dev/null | tr -d '"'
	head -n 1 proc/driver/nvidia/version 2>/dev/null
	if command -v ofed_info >/dev/null; then
		timeout -k 1 "$SMI_PATIENCE" ofed_info -s </dev/null 2>/dev/null
	fi
	for name in nic-health-monitor ibscan topoclass ctreval logmatch emit; do
		if beside "$name"; then "$program" --version 2>/dev/null; fi
	done
	echo "$NAME (nic-health-monitor) $VERSION"
}

# vpd FUNCTION - print part number (PN) and serial number (SN) from the read-only part of the
# function's vital product data (PCI Local Bus Specification 3.0, appendix I).
vpd() {
	timeout -k 1 "$file_timeout" head -c 4096 "$1/vpd" 2>/dev/null | od -An -v -tu1 |
		awk '
		{ for (i = 1; i <= NF; i++) byte[n++] = $i }
		function text(at, length_,   all) {
			for (; length_ > 0; length_--)
				all = all sprintf("%c", byte[at++])
			gsub(/[^ -~]/, "", all)
			return all
		}
		END {
			for (i = 0; i < n && byte[i] != 120; i = next_) {
				next_ = i + 3 + byte[i + 1] + 256 * byte[i + 2]
				# A small resource has its length in the first byte.
				if (byte[i] < 128)
					next_ = i + 1 + byte[i] % 8
				for (k = i + 3; byte[i] == 144 && k + 3 <= next_ && k < n;
					k += 3 + byte[k + 2]) {
					key = text(k, 2)
					if (key == "PN" || key == "SN")
						printf " %s=%s", key, text(k + 3, byte[k + 2])
				}
			}
		}'
}

# serial_numbers - print those of each NIC function and of the modules in its interfaces.
serial_numbers() {
	while IFS= read -r function; do
		numbers=$(vpd "$function")
		[ -z "$numbers" ] || echo "${function##*/}$numbers"
		for net in "$function"/net/*; do
			if ! [ -d "$net" ] || [ -n "$base" ]; then continue; fi
			numbers=$(timeout -k 1 "$file_timeout" ethtool -m "${net##*/}" </dev/null \
				2>/dev/null | sed -n 's/^[ \t]*Vendor \(name\|PN\|SN\)[ \t]*: */ \1=/p' |
				tr -d '\n')
			[ -z "$numbers" ] || echo "${function##*/} ${net##*/} module:$numbers"
		done
	done <"$tmp/functions"
}

read_ours() {
	read_history
	# If there is a configuration file, config_file has already run read_config.
	find_config || read_config
	versions >"$tmp/versions.txt"
	BUNDLE_FILES='history.ndjson standing.ndjson config.yaml versions.txt serials.txt'
	[ -n "$serials" ] || return 0
	without_serials=''
	# Written without masking: --serials asks for them.
	serial_numbers >"$tmp/out/serials.txt"
	[ -s "$tmp/out/serials.txt" ] || note missing "serials.txt: no readable serial number"
}

# look_later - record the tree again, in $tmp/later/tree.
look_later() {
	mkdir "$tmp/later" "$tmp/out/later" || die "$IO" "cannot write to $tmp"
	(tmp=$tmp/later && look) || exit
}

bundle() { # FILE
	check_tools tar gzip
	check_inputs
	if [ -e "$1" ] || [ -L "$1" ]; then die "$USAGE" "$1: exists"; fi
	case $1 in */*) into=${1%/*}/ ;; *) into=./ ;; esac
	[ -d "$into" ] || die "$IO" "$into: No such directory"
	into=$(cd -P -- "$into" && pwd -P) || die "$IO" "cannot enter the directory of $1"
	file_name=${1##*/}
	title=${file_name%.gz}
	title=${title%.tar}
	title=${title%.tgz}
	# Unpacking a directory of the tarball's own name would replace the tarball.
	case $title in '' | . | .. | "$file_name") title=$NAME ;; esac
	go_to_root
	taken=$(now)
	look
	read_extra
	sleep "${apart:-10}"
	taken_later=$(now)
	look_later
	read_ours
	written=''
	for file in history.ndjson standing.ndjson config.yaml versions.txt; do
		[ ! -s "$tmp/$file" ] || written="$written $file"
	done
	# shellcheck disable=SC2086 # words
	write_out $written
	# In a directory of its own: an intermediate file may have the same name.
	if ! { mkdir "$tmp/packed" && mv "$tmp/out" "$tmp/packed/$title" &&
		tar -C "$tmp/packed" -czf "$tmp/bundle" -- "$title"; }; then
		die "$IO" "cannot write to $tmp"
	fi
	# Copy it under another name first: on a full disk no part of it may stay.
	part=$into/.nhm-capture.$$
	reason=$({ mv "$tmp/bundle" "$part" && mv "$part" "$into/$file_name"; } 2>&1) ||
		die "$IO" "$into/$file_name: ${reason##*: }"
}
