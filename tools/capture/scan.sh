# --- scan.sh: prints a record, or the tree of a node, as scan records ---
# SPDX-License-Identifier: Apache-2.0

# Limit of a file in a bundle; a tree takes some megabytes.
BUNDLE_MAX=268435456

# set_times DIR TIME - replace the times in the records on stdin by those of the recording: the time
# since boot, if the record has it, and the wall clock, unless TIME is "".
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

# scan_tree DIR TIME - print one scan of the tree below DIR.
scan_tree() {
	[ -d "$1/sys" ] || die "$NO_INPUT" "$scanned: it has no sys"
	set -- "$1" "$2" "$program" --sysfs-root "$1/sys" --gids --count 1 --node "$node"
	[ ! -e "$1/proc/sys/kernel/random/boot_id" ] ||
		set -- "$@" --boot-id-file "$1/proc/sys/kernel/random/boot_id"
	tree=$1 time=$2
	shift 2
	"$@" >"$tmp/records" || exit
	print set_times "$tree" "$time" <"$tmp/records"
}

# scan_record FILE TIME - print one scan of the tree that a node.tree describes.
scan_record() {
	unpacked=$((unpacked + 1))
	(unpack "$1" "$tmp/tree$unpacked") || exit
	scan_tree "$tmp/tree$unpacked" "$2"
}

# time_of DIR KEY - print a time from the manifest of a capture.
time_of() { sed -n "s/^$2: \([0-9T:Z-]*\)\$/\1/p" "$1/MANIFEST" 2>/dev/null | head -n 1; }

# scan_capture DIR - print a scan of each tree of a capture.
scan_capture() {
	scan_record "$1/node.tree" "$(time_of "$1" time)"
	[ ! -e "$1/later/node.tree" ] || scan_record "$1/later/node.tree" "$(time_of "$1" later)"
}

# open_bundle FILE - set `opened` to a directory with the trees and the manifest of a bundle.
# Extract nothing else, whatever the tarball has. FILE is the stdin of tar, which would take what is
# before a colon for another host.
open_bundle() {
	opened=$tmp/bundle
	mkdir "$opened" "$opened/later"
	tar -tzf - <"$1" 2>/dev/null | grep -E '^[^/]+/((later/)?node\.tree|MANIFEST)$' |
		sort >"$tmp/members"
	while IFS= read -r member; do
		tar -xzOf - -- "$member" <"$1" 2>/dev/null | head -c "$BUNDLE_MAX" \
			>"$opened/${member#*/}"
	done <"$tmp/members"
	[ -s "$opened/node.tree" ] || die "$BAD_DATA" "$1: not a bundle of $NAME"
}

scan() { # SOURCE
	[ -e "$1" ] || die "$NO_INPUT" "$1: No such file"
	beside ibscan || die "$OS" "ibscan: not found"
	scanned=$1
	umask 077
	tmp=$(mktemp -d 2>/dev/null) ||
		die "$IO" "${TMPDIR:+$TMPDIR: }cannot create a temporary directory"
	trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT
	unpacked=0
	node=$(basename -- "$1" .tar.gz)
	node=${node%.tgz}
	if [ -d "$1" ] && [ -e "$1/node.tree" ]; then
		scan_capture "$1"
	elif [ -d "$1" ]; then
		scan_tree "$1" ''
	elif is_packed "$1"; then
		open_bundle "$1"
		scan_capture "$opened"
	else
		scan_record "$1" "$(time_of "$(dirname -- "$1")" time)"
	fi
}
