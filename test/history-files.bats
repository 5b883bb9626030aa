#!/usr/bin/env bats
# history-files: nichist reads spools that are damaged, foreign, hostile, unreadable or being
# written to.
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, and bats sets stderr
# Thorough: sinks
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() {
	load lib/spool
	T=$BATS_TEST_TMPDIR
	S=$T/spool.db
	umask 022
	unset COLUMNS NO_COLOR
}

teardown() {
	end_background
	nothing_survives
}

# refused CODE REGEX FILE - check that nichist rejects the spool with one line for every query.
refused() {
	local what
	for what in --history --standing --dead-letters '--history --format json' \
		--replay '--replay t-1'; do
		# shellcheck disable=SC2086 # these are words
		run --separate-stderr timeout 20 nichist $what --spool "$3"
		status_is "$1" "^nichist: error: $2$"
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "a missing or unreadable file, or one that is no spool, gives one line and its exit code" {
	refused 66 "$T/none: No such file or directory" "$T/none"
	refused 65 "$T: not a spool: not a regular file" "$T"
	mkfifo "$T/fifo"
	refused 65 "$T/fifo: not a spool: not a regular file" "$T/fifo"
	: >"$T/empty"
	refused 65 "$T/empty: not a spool of emit" "$T/empty"
	echo 'hello, this is not a database' >"$T/text"
	refused 65 "$T/text: not a spool: file is not a database" "$T/text"
	sqlite3 "$T/other" 'CREATE TABLE event (number)'
	refused 65 "$T/other: not a spool of emit" "$T/other"
	# nichist did not create the missing file.
	[ ! -e "$T/none" ]
}

@test "a spool of a newer version is rejected" {
	a_night "$S"
	sqlite3 "$S" 'PRAGMA user_version = 2'
	refused 65 "$S: a spool of version 2; this nichist reads version 1" "$S"
}

@test "nichist shows what it can read of a damaged spool, and then reports the damage" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c',
			'd', '1', 1, 0, 'x', 'NONE', 'event ' || i, '{\"seq\":' || i || '}' FROM n"
	# Some pages in the middle.
	dd if=/dev/zero of="$S" bs=4096 seek=$(($(stat -c %s "$S") / 4096 / 2)) count=8 \
		conv=notrunc status=none
	run --separate-stderr timeout 20 nichist --history --format json --spool "$S"
	status_is 65 "^nichist: error: $S: the spool is damaged: "
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	diff <(seq "${#lines[@]}") <(jq .seq <<<"$output")
	[ "${#lines[@]}" -gt 0 ]

	# A database that only has the ids of a spool.
	sqlite3 "$T/hollow" 'PRAGMA application_id = 0x4e484d73; PRAGMA user_version = 1'
	refused 65 "$T/hollow: the spool is damaged: no such table: .*" "$T/hollow"
}

@test "a path is taken literally, whatever characters it has" {
	local name
	a_night "$S"
	cd "$T"
	for name in 'a b?mode=memory#x%20.db' ':memory:' 'file:x' $'new\nline' 'ü'; do
		cp "$S" "$name"
		run --separate-stderr timeout 20 nichist --standing --spool "$name"
		status_is 0
		[ -z "$stderr" ]
		grep -q '^2 conditions: ' <<<"$output"
	done
	cp "$S" "$T/-s.db"
	nichist --standing --spool=-s.db | grep -q '^2 conditions: '
}

# --- beside a writer ---

@test "nichist reads a spool while it is written to, and does not block the writer" {
	to_spool "$S" </dev/null
	# A writer that commits all the time, like a service in trouble. A reader that sees a
	# half-written log index takes the write lock for a moment (SQLite does that), so a commit
	# may fail now and then, and succeeds at once when repeated.
	started writer /usr/bin/python3 -c '
import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
db.execute("PRAGMA synchronous = OFF")
refused = set()
def insert(i, *values):
    while True:
        try:
            return db.execute(*values)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            refused.add(i)
i = 0
while not os.path.exists(sys.argv[2]):
    i += 1
    time.sleep(0.0002)
    record = "{\"kind\":\"event\",\"seq\":%d}" % i
    insert(i, "INSERT INTO event VALUES (?, \"t\", ?, \"t-\" || ?, 1, 1, \"n\", \"a\", \"c\","
        " \"d\", \"1\", 0, 0, \"\", \"NONE\", \"m\", ?)".replace("\"", chr(39)),
        (i, i, i, record))
print(i)
sys.exit(len(refused) > 5)
' "$S" "$T/enough"
	local writer=$PID reads
	for ((reads = 0; reads < 20; reads++)); do
		nichist --history --format json --spool "$S" >"$T/got"
		# Everything that was there, from the first on, in order.
		diff <(seq "$(wc -l <"$T/got")") <(jq .seq "$T/got")
		nichist --history --standing --dead-letters --spool "$S" >"$T/table"
	done
	touch "$T/enough"
	ends_with 0 "$writer"
	[ "$(nichist --history --format json --spool "$S" | wc -l)" -eq "$(cat "$T/writer.out")" ]
}

