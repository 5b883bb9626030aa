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
	print "complete -c " program " -n __fish_use_subcommand -f -a " $2 " -d " quoted($3)
}
$1 == "option" {
	takes = ""
	if ($4 ~ /^(FILE|DIR|PATH)/)
		takes = " -r -F"
	else if ($4 !~ /^[[-]/)
		takes = " -x"
	print "complete -c " program ($2 == "-" ? "" : " -s " $2) " -l " $3 takes " -d " quoted($5)
}
