# --- read.sh: reads thousands of files, some of which fail or hang ---
#
# One process reads many files: `cat FILE END FILE END ...`, where END holds a random token. So the
# stream shows where each file ends, its exact bytes (including NULs), and the file at which a
# killed process was. If a file has no content and its batch failed, it is read again alone, to find
# out whether and how reading it fails.
#
# Nothing here waits for a process that may hang in the kernel, where no signal reaches it.
# timeout(1) waits for its child, so its child is never the reader itself. Results are files, since
# a hanging reader would keep a pipe open.
# SPDX-License-Identifier: Apache-2.0

# A file that takes longer than --file-timeout hangs. After this many hanging files, or this many
# timeouts, the remaining files of the device are skipped.
HANGS_MAX=3
ROUNDS_MAX=12
# A sysfs attribute is at most one page long. A longer text is evidence of something, but only its
# beginning is recorded.
ATTRIBUTE_MAX=65536
HOST_FILE_MAX=1048576
# Limit of the output of one batch, in units of 512 bytes: ten times the size of all files of a
# device.
BATCH_MAX=16384
READERS_MAX=32

prepare_reading() {
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	[ ${#token} -eq 32 ] || die "$OS" "cannot read /dev/urandom"
	printf '\n%s.\n' "$token" >"$tmp/end"
}

# marks FILE - print how many files have an end mark.
marks() { grep -a -c "^${token}[.!?-]\$" "$1"; }

# decode LIST BYTES DOUBT - print the lines of the record; `?` marks a file to be read again.
decode() {
	od -An -v -tu1 "$2" |
		awk -v "token=$token" -v "list=$1" -v "doubt=$3" -v "notes=$tmp/notes" \
			-v "prefix=$tmp/host/" -v "attribute_max=$ATTRIBUTE_MAX" \
			-v "host_max=$HOST_FILE_MAX" -f "$tmp/decode.awk"
}

# read_alone PATH NAME - print the line of one file. NAME is the prefix of intermediate files.
read_alone() {
	printf '%s\n' "$1" >"$2.path"
	: >"$2.alone"
	# `exit 0` keeps the inner shell from replacing itself by head: timeout would wait for head.
	# shellcheck disable=SC2016
	timeout -k 1 "$file_timeout" \
		sh -c '{ head -c "$2" >>"$3" || exit 3; } <"$1" || exit 2; exit 0' \
		sh "$1" $((HOST_FILE_MAX + 1)) "$2.alone" </dev/null 2>"$2.why"
	case $? in
	0) printf '\n%s.\n' "$token" >>"$2.alone" ;;
	2) if grep -q 'Permission denied' "$2.why"; then how=perm; else how=open; fi ;;
	124 | 137)
		hangs=$((hangs + 1))
		printf '\n%s!\n' "$token" >>"$2.alone"
		;;
	*) how='read' ;;
	esac
	if [ -s "$2.alone" ] && [ "$(marks "$2.alone")" = 1 ]; then
		decode "$2.path" "$2.alone" 0
	else
		printf 'U\t%s\t%s\n' "${1#"$tmp/host/"}" "$how"
	fi
}

# settle_doubts - read again the files of the group that `?` marks.
settle_doubts() {
	mv "$group.lines" "$group.decoded"
	grep -v '^?' "$group.decoded" >"$group.lines"
	grep '^?' "$group.decoded" | cut -f 2 >"$group.again"
	while IFS= read -r path; do
		if [ "$hangs" -lt "$HANGS_MAX" ]; then
			read_alone "$path" "$group"
		else
			note untried "$path"
			printf 'U\t%s\tread\n' "$path"
		fi
	done <"$group.again" >>"$group.lines"
}

# read_group NAME - read the files in NAME.list and write their lines to NAME.lines.
read_group() {
	group=$1 total=$(wc -l <"$1.list") known=0 doubt=0 hangs=0 rounds=0
	: >"$group.bytes"
	while [ "$known" -lt "$total" ]; do
		awk -v "known=$known" -v "end=$tmp/end" 'NR > known { print; print end }' \
			"$group.list" | tr '\n' '\0' >"$group.args"
		# Append: otherwise some versions of cat let the kernel copy the data, which some
		# kernels get wrong for sysfs.
		(
			ulimit -f "$BATCH_MAX" 2>/dev/null
			exec timeout -k 1 "$file_timeout" xargs -0 cat -- \
				<"$group.args" >>"$group.bytes" 2>/dev/null
		)
		status=$? before=$known
		known=$(marks "$group.bytes")
		[ "$status" -eq 0 ] || doubt=1
		[ "$known" -lt "$total" ] || break
		case $status in
		124 | 137)
			rounds=$((rounds + 1))
			# Some files were read: perhaps all are slow and none hangs. Try again.
			[ "$known" -eq "$before" ] || [ "$rounds" -ge "$ROUNDS_MAX" ] || continue
			hangs=$((hangs + 1))
			printf '\n%s!\n' "$token" >>"$group.bytes"
			;;
		0 | 123)
			# cat and xargs ended, but an end mark is missing: the disk is full.
			: >"$tmp/full"
			return
			;;
		*) printf '\n%s?\n' "$token" >>"$group.bytes" ;;
		esac
		known=$((known + 1))
		[ "$rounds" -lt "$ROUNDS_MAX" ] || hangs=$HANGS_MAX
		while [ "$hangs" -ge "$HANGS_MAX" ] && [ "$known" -lt "$total" ]; do
			printf '\n%s-\n' "$token" >>"$group.bytes"
			known=$((known + 1))
		done
	done
	decode "$group.list" "$group.bytes" "$doubt" >"$group.lines"
	[ "$doubt" = 0 ] || settle_doubts
	[ "$(wc -l <"$group.lines")" -eq "$total" ] || : >"$tmp/full"
}

# read_files NAME <PATHS - print the lines of the record for these files. The files of one PCI
# function are read in sequence, and different functions in parallel, so that a device that hangs
# delays only itself.
read_files() {
	mkdir "$tmp/read.$1" || return
	sort -u | awk -v "dir=$tmp/read.$1" -v "host=$tmp/host/" -v "name=$1" '
		BEGIN {
			h2 = "[0-9a-f][0-9a-f]"
			below_function = "^.*/[0-9a-f]+:" h2 ":" h2 "\\.[0-7]/"
			below_class = "^sys/(class|devices/virtual)/[^/]+/[^/]+/"
		}
		{
			group = ""
			if (index($0, host) != 1 && name != "bus") {
				group = "other"
				if (match($0, below_function) || match($0, below_class))
					group = substr($0, 1, RLENGTH)
			}
			if (!(group in file)) {
				file[group] = dir "/" ++n ".list"
			}
			if (file[group] != open) {
				if (open != "")
					close(open)
				open = file[group]
			}
			print >> open
		}'
	readers=0
	for list in "$tmp/read.$1"/*.list; do
		[ -e "$list" ] || continue
		# Errors show in the results. A reader that outlives an interrupted capture must not
		# print messages.
		read_group "${list%.list}" 2>/dev/null &
		readers=$((readers + 1))
		[ $((readers % READERS_MAX)) -ne 0 ] || wait
	done
	wait
	find "$tmp/read.$1" -name '*.lines' -exec cat {} +
}
