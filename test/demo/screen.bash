# screen - where the demo shows what it does: on a terminal of 100 x 30 a live table above and what
# happens below, elsewhere one line after the other. Needs $work, a directory.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

SCREEN_COLUMNS=100
SCREEN_ROWS=30
# Lines of the table: its title, its head, and the NICs with the most trouble.
TABLE_ROWS=10
LOG_ROWS=$((SCREEN_ROWS - TABLE_ROWS - 3))

screen=''
painter=''
red='' yellow='' green='' dim='' bold='' plain=''

# has_screen - stdout is a terminal that is large enough.
has_screen() {
	local rows columns
	[ -t 1 ] && [ "${TERM:-dumb}" != dumb ] || return 1
	read -r rows columns < <(stty size 2>/dev/null <&1) || return 1
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

# paint - the whole screen; what is shorter than before is cleared.
paint() {
	local frame
	frame=$(
		printf '%s%s%s\n\n' "$bold" "$title" "$plain"
		cut -c "1-$SCREEN_COLUMNS" "$work/table" |
			head -n "$TABLE_ROWS" |
			awk -v rows="$TABLE_ROWS" -v red="$red" -v plain="$plain" '
				/^!!/ { print red $0 plain; next }
				{ print }
				END { for (i = NR; i < rows; i++) print "" }'
		printf '%s%*s%s\n' "$dim" "$SCREEN_COLUMNS" '' "$plain" | sed 's/ /-/g'
		tail -n "$LOG_ROWS" "$work/log"
	)
	printf '\e[H%s\e[K\e[J' "${frame//$'\n'/$'\e[K\n'}"
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
	paint
	printf '\e[?25h\e[%d;1H\n' "$SCREEN_ROWS"
	screen=''
}

# say COLOUR [TEXT] - a paragraph of what happens.
say() {
	if [ -z "$screen" ]; then
		printf '%s%s%s\n' "$1" "${2-}" "$plain"
		return
	fi
	fold -s -w "$SCREEN_COLUMNS" <<<"${2-}" |
		sed "s/ *\$//; s/^/$1/; s/\$/$plain/" >>"$work/log"
}

# breathe SECONDS - a person reads; nobody else waits.
breathe() { [ -z "$screen" ] || sleep "$1"; }
