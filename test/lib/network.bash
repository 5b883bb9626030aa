# network - a network of a test's own. After common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# network - makes a network namespace, whose loopback interface is up. Sets NETWORK, and INSIDE, the
# words before a command that runs there. Fails where nobody may make one.
network() {
	unshare -rn true 2>/dev/null || return 1
	started network unshare -rn bash -c 'echo made; exec sleep 900'
	NETWORK=$PID
	INSIDE=(nsenter -U -n --preserve-credentials -t "$NETWORK")
	wait_until 20 has_lines 1 "$BATS_TEST_TMPDIR/network.out"
	inside "$ROOT/test/lib/setlink" 1 lo up
}
inside() { "${INSIDE[@]}" "$@"; }
