# network - a network namespace for a test. Load after common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# network - make a network namespace with its loopback interface up; fail without permission. Sets
# NETWORK, and INSIDE, a prefix for commands that run there.
network() {
	unshare -rn true 2>/dev/null || return 1
	started network unshare -rn bash -c 'echo made; exec sleep 900'
	NETWORK=$PID
	INSIDE=(nsenter -U -n --preserve-credentials -t "$NETWORK")
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/network.out"
	inside "$ROOT/test/lib/setlink" 1 lo up
}
inside() { "${INSIDE[@]}" "$@"; }
