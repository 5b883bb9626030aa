#!/usr/bin/env bats
# Completion for shells: it offers what each program has. test/packaging/run asks zsh and fish
# whether they can read theirs.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { T=$BATS_TEST_TMPDIR; }

# for_shell SHELL PROGRAM - its completion.
for_shell() {
	"$2" --help | awk -f "$ROOT/dist/completion/options.awk" |
		awk -v "program=$2" -f "$ROOT/dist/completion/$1.awk"
}

programs() { find "$NHM_BIN" -type f -executable -printf '%f\n' | sort; }

# options PROGRAM - all that its help has.
options() { "$1" --help | sed -n -E 's/^ {2,6}(-[A-Za-z], )?(--[a-z0-9-]+).*/\2/p' | sort; }

# offered WORD... - what bash offers for the last of these words; `files` for names of files.
offered() {
	for_shell bash "$1" >"$T/completion"
	# shellcheck disable=SC2016 # for the inner shell
	bash -c 'compopt() { echo files; }
		. "$1"; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		"_${1//-/_}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
		- "$T/completion" "$@"
}

@test "bash offers all options of each program, and no other" {
	local program
	for program in $(programs); do
		diff <(options "$program") <(offered "$program" -- | sort) >&2
	done
}

@test "zsh and fish are told of all options of each program, and of no other" {
	local program
	for program in $(programs); do
		diff <(options "$program") <(for_shell zsh "$program" |
			sed -n -E "s/^\t'(--[a-z0-9-]+).*/\1/p" | sort) >&2
		diff <(options "$program") <(for_shell fish "$program" |
			sed -n -E 's/^complete -c .* -l ([a-z0-9-]+) .*/--\1/p' | sort) >&2
	done
}

@test "bash offers files where a file is expected, and nothing for a number or a duration" {
	[ "$(offered emit --spool '')" = files ]
	[ "$(offered ibscan --interval '')" = "" ]
	[ "$(offered ibscan '')" = files ]
	[ "$(offered emit --sp)" = "$(printf '%s\n' --spool --spool-max)" ]
}

@test "bash offers the commands of nhm first, and files after one" {
	[ "$(offered nhm st)" = status ]
	[ "$(offered nhm '' | wc -l)" -ge 12 ]
	[ "$(offered nhm diff '')" = files ]
	[ "$(offered nhm --)" = "$(printf '%s\n' --root --help --version)" ]
}
