#!/usr/bin/env bats
# emit: every event reaches every sink in order, whatever happens to the other sinks.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/http
	T=$BATS_TEST_TMPDIR
	S=$T/sink.sock
	umask 022
}

teardown() {
	exec 8>&-
	end_background
	nothing_survives
}

# --- events ---

# events FROM TO - print these events, with all fields.
events() {
	seq "$1" "$2" | awk '{ printf "{\"kind\":\"event\",\"id\":\"t-%d\",\"message\":\"event %d\",\"nodeName\":\"gpu-1\"," \
		"\"processingStrategy\":\"STORE_ONLY\",\"source\":\"t\",\"seq\":%d}\n", $1, $1, $1 }'
}

# holds FILE FROM TO - check that the file has exactly these events, in order.
holds() { cmp <(events "$2" "$3") "$1"; }

# --- processes ---

# says N REGEX - return success if N lines of the background emit's stderr match.
says() { [ "$(grep -c -E -- "$2" "$T/emit.err")" -eq "$1" ]; }

# stopped PID - end it and wait until it is gone.
stopped() {
	kill -TERM "$1"
	wait_until 10 is_gone "$1"
}

# --- an input that stays open ---

# fed_emit OPTION... - start emit in the background; it reads what feed() writes until end_feed().
# Set EMIT.
fed_emit() {
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	started emit emit "$@" "$T/feed"
	EMIT=$PID
}

# feed FROM TO - write these events to emit.
feed() {
	events "$1" "$2" >"$T/fed"
	timeout 20 cat "$T/fed" >&8
}

end_feed() { exec 8>&-; }

# --- sinks ---

# listen NAME ADDRESS - start a socat that listens there and writes its input to $T/NAME.got. Set
# PID.
listen() {
	started "$1" socat -d -d -u "$2" "OPEN:$T/$1.got,creat,append"
	wait_until 10 grep -q 'listening on' "$T/$1.err"
}

listen_unix() { listen "$1" "UNIX-LISTEN:$2,unlink-early"; }
listen_tcp() { listen "$1" "TCP4-LISTEN:$2,bind=127.0.0.1,reuseaddr"; }

# listen_and_die NAME SOCKET BYTES - start a listener that reads about that many bytes into
# $T/NAME.got and then dies with unread input.
listen_and_die() {
	started "$1" /usr/bin/python3 -c '
import os, signal, socket, sys
path, file, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
print("listening on", path, file=sys.stderr, flush=True)
connection, _ = server.accept()
taken = 0
with open(file, "wb", buffering=0) as got:
    while taken < most:
        taken += got.write(connection.recv(4096))
os.kill(os.getpid(), signal.SIGKILL)
' "$2" "$T/$1.got" "$3"
	wait_until 10 grep -q 'listening on' "$T/$1.err"
}

# without_reader COMMAND... - run the command with a stdout whose reader has closed it and with the
# default SIGPIPE.
without_reader() {
	/usr/bin/python3 -c '
import os, signal, sys
reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
os.close(writer)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
' "$@"
}

# --- options ---

@test "--help and --version print to stdout and exit 0" {
	run --separate-stderr emit --help
	status_is 0
	[[ $output = "Usage: emit "*--flush-timeout* ]]
	[ "$stderr" = "" ]
	run --separate-stderr emit --version
	status_is 0
	[[ $output = "emit (nic-health-monitor) "* ]]
	[ "$stderr" = "" ]
}

# refused NAMED OPTION... - check that emit exits 64 with nothing on stdout and one line that
# contains NAMED and a hint.
refused() {
	local named=$1
	shift
	run --separate-stderr timeout 10 emit "$@" </dev/null
	status_is 64
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
	[[ $stderr = "emit: error: "*"$named"*"(try 'emit --help')" ]] || { echo "$stderr" >&2; \
		return 1; }
}

# Thorough: sinks
@test "emit reads more files than may be open at once, and more than 32 pipes" {
	local n
	for n in {1..40}; do
		events "$n" "$n" >"$T/in.$n"
		mkfifo "$T/pipe.$n"
	done
	run --separate-stderr timeout 20 bash -c 'ulimit -n 32; exec emit "$@"' _ "$T"/in.{1..40}
	status_is 0
	[ "$stderr" = "" ]
	holds <(echo "$output") 1 40
	started pipes emit --sink "file:$BATS_TEST_TMPDIR/out" "$T"/pipe.{1..40}
	local emit=$PID
	# Last one first: emit waits for none of them.
	for n in {40..1}; do
		timeout 10 cp "$T/in.$n" "$T/pipe.$n"
		wait_until 10 grep -q "\"t-$n\"" "$T/out"
	done
	ends_with 0 "$emit"
	[ ! -s "$T/pipes.err" ]
}

