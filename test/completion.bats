#!/usr/bin/env bats
# completion: the shell completions offer exactly each program's options. test/packaging/run checks
# that zsh and fish can read theirs.
# shellcheck disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0

load lib/common

setup() { T=$BATS_TEST_TMPDIR; }

# for_shell SHELL PROGRAM - print the program's completion for that shell.
for_shell() {
	"$2" --help | awk -f "$ROOT/dist/completion/options.awk" |
		awk -v "program=$2" -f "$ROOT/dist/completion/$1.awk"
}

programs() { find "$NHM_BIN" -type f -executable -printf '%f\n' | sort; }

# options PROGRAM - print all options in the program's --help.
options() { "$1" --help | sed -n -E 's/^ {2,6}(-[A-Za-z], )?(--[a-z0-9-]+).*/\2/p' | sort; }

# offered WORD... - print what bash offers for the last word; `files` for file names.
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

@test "bash offers exactly each program's options" {
	local program
	for program in $(programs); do
		diff <(options "$program") <(offered "$program" -- | sort) >&2
	done
}

@test "the zsh and fish completions have exactly each program's options" {
	local program
	for program in $(programs); do
		diff <(options "$program") <(for_shell zsh "$program" |
			sed -n -E "s/^\t'\*?(--[a-z0-9-]+).*/\1/p" | sort) >&2
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

@test "bash offers the same after --option= as after --option" {
	[ "$(offered emit --spool =)" = files ]
	[ "$(offered emit --spool = n)" = files ]
	[ "$(offered nhm --root = n)" = files ]
	[ "$(offered nhm --root = node st)" = status ]
	[ "$(offered ibscan --interval =)" = "" ]
	[ "$(offered ibscan --interval = 1)" = "" ]
}

@test "bash offers the commands of nhm first, and files after a command" {
	[ "$(offered nhm st)" = status ]
	[ "$(offered nhm '' | wc -l)" -ge 12 ]
	[ "$(offered nhm diff '')" = files ]
	[ "$(offered nhm --)" = "$(printf '%s\n' --root --help --version)" ]
}

@test "zsh offers an option again that was given before, as each sink has its --token-file" {
	# The asterisk tells _arguments that an option may be repeated.
	for_shell zsh emit | grep -F "'*--sink=[" >&2
	for_shell zsh emit | grep -F "'*-v[" >&2
}

@test "no shell takes the next word for an optional argument, as in --kmsg[=PATH]" {
	[ "$(offered logmatch --kmsg --sta)" = --state ]
	[ "$(offered nic-health-monitor --poll-stall-store-only --no)" = --node ]
	for_shell zsh logmatch | grep "'\*--kmsg=-\[.*\]::PATH:_files'" >&2
	for_shell fish logmatch | grep -e "-l kmsg -d" >&2
}

@test "bash offers the commands of nhm after --root DIR, too, and files after a command" {
	[ "$(offered nhm --root node st)" = status ]
	[ "$(offered nhm --root node diff '')" = files ]
}

# Thorough: tools
@test "no shell offers nhm's --root after a command, which refuses it" {
	local shell
	[ "$(offered nhm --ro)" = --root ]
	[ "$(offered nhm --root node history --ro)" = "" ]
	[ "$(offered nhm history -- | xargs)" = "--help --version" ]
	for shell in fish zsh; do
		command -v "$shell" >/dev/null ||
			skip "left out: no $shell (dist/install-deps --thorough installs it)"
		for_shell "$shell" nhm >"$T/_nhm.$shell"
	done
	# shellcheck disable=SC2016 # for fish
	in_fish() { (cd "$T" && HOME=$T fish -N -c 'source _nhm.fish; complete -C $argv' "$1"); }
	[[ $(in_fish 'nhm --ro') = --root* ]]
	[ -z "$(in_fish 'nhm --root node history --ro')" ]
	[[ $(in_fish 'nhm history --he') = --help* ]]
	grep -q -F "'(--root)1:command:" "$T/_nhm.zsh"
}

# Thorough: tools
@test "fish offers the commands of nhm after --root DIR, too, and none after a command" {
	command -v fish >/dev/null || skip "left out: no fish (dist/install-deps --thorough installs it)"
	for_shell fish nhm >"$T/nhm.fish"
	# shellcheck disable=SC2016 # for fish
	in_fish() { (cd "$T" && HOME=$T fish -N -c 'source nhm.fish; complete -C $argv' "$1"); }
	[[ $(in_fish 'nhm --root node st') = status* ]]
	[[ $(in_fish 'nhm --root node diff st') != *status* ]]
}
