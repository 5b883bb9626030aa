# fish.awk - makes completion for fish from the lines of options.awk. Needs program=NAME.
# SPDX-License-Identifier: Apache-2.0

function quoted(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/'/, "\\'", text)
	return "'" text "'"
}

BEGIN {
	FS = "\t"
	print "# Completion of " program " for fish, made from what it says with --help."
}
$1 == "command" {
	commands = commands " " $2
	names[++n] = $2
	texts[n] = $3
}
$1 == "option" {
	takes = ""
	if ($4 ~ /^(FILE|DIR|PATH)/)
		takes = " -r -F"
	else if ($4 !~ /^[[-]/)
		takes = " -x"
	option[++m] = ($2 == "-" ? "" : " -s " $2) " -l " $3 takes " -d " quoted($5)
	valued[m] = takes != ""
}
END {
	before = " -n 'not __fish_seen_subcommand_from" commands "'"
	# After a command only its own options may have a value.
	for (i = 1; i <= m; i++)
		print "complete -c " program (n > 0 && valued[i] ? before : "") option[i]
	for (i = 1; i <= n; i++)
		print "complete -c " program before " -f -a " names[i] " -d " quoted(texts[i])
}
