# zsh.awk - makes completion for zsh from the lines of options.awk. Needs program=NAME.
# SPDX-License-Identifier: Apache-2.0

# Escape a description for use between brackets and apostrophes.
function quoted(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/\[|\]|:/, "\\\\&", text)
	gsub(/'/, "'\\''", text)
	return text
}

BEGIN {
	FS = "\t"
	print "#compdef " program
	print "# Completion of " program " for zsh, made from what it says with --help."
}
$1 == "command" { commands = commands " '" $2 ":" quoted($3) "'" }
$1 == "option" {
	what = "[" quoted($5) "]"
	takes = ""
	optional = sub(/^\[/, "", $4) && sub(/\]$/, "", $4)
	if ($4 ~ /^(FILE|DIR|PATH)/)
		takes = ":" $4 ":_files"
	else if ($4 != "-")
		takes = ":" quoted($4) ":"
	if (takes != "" && !optional)
		valued = valued " --" $3
	# The argument of "=-" is never the next word.
	option = "--" $3 (takes == "" ? "" : optional ? "=-" : "=")
	takes = (optional ? ":" : "") takes
	# Without the asterisk zsh would offer an option once: not --sink after another --sink.
	options = options " \\\n\t'*" option what takes "'"
	if ($2 != "-")
		options = options " \\\n\t'*-" $2 what "'"
}
END {
	if (commands != "") {
		print "local -a commands=(" substr(commands, 2) ")"
		# After a command only its own options may have a value.
		options = options " \\\n\t'(" substr(valued, 2) ")1:command: _describe command commands'"
	}
	print "_arguments" options " \\\n\t'*:file:_files'"
}
