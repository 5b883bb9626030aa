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
	print "complete -c " program ($2 == "-" ? "" : " -s " $2) " -l " $3 takes " -d " quoted($5)
}
END {
	for (i = 1; i <= n; i++)
		print "complete -c " program " -n 'not __fish_seen_subcommand_from" commands \
			"' -f -a " names[i] " -d " quoted(texts[i])
}
