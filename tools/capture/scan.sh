# --- scan.sh: a record, or the tree of a node, as scan records ---
# SPDX-License-Identifier: Apache-2.0

# find_ibscan - sets `ibscan`: the one beside this program, else where the system finds one.
find_ibscan() {
	ibscan=${0%/*}/ibscan
	[ "$ibscan" != "$0/ibscan" ] && [ -x "$ibscan" ] && return
	ibscan=$(command -v ibscan) || die "$OS" "ibscan: not found"
}

# set_times DIR TIME - the records on stdin, of a tree that was read now, with the times at which it
# was recorded: since the boot, as far as the record has it, and by the wall clock, unless TIME is
# "".
set_times() {
	boottime=0 rest=''
	if [ -r "$1/proc/uptime" ]; then read -r boottime rest <"$1/proc/uptime"; fi
	case $boottime in
	'' | *[!0-9.]* | *.*.* | .* | *.) boottime=0 ;;
	*.*) boottime=${boottime%.*}$(printf '%.9s' "${boottime#*.}000000000") ;;
	*) boottime=${boottime}000000000 ;;
	esac
	boottime=$(printf '%s' "$boottime" | sed 's/^0*\(.\)/\1/')
	set -- -e "s/\"boottime_ns\":[0-9]*/\"boottime_ns\":$boottime/" ${2:+-e} \
		${2:+"s/\"ts\":\"[^\"]*\"/\"ts\":\"$2\"/"}
	sed "$@"
}

# scan_tree DIR TIME - one scan of the tree below DIR.
scan_tree() {
	[ -d "$1/sys" ] || die "$NO_INPUT" "$1/sys: No such directory"
	set -- "$1" "$2" "$ibscan" --sysfs-root "$1/sys" --gids --count 1 --node "$node"
	[ ! -e "$1/proc/sys/kernel/random/boot_id" ] ||
		set -- "$@" --boot-id-file "$1/proc/sys/kernel/random/boot_id"
	tree=$1 time=$2
	shift 2
	"$@" >"$tmp/records" || exit
	set_times "$tree" "$time" <"$tmp/records"
}

# scan_record FILE MANIFEST - one scan of what a node.tree describes.
scan_record() {
	time=''
	if [ -r "$2" ]; then
		time=$(sed -n 's/^time: \([0-9T:Z-]*\)$/\1/p' "$2" | head -n 1)
	fi
	unpacked=$((unpacked + 1))
	(unpack "$1" "$tmp/tree$unpacked") || exit
	scan_tree "$tmp/tree$unpacked" "$time"
}

scan() { # SOURCE
	[ -e "$1" ] || die "$NO_INPUT" "$1: No such file"
	find_ibscan
	umask 077
	tmp=$(mktemp -d 2>/dev/null) ||
		die "$IO" "${TMPDIR:+$TMPDIR: }no directory for temporary files can be made"
	trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT
	unpacked=0
	node=$(basename -- "$1")
	if [ -d "$1" ] && [ -e "$1/node.tree" ]; then
		scan_record "$1/node.tree" "$1/MANIFEST"
	elif [ -d "$1" ]; then
		scan_tree "$1" ''
	else
		scan_record "$1" ''
	fi
}
