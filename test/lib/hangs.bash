# hangs - a disk that hangs, without one: everything below $DISK. After common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

DISK=$BATS_TEST_TMPDIR/disk
mkdir -p "$DISK"
HANG_ORDERS=$BATS_TEST_TMPDIR/orders

# make_hangs - what makes it hang, once per file.
make_hangs() {
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$BATS_FILE_TMPDIR/havoc.so" \
		"$ROOT/test/lib/havoc/havoc.c"
}

# ON_HANGING - what a command stands behind that is to see this disk.
# shellcheck disable=SC2034 # for who loads this
ON_HANGING=(env "LD_PRELOAD=$BATS_FILE_TMPDIR/havoc.so" "NHM_HAVOC=$HANG_ORDERS" \
	"NHM_HAVOC_ROOM=$DISK/"
	"ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}")
# Programs look for their orders when they start.
truncate -s 64K "$HANG_ORDERS"

# hang CALL..., unhang - from now on these do not return (sync, write, open, stat), or everything
# does again.
hang() { "$ROOT/test/lib/hang" "$HANG_ORDERS" "$@"; }
unhang() { "$ROOT/test/lib/hang" "$HANG_ORDERS"; }

# die_after CALL PART - the next such call for a file with PART in its path is the program's last.
die_after() { "$ROOT/test/lib/hang" "$HANG_ORDERS" --die "$@"; }
