# guestfiles - what goes into a virtual machine: programs with their libraries, packed as the kernel
# unpacks it. For image and vm, which have say().
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

is_elf() { [ -f "$1" ] && [ "$(head -c 4 "$1" | od -An -tx1 | tr -d ' ')" = 7f454c46 ]; }

# put_libraries ROOT FILE... - the shared libraries that those need which are ELF files.
put_libraries() {
	local root=$1 name arrow path file
	shift
	mkdir -p "$root"/lib/x86_64-linux-gnu "$root/lib64"
	for file in "$@"; do
		! is_elf "$file" || ldd "$file" 2>/dev/null || true
	done | sort -u | while read -r name arrow path _; do
		case $name,$arrow,$path in
		/*ld-linux*) cp -L "$name" "$root/lib64/" ;;
		*,'=>',/*) cp -L "$path" "$root/lib/x86_64-linux-gnu/$name" ;;
		*,'=>',*) say "a program needs $name, which is not on this machine" && return 1 ;;
		esac
	done
}

# pack ROOT OUT - a cpio archive behind which another one may follow.
pack() { (cd "$1" && find . -mindepth 1 -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 \
	--quiet) >"$2"; }