@test "an invalid sink is rejected, with its name and a hint" {
	local spec
	for spec in bogus:x '' file: unix: tcp: tcp:127.0.0.1 tcp::80 tcp:127.0.0.1: \
		tcp:127.0.0.1:0 \
		tcp:127.0.0.1:65536 tcp:127.0.0.1:http tcp:127.0.0.1:-1 tcp:::1:80 'tcp:[::1:80'; do
		refused "'$spec'" --sink "$spec"
	done
	refused "port" --sink tcp:127.0.0.1:http
	refused "path" --sink file:
}

@test "an invalid duration is rejected, with its value and a hint" {
	local duration
	for duration in x '' 5 -1s 1.s 1s1m 5y 99999h; do
		refused "'$duration'" --flush-timeout "$duration"
	done
}

@test "--check-config rejects what a run would reject, and opens nothing" {
	run --separate-stderr emit --check-config --sink "file:$BATS_TEST_TMPDIR/out" \
		--sink "unix:$BATS_TEST_TMPDIR/sock" \
		--spool "$BATS_TEST_TMPDIR/spool.db" --acks "$BATS_TEST_TMPDIR/acks" </dev/null
	status_is 0
	[ -z "$output$stderr" ]
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
	[ ! -e "$BATS_TEST_TMPDIR/spool.db" ]
	run --separate-stderr emit --check-config --sink bogus:x
	status_is 64 "^emit: error: --sink 'bogus:x': unknown kind of sink"
	run --separate-stderr emit --check-config --sink "file:$T/new/x" --spool "$T/new/x"
	status_is 64 "^emit: error: sink file:$T/new/x: it is also the spool$"
}

@test "an unknown option and a missing value are rejected, with the option and a hint" {
	refused "'--bogus'" --bogus
	refused "'--sink'" --sink
}

@test "too many sinks are rejected" {
	local sinks=() i
	for i in {1..17}; do sinks+=(--sink "file:$T/$i"); done
	refused "'file:$T/17': too many" "${sinks[@]}"
	[ ! -e "$T/1" ]
}

