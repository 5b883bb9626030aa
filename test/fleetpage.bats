#!/usr/bin/env bats
# fleetpage: a fleet in a browser.
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/http
	T=$BATS_TEST_TMPDIR
	IN=$T/in
}

teardown() { end_background; }

# made JQ - print events.
made() { jq -n -c -L "$BATS_TEST_DIRNAME/lib" "include \"events\"; $1"; }
# events JQ - write events to $IN.
events() { made "$1" >"$IN"; }

# serves OPTION... - start fleetpage and wait until it has read $IN. Set PAGE to its address, and
# PID.
serves() {
	started page bash -c 'exec fleetpage --stay --port 0 "${@:2}" <"$1"' _ "$IN" "$@"
	wait_until 20 has_place
	PAGE=$(place)
	wait_until 20 has_read
}
place() { sed -n 's,^fleetpage: note: listening on http://\(.*\)/$,\1,p' "$T/page.err"; }
has_place() { [ -n "$(place)" ]; }
# At the end of input the page no longer refreshes itself.
has_read() { get "http://$PAGE/" >"$T/page" && ! grep -q 'http-equiv="refresh"' "$T/page"; }

# page PATH - fetch the page to $T/page.
page() { get "http://$PAGE$1" >"$T/page"; }

# rows ID - print the rows of that table on the page, with | between cells.
rows() {
	sed -n "/<table id=\"$1\">/,/<\\/table>/p" "$T/page" | grep '^<tr class' |
		sed -E 's,</td><td[^>]*>,|,g; s,<[^>]*>,,g'
}

