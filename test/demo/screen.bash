# screen - where the demo shows what it does: on a terminal of 100 x 30 a live table above and what
# happens below, elsewhere one line after the other. Needs $work, a directory.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

SCREEN_COLUMNS=100
SCREEN_ROWS=30
# Lines of the table: its title, its head, and the NICs with the most trouble.
TABLE_ROWS=10
# Below the title and above the rule; the last row is for the prompt that comes after.
LOG_ROWS=$((SCREEN_ROWS - TABLE_ROWS - 4))

# How far the lines of a paragraph after the first are indented.
HANG=8

screen=''
painted=()
painter=''
red='' yellow='' green='' dim='' bold='' plain=''

# has_screen - stdout is a terminal that is large enough.
has_screen() {
	local size rows columns
	[ -t 1 ] && [ "${TERM:-dumb}" != dumb ] || return 1
	{ size=$(stty size <&3 2>/dev/null); } 3>&1 || return 1
	read -r rows columns <<<"$size"
	[ "$rows" -ge "$SCREEN_ROWS" ] && [ "$columns" -ge "$SCREEN_COLUMNS" ]
}

# screen_begin TITLE
screen_begin() {
	if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
		red=$'\e[1;31m' yellow=$'\e[33m' green=$'\e[32m' dim=$'\e[2m'
		bold=$'\e[1m' plain=$'\e[0m'
	fi
	title=$1
	: >"$work/log"
	: >"$work/table"
	if ! has_screen; then
		echo "$title"
		return
	fi
	screen=yes
	printf '\e[?25l\e[2J'
	paint_on &
	painter=$!
}

# frame - all lines of the screen.
frame() {
	printf '%s%s%s\n\n' "$bold" "$title" "$plain"
	cut -c "1-$SCREEN_COLUMNS" "$work/table" |
		awk -v rows="$TABLE_ROWS" -v red="$red" -v plain="$plain" '
			NR > rows { next }
			/^!!/ { print red $0 plain; next }
			{ print }
			END { for (i = NR; i < rows; i++) print "" }'
	printf '%s%*s%s\n' "$dim" "$SCREEN_COLUMNS" '' "$plain" | sed 's/ /-/g'
	tail -n "$LOG_ROWS" "$work/log"
}

# paint - the lines that are not as they were painted last, in $painted.
paint() {
	local lines i
	mapfile -t lines < <(frame)
	for ((i = 0; i < SCREEN_ROWS - 1; i++)); do
		[ "${lines[i]-}" != "${painted[i]-}" ] || continue
		printf '\e[%d;1H%s\e[K' $((i + 1)) "${lines[i]-}"
	done
	painted=("${lines[@]}")
}

paint_on() {
	while :; do
		paint
		sleep 0.2
	done
}

# screen_end - leaves the last screen as it is, and the cursor below it.
screen_end() {
	[ -n "$screen" ] || return 0
	kill "$painter" 2>/dev/null || true
	wait "$painter" 2>/dev/null || true
	painted=()
	paint
	printf '\e[%d;1H\e[?25h' "$SCREEN_ROWS"
	screen=''
}

# say COLOUR [TEXT] - a paragraph of what happens.
say() {
	if [ -z "$screen" ]; then
		printf '%s%s%s\n' "$1" "${2-}" "$plain"
		return
	fi
	fold -s -w $((SCREEN_COLUMNS - HANG)) <<<"${2-}" |
		sed "s/ *\$//; 2,\$s/^/$(printf '%*s' "$HANG" '')/; s/^/$1/; s/\$/$plain/" >>"$work/log"
}

# breathe SECONDS - a person reads; nobody else waits.
breathe() { [ -z "$screen" ] || sleep "$1"; }
