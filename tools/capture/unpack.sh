# --- unpack.sh: creates the tree that a record describes ---
# SPDX-License-Identifier: Apache-2.0

refuse() {
	say warning "$source: line $number: $1"
	refused=1
}

# make_parent PATH - create the parent directories of PATH. None of them may be a link, or a record
# could write anywhere on this machine.
make_parent() {
	case $1 in */*) parent=${1%/*} ;; *) return 0 ;; esac
	[ "$parent" != "$safe" ] || return 0
	rest=$parent/ so_far=.
	while [ -n "$rest" ]; do
		so_far=$so_far/${rest%%/*}
		rest=${rest#*/}
		[ ! -L "$so_far" ] || return 1
	done
	mkdir -p -- "./$parent" 2>/dev/null || return 1
	safe=$parent
}

# unpack_line TYPE PATH VALUE - create one entry, or refuse it with a warning.
unpack_line() {
	case /$2/ in *//* | */./* | */../*) refuse "bad path: $2" && return ;; esac
	make_parent "$2" || { refuse "its parent is not a directory: $2" && return; }
	if [ -e "./$2" ] || [ -L "./$2" ]; then
		case $1$3 in D* | Uread | U)
			if [ -d "./$2" ] && [ ! -L "./$2" ]; then return; fi
			;;
		esac
		refuse "already exists: $2"
		return
	fi
	case $1 in
	F) printf '%b' "$3" >"./$2" ;;
	D) mkdir -- "./$2" ;;
	L) ln -s -- "$3" "./$2" ;;
	U)
		case $3 in
		read | '') mkdir -- "./$2" ;;
		open) ln -s -- "${2##*/}" "./$2" ;;
		perm) : >"./$2" && chmod 000 "./$2" ;;
		*) refuse "unknown kind: $3" ;;
		esac
		;;
	*) refuse "unknown type: $1" ;;
	esac || refuse "cannot create: $2"
}

unpack_lines() {
	number=0 refused=0 safe=''
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		case $line in
		'' | '#'*) ;;
		*"$tab"*"$tab"*)
			rest=${line#*"$tab"}
			unpack_line "${line%%"$tab"*}" "${rest%%"$tab"*}" "${rest#*"$tab"}"
			;;
		*"$tab"*) unpack_line "${line%%"$tab"*}" "${line#*"$tab"}" '' ;;
		*) refuse "the line has no path" ;;
		esac
	done
}

# is_packed FILE - return success if gzip has packed the file, as it packs a bundle. Do not look
# into a pipe, which would lose what was read.
is_packed() { [ -f "$1" ] && [ "$(head -c 2 -- "$1" | od -An -tx1 | tr -d ' ')" = 1f8b ]; }

unpack() { # FILE DIR
	source=$1
	if [ "$source" = - ]; then
		source=stdin
	else
		[ -e "$source" ] || die "$NO_INPUT" "$source: No such file"
		[ ! -e "$source/node.tree" ] ||
			die "$IO" "$source is a directory: name $source/node.tree"
		if [ -d "$source" ] || [ ! -r "$source" ]; then
			die "$IO" "cannot read $source"
		fi
		! is_packed "$source" || die "$BAD_DATA" \
			"$source is a tarball: unpack it with tar, and name the node.tree in it"
		exec <"$source"
	fi
	prepare_dir "$2"
	cd -P -- "$2" || die "$IO" "cannot enter $2"
	unpack_lines
	[ "$refused" = 0 ] || exit "$BAD_DATA"
}