@test "a reader that pauses does not lock the spool" {
	to_spool "$S" </dev/null
	sqlite3 "$S" "WITH RECURSIVE
		n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO event SELECT i, 't', i, 't-' || i, i * 1000000000, 0, 'n', 'a', 'c',
			'd', '1', 1, 0, 'x', 'NONE', 'event ' || i, '{\"seq\":' || i || '}' FROM n"
	mkfifo "$T/pager"
	started reader bash -c 'exec nichist --history --format json --spool "$1" >"$2"' _ "$S" \
		"$T/pager"
	exec 8<"$T/pager"
	local first
	read -r -t 20 first <&8
	[ "$first" = '{"seq":1}' ]
	# While the rest waits for its reader, a checkpoint can empty the log: no process still
	# reads it.
	sqlite3 "$S" "UPDATE sink SET position = 1; INSERT INTO meta VALUES ('x', 1)"
	[ "$(sqlite3 "$S" 'PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)' | tail \
		-n 1 | cut -d '|' -f 1)" = 0 ]
	[ "$(timeout 20 cat <&8 | wc -l)" -eq 19999 ]
	exec 8<&-
	ends_with 0 "$PID"
}

# --- without rights ---

# as_nobody COMMAND... - run it as a user who owns nothing; needs root.
as_nobody() { run --separate-stderr timeout 20 setpriv --reuid=65534 --regid=65534 \
	--clear-groups "$@"; }

@test "a spool can be read without write permission in its directory" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	# A directory and a program that any user can reach.
	local dir
	dir=$(mktemp -d)
	chmod 755 "$dir"
	cp "$NHM_BIN/nichist" "$dir/nichist"
	a_night "$dir/spool.db"

	# No process has it open, and there is no file beside it.
	rm -f "$dir"/spool.db-*
	as_nobody "$dir/nichist" --standing --spool "$dir/spool.db"
	status_is 0
	[ -z "$stderr" ]
	grep -q '^2 conditions: ' <<<"$output"
	[ "$(ls "$dir")" = "$(printf 'nichist\nspool.db')" ]

	# A writer was killed; its last commit is in the log only.
	run /usr/bin/python3 -c '
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE condition SET message = ? WHERE is_fatal", ("from the log",))
db.commit()
os.kill(os.getpid(), 9)' "$dir/spool.db"
	as_nobody "$dir/nichist" --standing --spool "$dir/spool.db"
	status_is 0
	[ -z "$stderr" ]
	grep -q 'from the log' <<<"$output"

	# An unreadable log is reported.
	rm "$dir/spool.db-shm"
	as_nobody "$dir/nichist" --standing --spool "$dir/spool.db"
	status_is 0 "^nichist: warning: $dir/spool.db-wal cannot be read without write permission in its directory: the latest events are not shown$"
	none grep -q 'from the log' <<<"$output"

	chmod 600 "$dir/spool.db"
	as_nobody "$dir/nichist" --standing --spool "$dir/spool.db"
	status_is 77 "^nichist: error: $dir/spool.db: Permission denied$"
	rm -r "$dir"
}

# --- owners and permissions ---

@test "a spool that others may write to or own is neither shown nor replayed" {
	mkdir "$T/run"
	a_night "$T/run/spool.db"
	chmod 646 "$T/run/spool.db"
	local how
	for how in --history --standing "--replay --sink file:$T/out"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr timeout 20 nichist $how --spool "$T/run/spool.db"
		status_is 77
		[ "$stderr" = "nichist: error: $T/run/spool.db: others may write to it (mode 0646): refusing to read it" ]
		[ -z "$output" ]
		[ ! -e "$T/out" ]
	done
	[ "$(id -u)" -eq 0 ] || return 0 # only root can change a file's owner
	chmod 644 "$T/run/spool.db"
	chown 65534 "$T/run/spool.db"
	run --separate-stderr timeout 20 nichist --history --spool "$T/run/spool.db"
	status_is 77
	[ "$stderr" = "nichist: error: $T/run/spool.db: it belongs to user 65534, not to root: refusing to read it" ]
	# In a directory of the same user it is the service's spool, which root may read.
	chown 65534 "$T/run"
	run --separate-stderr timeout 20 nichist --history --spool "$T/run/spool.db"
	status_is 0
	[ -n "$output" ] && [ -z "$stderr" ]
}

