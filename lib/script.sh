# script.sh - what our shell scripts have in common: exit codes, messages, finding a tool. The
# Makefile puts it in the place of the #include line; before that a script sets NAME and VERSION.
# SPDX-License-Identifier: Apache-2.0

# As in the other tools (lib/diag.h).
USAGE=64 NO_INPUT=66 OS=71 IO=74

# As in the other tools (lib/diag.c): occupy a closed stdout, so that whatever writes to it fails
# with its own message, and no other file gets the descriptor.
{ true 3>&1; } 2>/dev/null || exec 1</dev/null

unset CDPATH

# The directory of the script itself, which may be called by a link.
here=$(readlink -f -- "$0")
here=${here%/*}

# say LEVEL TEXT - one line for people, whatever the text holds.
say() {
	printf '%s: %s: %s' "$NAME" "$1" "$2" | tr '[:cntrl:]' '?' >&2
	echo >&2
}

die() {
	say error "$2"
	exit "$1"
}

wrong_usage() { die "$USAGE" "$1 (try '$NAME --help')"; }

# print COMMAND... - runs it; what did not arrive (a full disk) ends the run, without a message if
# a signal ended the command, as when nobody reads.
print() {
	{ reason=$("$@" 2>&1 >&3 3>&-); } 3>&1 && return
	code=$?
	[ -n "$reason" ] || exit "$code"
	die "$IO" "stdout: ${reason##*: }"
}

printed() { print "$@" && exit; }

version() { echo "$NAME (nic-health-monitor) $VERSION" | cat; }

# beside NAME - sets `program`: that program of ours beside this one, else where the system finds
# one.
beside() {
	program=$here/$1
	[ -x "$program" ] || program=$(command -v "$1")
}
