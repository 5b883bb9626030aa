# options.awk - converts the output of a program's --help to a line for each of its options and
# commands, with tabs between the parts. Input of the scripts beside it.
#
#	option	LETTER or -	NAME	ARGUMENT, [ARGUMENT] if optional, or -	DESCRIPTION
#	command	NAME	DESCRIPTION
# SPDX-License-Identifier: Apache-2.0

BEGIN { OFS = "\t" }

function flush() {
	if (kind == "option")
		print kind, letter, name, argument, text
	else if (kind == "command")
		print kind, name, text
	kind = ""
}

# An option begins with two or six blanks, and a command with two; a continuation line has more.
/^(  -[A-Za-z], --|      --)[a-z]/ {
	flush()
	kind = "option"
	line = $0
	sub(/^ +/, "", line)
	letter = "-"
	if (line ~ /^-[A-Za-z], /) {
		letter = substr(line, 2, 1)
		line = substr(line, 5)
	}
	match(line, /^--[a-z0-9-]+/)
	name = substr(line, 3, RLENGTH - 2)
	line = substr(line, RLENGTH + 1)
	argument = "-"
	if (match(line, /^(\[=| )[^ ]+/)) {
		argument = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		sub(/^ /, "", argument)
		sub(/^\[=/, "[", argument)
	}
	sub(/^ +/, "", line)
	text = line
	next
}
/^  [a-z][a-z-]+( |$)/ {
	flush()
	kind = "command"
	line = $0
	sub(/^ +/, "", line)
	match(line, /^[a-z-]+/)
	name = substr(line, 1, RLENGTH)
	text = match(line, /  +/) ? substr(line, RSTART + RLENGTH) : ""
	next
}
/^        / && kind != "" {
	line = $0
	sub(/^ +/, "", line)
	text = text (text == "" ? "" : " ") line
	next
}
{ flush() }
END { flush() }