@test "after root has read or replayed the spool of another user, that user's emit can use it" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change a file's owner"
	load lib/emit
	local n what=(--history --standing --dead-letters "--replay --sink file:$T/sent")
	for_anybody emit
	mkdir "$T/run"
	chown 4711:4712 "$T/run"
	for n in "${!what[@]}"; do
		nic_events $((n + 1)) $((n + 1)) | timeout 20 setpriv --reuid=4711 --regid=4712 \
			--clear-groups emit --spool "$T/run/spool.db" --sink - >"$T/out" 2>"$T/err"
		diff /dev/null "$T/err" >&2
		# shellcheck disable=SC2086 # several words
		nichist ${what[n]} --spool "$T/run/spool.db" >/dev/null
		[ -z "$(find "$T/run" -not -user 4711)" ]
	done
	timeout 20 setpriv --reuid=4711 --regid=4712 --clear-groups emit --spool "$T/run/spool.db" \
		--sink - </dev/null 2>"$T/err"
	diff /dev/null "$T/err" >&2
}

# --- hostile text ---

@test "nichist escapes control characters in all text of a table" {
	local evil=$'\e]0;owned\a\e[31mred\e[0m\r\nline\tC1:\xc2\x9b31m bidi:\xe2\x80\xae end'
	# Without the helpers: jq, the shell and sqlite3 would change the text.
	empty_spool "$S"
	EVIL=$evil /usr/bin/python3 -c '
import json, os, sqlite3, sys
evil = os.environ["EVIL"]
record = json.dumps({"kind": "event", "nodeName": evil, "isFatal": True,
    "entitiesImpacted": [{"entityType": "NIC", "entityValue": evil},
        {"entityType": "NICPort", "entityValue": evil}]})
texts = dict(node=evil, agent=evil, check_name=evil, device=evil, port=evil, code=evil,
    action=evil, message=evil)
with sqlite3.connect(sys.argv[1]) as db:
    for table, row in (
        ("event", dict(texts, id=evil, time_ns=1, received_ns=1, is_fatal=1, is_healthy=0,
            record=record)),
        ("condition", dict(texts, about=evil, is_fatal=1, times=1, since_ns=1, last_ns=1,
            opened=1, updated=1)),
        ("sink", dict(name=evil, position=0, changed_ns=1)),
        ("dead_letter", dict(sink=evil, number=1, event_id=evil, time_ns=1, reason=evil,
            record=record)),
    ):
        columns = ", ".join(row), ", ".join("?" * len(row))
        db.execute(f"INSERT INTO {table} ({columns[0]}) VALUES ({columns[1]})", list(row.values()))
' "$S"
	local columns
	for columns in 60 1000 ''; do
		COLUMNS=$columns nichist --history --standing --dead-letters --device "$evil" \
			--spool "$S" >"$T/table"
		LC_ALL=C none grep -q -a '[^[:print:]]' "$T/table"
		[ "$(grep -c -F '1 fatal' "$T/table")" -eq 3 ]
		tr -s ' \n' ' ' <"$T/table" | grep -q \
			-F '\x1b]0;owned\x07\x1b[31mred\x1b[0m\x0d\x0aline\x09C1:\xc2\x9b31m bidi:\xe2\x80\xae end'
	done
	# JSON has the original text, in one line each.
	nichist --history --standing --dead-letters --format json --spool "$S" >"$T/json"
	[ "$(wc -l <"$T/json")" -eq 4 ]
	[ "$(jq -r 'select(.kind == "condition").message' "$T/json")" = "$evil" ]
	none grep -q $'\e' "$T/json"
}

@test "a record that is not JSON affects only itself" {
	a_night "$S"
	sqlite3 "$S" "UPDATE event SET record = 'no json' WHERE number = 1; UPDATE dead_letter SET record = '{'"
	run --separate-stderr nichist --history --dead-letters --device mlx5_0 --spool "$S"
	status_is 0
	[ -z "$stderr" ]
	grep -q '^2 events: ' <<<"$output"
	run --separate-stderr nichist --dead-letters --format json --spool "$S"
	status_is 0
	jq -e '.record == {} and .id == "t-1"' <<<"$output"
}

# --- colours ---

# on_terminal FILE COMMAND... - write its output on a terminal of 200 columns to FILE.
on_terminal() {
	local file=$1
	shift
	timeout 20 script -qec "stty cols 200 rows 50; $(printf '%q ' "$@")" /dev/null </dev/null |
		tr -d '\r' >"$file"
}

@test "nichist uses colours only on a terminal, without NO_COLOR, and not on a dumb one" {
	a_night "$S"
	export TERM=xterm
	on_terminal "$T/colour" nichist --history --spool "$S"
	grep -q -F $'\e[1;31mFATAL\e[0m' "$T/colour"
	grep -q -F $'\e[33mdegraded\e[0m' "$T/colour"
	grep -q -F $'\e[32mhealthy\e[0m' "$T/colour"
	nichist --history --spool "$S" >"$T/plain"
	none grep -q $'\e' "$T/plain"
	# Without the colours it is the same.
	diff <(sed 's/\x1b\[[0-9;]*m//g' "$T/colour") "$T/plain"
	NO_COLOR=1 on_terminal "$T/out" nichist --history --spool "$S"
	diff "$T/out" "$T/plain"
	TERM=dumb on_terminal "$T/out" nichist --history --spool "$S"
	diff "$T/out" "$T/plain"
}