@test "a socket path that is too long is rejected, and the longest that fits works" {
	local path
	path=$T/$(printf '%0*d' $((107 - ${#T} - 1)) 0)
	[ ${#path} -eq 107 ]
	refused "107 bytes" --sink "unix:${path}0"
	listen_unix long "$path"
	run --separate-stderr timeout 20 emit --sink "unix:$path" < <(events 1 2)
	status_is 0
	wait_until 10 has_lines 2 "$T/long.got"
	holds "$T/long.got" 1 2
}

# --- input ---

@test "without --sink, events go to stdout" {
	events 1 3 >"$T/in"
	run --separate-stderr timeout 10 emit <"$T/in"
	status_is 0
	[ "$output" = "$(events 1 3)" ]
	[ "$stderr" = "" ]
}

@test "empty input gives no event and no error" {
	run --separate-stderr timeout 10 emit </dev/null
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
}

@test "input with records but no events gives one warning and exits 0" {
	printf '%s\n' '{"kind":"scan.begin","v":1,"scan":1}' '{"kind":"device"}' \
		'{"kind":"scan.end"}' >"$T/in"
	run --separate-stderr timeout 10 emit "$T/in" "$T/in"
	status_is 0
	[ -z "$output" ]
	[ "$stderr" = 'emit: warning: the input has no events, only records of other kinds (the first: scan.begin): nothing to deliver; ctreval and logmatch write events' ]
	# Records that accompany events show that there was none to report.
	for kind in update decision gap async; do
		printf '{"kind":"port"}\n{"kind":"%s"}\n' "$kind" >"$T/in"
		run --separate-stderr timeout 10 emit "$T/in"
		status_is 0
		[ -z "$stderr" ]
	done
}

@test "records of other kinds are ignored silently" {
	{
		echo '{"kind":"scan.begin","v":1,"scan":1}'
		events 1 1
		echo '{"kind":"gap","source":"x","lost":2}'
		echo '{"kind":"never.seen"}'
		events 2 2
	} >"$T/in"
	run --separate-stderr timeout 10 emit <"$T/in"
	status_is 0
	[ "$output" = "$(events 1 2)" ]
	[ "$stderr" = "" ]
}

@test "a complete event passes byte for byte, unknown fields and spacing included" {
	cat >"$T/in" <<-'END'
		{ "zebra" : [ 1.50, 2e3, {"a":null} ],"kind":"event", "nodeName":"n","message":"\u00e9\/é \"…\"" , "processingStrategy":"STORE_ONLY"}
		{"kind":"event","processingStrategy":"SOMETHING_NEW","nodeName":"","big":"18446744073709551615","id":"x-1"}
	END
	timeout 10 emit --node other --sink "file:$T/out" "$T/in"
	cmp "$T/in" "$T/out"
}

@test "a missing nodeName and processingStrategy are filled in, and everything else is kept" {
	local event='{"kind":"event","id":"t-1","nodeName":null,"unknown":{"deep":[1,0.1,true,"é"]},"errorCode":[]}'
	run --separate-stderr timeout 10 emit --node gpu-7 <<<"$event"
	status_is 0
	[ "$stderr" = "" ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$(jq -S . <<<"$output")" = \
		"$(jq -S '.nodeName = "gpu-7" | .processingStrategy = "EXECUTE_REMEDIATION"' \
		<<<"$event")" ]
}

@test "only missing fields are filled in" {
	run --separate-stderr timeout 10 emit --node gpu-7 <<-'END'
		{"kind":"event","nodeName":"gpu-1"}
		{"kind":"event","processingStrategy":"STORE_ONLY"}
	END
	status_is 0
	[ "$(jq -c '[.nodeName, .processingStrategy]' <<<"$output")" = \
		$'["gpu-1","EXECUTE_REMEDIATION"]\n["gpu-7","STORE_ONLY"]' ]
}

@test "the node is --node, else NODE_NAME, else the host name" {
	local event='{"kind":"event","id":"t-1"}'
	run --separate-stderr env NODE_NAME=from-env timeout 10 emit --node from-option <<<"$event"
	status_is 0
	[ "$(jq -r .nodeName <<<"$output")" = from-option ]
	run --separate-stderr env NODE_NAME=from-env timeout 10 emit <<<"$event"
	status_is 0
	[ "$(jq -r .nodeName <<<"$output")" = from-env ]
	run --separate-stderr timeout 10 emit <<<"$event"
	status_is 0
	[ "$(jq -r .nodeName <<<"$output")" = "$(uname -n)" ]
	run --separate-stderr env NODE_NAME= timeout 10 emit <<<"$event"
	status_is 0
	[ "$(jq -r .nodeName <<<"$output")" = "$(uname -n)" ]
}

@test "--runbook-url adds a runbook address to each fault, and to nothing else" {
	run --separate-stderr timeout 10 emit --runbook-url 'https://w/{page}.md#{code}' <<-'END'
		{"kind":"event","id":"1","checkName":"EthernetStateCheck","isHealthy":false,"errorCode":["link_downed","saturated"],"metadata":{"pci":"0000:18:00.0"}}
		{"kind":"event","id":"2","checkName":"NICPollStallCheck","isHealthy":false}
		{"kind":"event","id":"3","isHealthy":false,"errorCode":["port_state"],"metadata":{"runbook":"mine"}}
		{"kind":"event","id":"4","isHealthy":true,"errorCode":["port_state"],"metadata":{}}
		{"kind":"event","id":"5","isHealthy":false,"errorCode":["a b"]}
	END
	status_is 0
	[ "$stderr" = "" ]
	[ "$(jq -c .metadata <<<"$output")" = "$(cat <<-'END'
		{"pci":"0000:18:00.0","runbook":"https://w/saturated.md#saturated"}
		{"runbook":"https://w/unreadable.md#NICPollStallCheck"}
		{"runbook":"mine"}
		{}
		{"runbook":"https://w/own.md#a%20b"}
	END
	)" ]
	run --separate-stderr emit --runbook-url /usr/share/doc
	status_is 64
	[ "$stderr" = "emit: error: --runbook-url '/usr/share/doc': not an address that begins with http:// or https:// (try 'emit --help')" ]
}

# damage - print damaged lines of every kind, several times each.
damage() {
	local i
	for i in 1 2 3; do
		echo 'garbage'
		echo '{"kind":"event","id":"torn'
		head -c 2000000 /dev/zero | tr '\0' 'x'
		echo
		printf '{"kind":"event","id":"\xff\xfe"}\n'
		echo '[]'
	done
}

@test "each burst of damaged lines gives one warning and loses no event around it" {
	{
		events 1 2
		damage
		events 3 4
		damage
		events 5 5
		printf '{"kind":"event","id":"torn at the e'
	} >"$T/in"
	run --separate-stderr timeout 20 emit <"$T/in"
	status_is 0
	[ "$output" = "$(events 1 5)" ]
	[ "$(grep -c 'emit: warning: stdin: line [0-9]*, byte [0-9]*: skipped' <<<"$stderr")" \
		-eq 3 ]
	stderr_has 'line 3, '
	[ "$(grep -c 'further skipped lines: 14$' <<<"$stderr")" -eq 2 ]
	[ ${#stderr_lines[@]} -eq 5 ]
}

@test "a last line without its newline is delivered with one" {
	printf '%s' "$(events 1 1)" >"$T/in"
	timeout 10 emit --sink "file:$T/out" "$T/in"
	holds "$T/out" 1 1
}

@test "files are read in the order of the command line, and - is stdin" {
	# Each is longer than one read.
	events 1 2000 >"$T/a"
	events 2001 4000 >"$T/b"
	events 4001 6000 >"$T/c"
	timeout 20 emit --sink "file:$T/out" "$T/a" - "$T/c" <"$T/b" 2>"$T/err"
	holds "$T/out" 1 6000
	[ ! -s "$T/err" ]
}

@test "a missing file is named, and emit exits 66" {
	run --separate-stderr timeout 10 emit "$T/missing"
	status_is 66 "^emit: error: $T/missing: No such file or directory$"
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 1 ]
}

@test "an unreadable file is named, and emit exits 74" {
	run --separate-stderr timeout 10 emit "$T"
	status_is 74 "^emit: error: $T: Is a directory$"
}

@test "events read before a missing file are still delivered" {
	events 1 10000 >"$T/good"
	listen_unix slow "$S"
	kill -STOP "$PID"
	local slow=$PID
	started emit emit --sink "unix:$S" --flush-timeout 20s "$T/good" "$T/missing"
	wait_until 10 has_lines 1 "$T/emit.err" 'missing: No such file'
	kill -CONT "$slow"
	ends_with 66 "$PID"
	wait_until 10 is_gone "$slow"
	holds "$T/slow.got" 1 10000
}

# --- files ---

@test "a file sink is created with mode 0640 and appended to" {
	timeout 10 emit --sink "file:$T/out" < <(events 1 2)
	[ "$(stat -c %a "$T/out")" = 640 ]
	timeout 10 emit --sink "file:$T/out" < <(events 3 4)
	holds "$T/out" 1 4
}

@test "a torn last line in a file does not damage the next one" {
	{ events 1 1; printf '{"kind":"event","id":"to'; } >"$T/out"
	run --separate-stderr timeout 10 emit --sink "file:$T/out" < <(events 2 3)
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
	cmp "$T/out" <(events 1 1; echo '{"kind":"event","id":"to'; events 2 3)
}

@test "a renamed file sink is followed by a new file of its name" {
	fed_emit --sink "file:$T/out"
	feed 1 2
	wait_until 10 has_lines 2 "$T/out"
	mv "$T/out" "$T/out.1"
	feed 3 4
	wait_until 10 has_lines 2 "$T/out"
	end_feed
	ends_with 0 "$EMIT"
	holds "$T/out.1" 1 2
	holds "$T/out" 3 4
	[ ! -s "$T/emit.err" ]
}

# overlaps NAMED OPTION... - check that emit exits 64 with only this message, and does not change
# $T/in.
overlaps() {
	local named=$1
	shift
	run --separate-stderr timeout 10 emit --flush-timeout 0 "$@"
	status_is 64
	[ -z "$output" ]
	[ "$stderr" = "emit: error: sink $named" ]
	holds "$T/in" 1 2
}

@test "a sink that is also an input is rejected, under any name of the file" {
	local name spec
	events 1 2 >"$T/in"
	events 3 3 >"$T/other"
	ln "$T/in" "$T/hard"
	ln -s in "$T/soft"
	for name in in hard soft ../"${T##*/}"/in; do
		spec=file:$T/$name
		overlaps "$spec: it is also an input" --sink "file:$T/out" --sink "$spec" \
			"$T/other" "$T/in"
		overlaps "$spec: it is also an input" --sink "$spec" <"$T/in"
		overlaps "$spec: it is also an input" --sink "$spec" "$T/other" - <"$T/in"
		run --separate-stderr timeout 10 bash -c 'emit "$1" >>"$0"' "$T/$name" "$T/in"
		status_is 64 '^emit: error: sink -: it is also an input$'
		holds "$T/in" 1 2
	done
	overlaps "file:$T/none: it is also an input" --sink "file:$T/none" "$T/none"
	[ ! -e "$T/none" ]
	[ ! -e "$T/out" ]
}

@test "a sink that is also the spool, a file beside it, the acks or the silences is rejected" {
	local file
	events 1 2 >"$T/in"
	cd "$T"
	set -- --spool spool --acks acks --silences silences
	ln -s "$T" other
	# Before these files exist, and then with the files of a run.
	for _ in 1 2; do
		for file in 'spool: it is also the spool' 'acks: it is also the acks file' \
			'silences: it is also the silences file' \
			'spool-wal: it is also the spool' 'spool-shm: it is also the spool' \
			'spool-journal: it is also the spool' 'spool.lock: it is also the spool'; do
			overlaps "file:$file" --sink "file:${file%%:*}" "$@" in
			overlaps "file:./$file" --sink "file:./${file%%:*}" "$@" in
			overlaps "file:$T/$file" --sink "file:$T/${file%%:*}" "$@" in
			overlaps "file:other/$file" --sink "file:other/${file%%:*}" "$@" in
		done
		for file in spool acks silences; do [ -e out ] || [ ! -e "$file" ]; done
		emit --sink file:out "$@" in
		touch silences
	done
	holds out 1 2
	overlaps 'file:new/spool: it is also the spool' --spool new/spool --sink file:new/spool in
	[ ! -e new ]
	ln spool hard
	overlaps 'file:hard: it is also the spool' --spool spool --sink file:hard in
	run --separate-stderr timeout 10 bash -c 'emit --spool spool in >>spool'
	status_is 64 '^emit: error: sink -: it is also the spool$'
	[ "$(sqlite3 spool 'PRAGMA integrity_check; SELECT count(*) FROM event')" = $'ok\n2' ]
}

@test "a file that would be two of the spool, the acks, the silences and an input is rejected" {
	# both MESSAGE OPTION... - check that emit exits 64 with this message, and changes nothing.
	both() {
		run --separate-stderr timeout 10 emit --sink file:out --flush-timeout 0 "${@:2}"
		status_is 64
		[ -z "$output" ]
		[ "$stderr" = "emit: error: $1" ]
		holds in 1 2
		[ ! -e out ]
	}
	cd "$T"
	events 1 2 >in
	ln in hard
	both './spool: it is both the spool and the acks file' --spool spool --acks ./spool in
	both 'spool-wal: it is both the spool and the acks file' --spool spool --acks spool-wal in
	both 'spool.lock: it is both the spool and the silences file' \
		--spool spool --silences spool.lock in
	both 'x: it is both the acks file and the silences file' \
		--spool spool --acks x --silences x in
	both 'in: it is both the acks file and an input' --spool spool --acks hard in
	both '-: it is both the acks file and an input' --spool spool --acks hard <in
	both 'in: it is both the spool and an input' --spool in in
	[ ! -e spool ]
	[ ! -e x ]
	run --separate-stderr timeout 10 emit --spool spool --acks acks --silences silences in in
	status_is 0
	[ -z "$stderr" ]
}

@test "a device, a FIFO or another file with the same name may be a sink and an input" {
	events 1 2 >"$T/in"
	run --separate-stderr timeout 10 emit --sink file:/dev/null /dev/null
	status_is 0
	[ -z "$output$stderr" ]
	run --separate-stderr timeout 10 emit --sink - - </dev/null >/dev/null
	status_is 0
	mkfifo "$T/fifo"
	timeout 10 cat "$T/fifo" >"$T/read" &
	run --separate-stderr timeout 10 emit --sink "file:$T/fifo" "$T/fifo" "$T/in"
	mkdir "$T/other"
	run --separate-stderr timeout 10 emit --sink "file:$T/other/in" "$T/in"
	status_is 0
	[ -z "$output$stderr" ]
	holds "$T/other/in" 1 2
	holds "$T/in" 1 2
	# A test event reads no input.
	run --separate-stderr timeout 10 emit --test-sink --sink "file:$T/in" <"$T/in"
	status_is 0
	has_lines 3 "$T/in"
}

@test "10,000 events reach a file in order" {
	events 1 10000 >"$T/in"
	run --separate-stderr timeout 60 emit --sink "file:$T/out" <"$T/in"
	status_is 0
	[ "$stderr" = "" ]
	cmp "$T/in" "$T/out"
}

@test "every sink gets every event" {
	listen_unix socket "$S"
	run --separate-stderr timeout 20 emit --sink - --sink "file:$T/out" \
		--sink "unix:$S" < <(events 1 100)
	status_is 0
	[ "$output" = "$(events 1 100)" ]
	[ "$stderr" = "" ]
	holds "$T/out" 1 100
	wait_until 10 has_lines 100 "$T/socket.got"
	holds "$T/socket.got" 1 100
}

# --- sockets ---

# delivers_to NAME SPEC - check that 1,000 events to that sink arrive whole at listener NAME.
delivers_to() {
	run --separate-stderr timeout 20 emit --sink "$2" < <(events 1 1000)
	status_is 0
	[ "$output" = "" ]
	[ "$stderr" = "" ]
	wait_until 10 has_lines 1000 "$T/$1.got"
	holds "$T/$1.got" 1 1000
}

# chosen EVENT... - send events with these changes to one sink without options and to one with
# "${OPTIONS[@]}"; print the numbers of the second's events.
chosen() {
	load lib/emit
	local n=0 change
	for change; do
		n=$((n + 1))
		nic_events "$n" "$n" "$change"
	done | emit --sink "file:$T/every" --sink "file:$T/chosen" "${OPTIONS[@]}"
	has_lines "$#" "$T/every"
	jq .seq "$T/chosen" | xargs
	rm "$T/every" "$T/chosen"
}

@test "a sink gets only the severities, codes and roles that its options select, and the others get all" {
	local fatal='.isFatal = true' healthy='.isHealthy = true' events
	local identity='.isHealthy = true | .checkName = "NICIdentityCheck"'
	events=(. "$fatal" "$healthy" "$identity")
	OPTIONS=(--min-severity fatal)
	[ "$(chosen "${events[@]}")" = "2 3" ]
	OPTIONS=(--min-severity degraded)
	[ "$(chosen "${events[@]}")" = "1 2 3" ]
	OPTIONS=(--min-severity all)
	[ "$(chosen "${events[@]}")" = "1 2 3 4" ]
	events=('.errorCode = ["a"]' '.errorCode = ["b", "c"]' '.errorCode = ["d"]' \
		'.errorCode = []')
	OPTIONS=(--only-codes "a, c")
	[ "$(chosen "${events[@]}")" = "1 2 4" ]
	events=('.metadata.role = "compute"' '.metadata.role = "storage"' 'del(.metadata.role)')
	OPTIONS=(--only-roles compute)
	[ "$(chosen "${events[@]}")" = "1 3" ]
}

@test "an invalid selection of events is rejected" {
	local wrong
	while IFS='>' read -r wrong why; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr emit $wrong </dev/null
		status_is 64 "^emit: error: .*$why"
	done <<-'END'
		--min-severity fatal>it must come after the --sink that it belongs to
		--only-codes a>it must come after the --sink that it belongs to
		--only-roles a>it must come after the --sink that it belongs to
		--sink - --min-severity fatl>fatal
		--sink - --only-codes ,>a list is missing
		--sink - --only-roles storage,comput>unknown role "comput" \(did you mean "compute"
		--sink alertmanager:http://a:1 --only-roles compute>an alert has no role
	END
}

@test "a unix socket gets every event in order" {
	listen_unix unix "$S"
	delivers_to unix "unix:$S"
}

@test "a TCP socket gets every event in order, by address and by name" {
	local port
	port=$(free_port)
	listen_tcp v4 "$port"
	delivers_to v4 "tcp:127.0.0.1:$port"
	# Without IPv6 or this name there is nothing to test.
	if grep -q '^0\{31\}1 ' /proc/net/if_inet6; then
		port=$(free_port)
		listen v6 "TCP6-LISTEN:$port,bind=[::1],reuseaddr"
		delivers_to v6 "tcp:[::1]:$port"
	fi
	if getent ahostsv4 localhost >/dev/null; then
		port=$(free_port)
		listen_tcp name "$port"
		timeout 20 emit --sink "tcp:localhost:$port" < <(events 1 10)
		wait_until 10 has_lines 10 "$T/name.got"
		holds "$T/name.got" 1 10
	fi
}

# comes_up_late SPEC LISTEN-COMMAND... - check that events from the time without a listener arrive
# once and in order, before the later ones.
comes_up_late() {
	fed_emit --sink "$1" --flush-timeout 30s
	shift
	feed 1 500
	wait_until 10 says 1 'retrying'
	feed 501 1000
	"$@"
	wait_until 20 has_lines 1000 "$T/late.got"
	feed 1001 1010
	end_feed
	ends_with 0 "$EMIT"
	wait_until 10 has_lines 1010 "$T/late.got"
	holds "$T/late.got" 1 1010
}

@test "events from the time without a listener arrive in order and once: unix" {
	comes_up_late "unix:$S" listen_unix late "$S"
}

@test "events from the time without a listener arrive in order and once: tcp" {
	local port
	port=$(free_port)
	comes_up_late "tcp:127.0.0.1:$port" listen_tcp late "$port"
}

# first_arrivals FILE... - print the whole lines of several listeners, each where it first arrived.
first_arrivals() {
	local file
	for file in "$@"; do
		# A listener that died may have read part of a line.
		head -n "$(wc -l <"$file")" "$file"
	done | awk '!seen[$0]++'
}

@test "a listener that dies in the middle of the stream loses no event and no order" {
	events 1 10000 >"$T/in"
	listen_and_die first "$S" 200000
	local first=$PID
	started emit emit --sink "unix:$S" --flush-timeout 30s "$T/in"
	EMIT=$PID
	wait_until 20 is_gone "$first"
	[ "$(wc -l <"$T/first.got")" -lt 10000 ]
	listen_unix second "$S"
	ends_with 0 "$EMIT"
	wait_until 10 is_gone "$PID"
	cmp "$T/in" <(first_arrivals "$T/first.got" "$T/second.got")
}

# --- sinks that fail ---

@test "a sink that is down or hangs does not hold up the others" {
	listen_unix hung "$T/hung.sock"
	kill -STOP "$PID"
	fed_emit --sink "unix:$T/down.sock" --sink "unix:$T/hung.sock" \
		--sink "file:$T/no/such/directory" \
		--sink "file:$T/out" --flush-timeout 100ms
	# More than a socket buffers for a reader that does not read.
	feed 1 10000
	wait_until 20 has_lines 10000 "$T/out"
	is_running "$EMIT"
	holds "$T/out" 1 10000
	end_feed
	ends_with 69 "$EMIT"
	says 1 "error: sink unix:$T/down.sock: 10000 events not delivered"
	says 1 "error: sink unix:$T/hung.sock: [0-9]+ events not delivered"
	says 1 "error: sink file:$T/no/such/directory: 10000 events not delivered"
	says 0 "error: sink file:$T/out"
}

@test "each outage gives one warning and one note" {
	fed_emit --sink "unix:$S"
	local round
	for round in 1 2 3; do
		feed $((3 * round - 2)) $((3 * round))
		wait_until 10 says "$round" "warning: sink unix:$S: .*: retrying"
		listen_unix up "$S"
		wait_until 40 says "$round" "note: sink unix:$S: delivering again"
		# The last events may still be on their way.
		wait_until 10 has_lines $((3 * round)) "$T/up.got"
		# emit need not notice the end of the last listener.
		[ "$round" -eq 3 ] || stopped "$PID"
	done
	end_feed
	ends_with 0 "$EMIT"
	says 6 ''
	says 3 'warning'
	says 3 'note'
	holds "$T/up.got" 1 9
}

@test "a sink that stays down gives one warning, however often emit retries it" {
	run --separate-stderr timeout 20 emit --sink "unix:$S" --flush-timeout 1s < <(events 1 3)
	status_is 69
	[ "$(grep -c 'retrying' <<<"$stderr")" -eq 1 ]
}

@test "at the end of input emit gives up a dead sink within --flush-timeout, reports the count, and exits 69" {
	run --separate-stderr timeout 20 emit --sink "unix:$S" --flush-timeout 300ms < <(events 1 3)
	status_is 69 "^emit: error: sink unix:$S: 3 events not delivered$"
	[ "$output" = "" ]
	[ ${#stderr_lines[@]} -eq 2 ]
}

@test "a sink that is down is no failure if there was no event for it" {
	run --separate-stderr timeout 10 emit --sink "unix:$S" </dev/null
	status_is 0
	[ "$output" = "" ]
}

@test "emit reports undelivered events even with --flush-timeout 0" {
	run --separate-stderr timeout 10 emit --sink "unix:$S" --flush-timeout 0 < <(events 1 2)
	status_is 69 "2 events not delivered"
}

@test "on SIGTERM emit delivers what it has read and exits 0" {
	fed_emit --sink "file:$T/out"
	feed 1 3
	wait_until 10 has_lines 3 "$T/out"
	kill -TERM "$EMIT"
	ends_with 0 "$EMIT"
	holds "$T/out" 1 3
	[ ! -s "$T/emit.err" ]
}

@test "on SIGTERM with a dead sink emit exits 69 within --flush-timeout and reports the count" {
	fed_emit --sink "unix:$S" --sink "file:$T/out" --flush-timeout 200ms
	feed 1 3
	wait_until 10 has_lines 3 "$T/out"
	kill -TERM "$EMIT"
	ends_with 69 "$EMIT"
	says 1 "^emit: error: sink unix:$S: 3 events not delivered$"
	holds "$T/out" 1 3
}

@test "a closed stdout exits 74 with a message instead of dying by SIGPIPE" {
	run --separate-stderr without_reader timeout 10 emit < <(events 1 3)
	status_is 74 '^emit: error: sink -: Broken pipe$'
	stderr_has '^emit: error: sink -: 3 events not delivered$'
}

@test "a closed stdout exits 74 also with a spool, because the rest of the input is not in it" {
	run --separate-stderr without_reader timeout 10 emit --spool "$T/s.db" < <(events 1 10000)
	status_is 74
	stderr_has '^emit: note: sink -: [0-9]+ events not delivered yet: kept in the spool$'
}

# Thorough: sinks
@test "a closed stdout keeps no event from the other sinks" {
	listen_unix socket "$S"
	run --separate-stderr without_reader timeout 20 emit --sink - --sink "file:$T/out" \
		--sink "unix:$S" \
		< <(events 1 10000)
	status_is 74
	[ "$(grep -c 'Broken pipe' <<<"$stderr")" -eq 1 ]
	holds "$T/out" 1 10000
	wait_until 10 is_gone "$PID"
	holds "$T/socket.got" 1 10000
}

@test "emit ends without waiting for the end of input once its only sink is closed for good" {
	mkfifo "$T/feed"
	exec 8<>"$T/feed"
	events 1 1 >&8
	# This shell keeps the input open.
	run --separate-stderr without_reader timeout 10 emit "$T/feed" 8>&-
	status_is 74
}

# soname LIBRARY - print the name by which emit loads it.
soname() { grep -a -o -m 1 -E "$1\.so\.[0-9.]+" "$NHM_BIN/emit" | head -n 1; }

@test "a sink whose library is missing is rejected, and other sinks work without it" {
	local library sink
	mkdir "$T/libraries"
	export LD_LIBRARY_PATH=$T/libraries
	while read -r library sink; do
		# This file cannot be loaded as a library.
		echo >"$T/libraries/$library"
		run --separate-stderr emit --sink "$sink" </dev/null
		status_is 64 "^emit: error: --sink '$sink': $T/libraries/$library: .* \(try 'emit --help'\)$"
	done <<-END
		$(soname libnats) nats:nats://h/s
		$(soname libpq) postgresql://u@h/d
	END
	library=$(soname libcurl)
	echo >"$T/libraries/$library"
	run --separate-stderr emit --sink https://h/ </dev/null
	status_is 71 "^emit: error: sink https://h: cannot be started: $T/libraries/$library: [^:]*$"
	run --separate-stderr emit --sink "file:$T/sent" <<<'{"kind":"event","isHealthy":false}'
	status_is 0
	[ -s "$T/sent" ]
}
