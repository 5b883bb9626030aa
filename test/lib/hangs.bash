# hangs - a simulated hanging disk: everything below $DISK. Load after common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

DISK=$BATS_TEST_TMPDIR/disk
mkdir -p "$DISK"
HANG_ORDERS=$BATS_TEST_TMPDIR/orders

# make_hangs - build the library that simulates it, once per file
make_hangs() {
	"${CC:-cc}" -O2 -D_GNU_SOURCE -fPIC -shared -o "$BATS_FILE_TMPDIR/havoc.so" \
		"$ROOT/test/lib/havoc/havoc.c"
}

# ON_HANGING: a prefix for commands that use this disk.
# shellcheck disable=SC2034 # for who loads this
ON_HANGING=(env "LD_PRELOAD=$BATS_FILE_TMPDIR/havoc.so" "NHM_HAVOC=$HANG_ORDERS" \
	"NHM_HAVOC_ROOM=$DISK/"
	"ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}")
# A program looks for its orders when it starts.
truncate -s 64K "$HANG_ORDERS"

# hang CALL..., unhang - make these calls (sync, write, open, stat) not return from now on, or
# return again
hang() { "$ROOT/test/lib/hang" "$HANG_ORDERS" "$@"; }
unhang() { "$ROOT/test/lib/hang" "$HANG_ORDERS"; }

# die_after CALL PART - kill the program after its next such call for a file with PART in its path
die_after() { "$ROOT/test/lib/hang" "$HANG_ORDERS" --die "$@"; }