@test "the first page has the standing conditions, worst first, the events of the last day, and each id once" {
	events '(down(100; "mlx5_0") | of("n1")), (down(101; "mlx5_1") | of("n1")),
		(worse(50; "mlx5_0") | of("n2")), (worse(60; "mlx5_0") | of("n2")),
		(down(10; "mlx5_3") | of("n3")), (up(11; "mlx5_3") | of("n3")),
		(up(3700; "mlx5_3") | of("n4"))'
	serves
	page /
	grep -q '2023-11-14 23:15:00 UTC: 2 of 4 nodes, 3 active conditions, 2 fatal' "$T/page"
	diff <(rows nodes) - <<-'END'
		n1|2|2|2|1|1 h 0 min|port_state at 100
		n2|1|0|1|0|1 h 0 min|symbol_error at 60
	END
	diff <(rows ports) - <<-'END'
		n1 mlx5_1/1|1|1|1|59 min|port_state at 101
		n1 mlx5_0/1|1|1|0|1 h 0 min|port_state at 100
		n2 mlx5_0/1|0|1|0|1 h 0 min|symbol_error at 60
	END
	[ "$(rows switches)" = "" ]
	[ "$(grep -o ' id="[^"]*"' "$T/page" | sort | uniq -d)" = "" ]
	# Bars are quarters of an hour that end now: an hour ago is the fifth last.
	bar() { grep -q "<rect class=\"$1\" x=\"$2\" y=\"$3\" width=\"9\" height=\"$4\"><title>$5<" \
		"$T/page"; }
	bar fatal 910 40.0 40.0 2
	bar other 910 0.0 40.0 2
	bar fatal 920 60.0 20.0 1
	[ "$(grep -c '<rect class="[a-z]*" x="[0-9]*" y="[0-9.]*" width="9"' "$T/page")" -eq 3 ]
	# Each node is a square: n3 and n4 are healthy.
	grep -q '<a href="/node/n1"><rect class="fatal" x="0" y="0" ' "$T/page"
	grep -q '<a href="/node/n2"><rect class="other" x="8" y="0" ' "$T/page"
	grep -q '<path class="fine" d="M16 0h7v7h-7zM24 0h7v7h-7z"/>' "$T/page"
}

@test "a node's page has its standing conditions with age and count, and its events" {
	events '(down(100; "mlx5_0") | of("n1")), (worse(110; "mlx5_0") | of("n1")),
		(worse(120; "mlx5_0") | of("n1")), (down(10; "mlx5_3") | of("n1")),
		(up(130; "mlx5_3") | of("n1")), (down(140; "mlx5_0") | of("n2"))'
	serves
	page /node/n1
	grep -q 'UTC: 2 active conditions</p>' "$T/page"
	diff <(rows standing) - <<-'END'
		40 s|1||n1|mlx5_0/1|InfiniBandStateCheck|port_state|port_state at 100
		30 s|2||n1|mlx5_0/1|InfiniBandDegradationCheck|symbol_error|symbol_error at 120
	END
	[ "$(rows events | cut -d '|' -f 1,6)" = "2023-11-14 22:15:20|symbol_error at 120
2023-11-14 22:15:10|symbol_error at 110
2023-11-14 22:15:00|port_state at 100" ]
	page /node/n2
	[ "$(rows standing | wc -l)" -eq 1 ]
}

@test "no page counts a condition of the kernel's log that has ended with time" {
	events 'driver(100; "nic_reset"; false), (down(110; "mlx5_0")),
		(driver(100; "nic_reset"; false) | of("n2")), (up(3700; "mlx5_3") | of("n3"))'
	serves
	page /
	grep -q 'UTC: 1 of 3 nodes, 1 active condition, 1 fatal' "$T/page"
	grep -q '<path class="fine" d="M8 0h7v7h-7zM16 0h7v7h-7z"/>' "$T/page"
	[ "$(grep -c 'href="/node/n2"' "$T/page")" -eq 0 ]
	page /node/n1
	grep -q 'UTC: 1 active condition</p>' "$T/page"
	[ "$(rows standing | cut -d '|' -f 7)" = port_state ]
}

@test "with a topology each switch has a page, including a suspected one" {
	echo 'SwitchName=leaf1 Nodes=n[1-4]' >"$T/topology.conf"
	events '(range(1; 5) as $i | down(100 + $i; "mlx5_0") | of("n\($i)")),
		(worse(50; "mlx5_0") | of("n5")), (up(120; "mlx5_0") | of("n5"))'
	blastradius --topology "$T/topology.conf" <"$IN" >"$T/found"
	mv "$T/found" "$IN"
	serves --topology "$T/topology.conf"
	page /
	[ "$(rows switches)" = 'leaf1|4|4|4|5|5|19 s|port_state at 101' ]
	[ "$(rows nodes | wc -l)" -eq 5 ]
	page /switch/leaf1
	[ "$(rows standing | wc -l)" -eq 5 ]
	[ "$(rows standing | cut -d '|' -f 3,4 | sort)" = "leaf1|leaf1
leaf1|n1
leaf1|n2
leaf1|n3
leaf1|n4" ]
}

@test "the first page truncates lists, and their own pages have them whole" {
	events 'range(1; 200) as $i | down(100 + $i; "mlx5_0") | of("n\($i)")'
	serves
	page /
	[ "$(rows nodes | wc -l)" -eq 25 ]
	grep -q '<a href="/nodes">all 199</a>' "$T/page"
	page /nodes
	[ "$(rows nodes | wc -l)" -eq 199 ]
	page /ports
	[ "$(rows ports | wc -l)" -eq 199 ]
}

@test "the list of ports has a NIC's name alone for an event about the whole NIC" {
	events '(down(100; "mlx5_0") | of("n1")), (down(110; "mlx5_1") | of("n2")
		| .entitiesImpacted |= map(select(.entityType == "NIC")))'
	serves
	page /ports
	[ "$(rows ports | cut -d '|' -f 1 | sort)" = 'n1 mlx5_0/1
n2 mlx5_1' ]
}

@test "fleetpage escapes text of events, and any node name has a page" {
	events '(down(100; "<b>mlx5_0") | of("a/b?c&d\"e\u0027<script>alert(1)</script>é\u202e")
		| .message = "<img src=x onerror=alert(1)>")'
	serves
	page /
	[ "$(grep -c -i '<script\|<img\|<b>' "$T/page")" -eq 0 ]
	address=$(sed -n 's,.*href="\(/node/[^"]*\)".*,\1,p' "$T/page" | head -n 1)
	[[ $address =~ ^/node/[-A-Za-z0-9._~%]+$ ]]
	page "$address"
	[ "$(grep -c -i '<script\|<img\|<b>' "$T/page")" -eq 0 ]
	[ "$(rows standing | wc -l)" -eq 1 ]
	[ "$(grep -c 'Content-Security-Policy" content="default-src .none.; style-src' \
		"$T/page")" -eq 1 ]
}

@test "an unknown page is 404, and POST is 405" {
	events 'down(100; "mlx5_0") | of("n1")'
	serves
	local path
	for path in /node/n2 /node/ /switch/n1 /nodes/ /x //; do
		[ "$(fetch "$PAGE" "$path" | head_of | head -n 1)" -eq 404 ]
	done
	[ "$(fetch "$PAGE" / POST | head_of | head -n 1)" -eq 405 ]
	page /
}

@test "while events come, the page has those so far and refreshes itself" {
	mkfifo "$T/pipe"
	started page bash -c 'exec fleetpage --port 0 <"$1"' _ "$T/pipe"
	exec 7>"$T/pipe"
	wait_until 20 has_place
	PAGE=$(place)
	page /
	grep -q 'UTC: 0 of 0 nodes, 0 active conditions, 0 fatal' "$T/page"
	grep -q '<meta http-equiv="refresh" content="10">' "$T/page"
	made 'down(100; "mlx5_0") | of("n1")' >&7
	says() { page / && grep -q "$1" "$T/page"; }
	wait_until 20 says 'UTC: 1 of 1 node, 1 active condition, 1 fatal'
	# Without --stay fleetpage ends with its input.
	exec 7>&-
	ends_with 0 "$PID"
}

@test "fleetpage ends with 0 on SIGTERM, and reports an invalid address or port" {
	: >"$IN"
	started page bash -c 'exec fleetpage --stay --port 0 <"$1"' _ "$IN"
	wait_until 20 has_place
	kill -TERM "$PID"
	ends_with 0 "$PID"
	run --separate-stderr fleetpage --port 70000 <"$IN"
	status_is 64 "not a port number"
	run --separate-stderr fleetpage --address nowhere <"$IN"
	status_is 64 "cannot listen on port 2114 of nowhere: Invalid argument"
	started page bash -c 'exec fleetpage --stay --port 0 <"$1"' _ "$IN"
	wait_until 20 has_place
	run --separate-stderr fleetpage --port "$(place | sed 's/.*://')" <"$IN"
	status_is 69 "cannot listen on port .* of 127.0.0.1: Address already in use"
}

# Thorough: sinks
@test "a browser shows ten thousand nodes without an error" {
	"$BATS_TEST_DIRNAME/fleet/clusterstream" --nodes 10000 --days 1 \
		--topology "$T/topology.conf" >"$IN"
	serves --topology "$T/topology.conf"
	# browse PATH - load the page in a browser, write its DOM to $T/dom, and fail if the browser
	# logs an error.
	browse() {
		HOME=$T timeout 120 chromium --headless --no-sandbox --disable-gpu \
			--enable-logging=stderr --user-data-dir="$T/browser" --dump-dom \
			"http://$PAGE$1" >"$T/dom" 2>"$T/said"
		! grep -q 'CONSOLE' "$T/said"
	}
	browse /
	[ "$(grep -o '<path class="fine" d="[^"]*"' "$T/dom" | tr -cd M | wc -c)" -gt 8000 ]
	[ "$(grep -c '<tr class=' "$T/dom")" -eq 75 ]
	browse /nodes
	page /nodes
	[ "$(grep -c '<tr class=' "$T/dom")" -eq "$(rows nodes | wc -l)" ]
	[ "$(rows nodes | wc -l)" -gt 500 ]
	browse "$(sed -n 's,.*href="\(/node/[^"]*\)".*,\1,p' "$T/page" | head -n 1)"
	grep -q '<table id="standing">' "$T/dom"
}
