# bash.awk - makes completion for bash from the lines of options.awk. Needs program=NAME.
# SPDX-License-Identifier: Apache-2.0

BEGIN { FS = "\t" }
$1 == "command" { commands = commands " " $2 }
$1 == "option" {
	words = words " --" $3
	if ($4 == "-")
		flags = flags " --" $3
	if ($4 ~ /^(FILE|DIR|PATH)/)
		files = files (files == "" ? "" : " | ") "--" $3
	else if ($4 !~ /^[[-]/)
		others = others (others == "" ? "" : " | ") "--" $3
}
END {
	name = "_" program
	gsub(/-/, "_", name)
	print "# Completion of " program " for bash, made from what it says with --help."
	print name "() {"
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=''"
	print "\tlocal last=${COMP_WORDS[COMP_CWORD - 1]}"
	# Bash takes the = of --option=VALUE for a word of its own.
	print "\t[[ $last != = ]] || last=${COMP_WORDS[COMP_CWORD - 2]}"
	print "\tcase $last in"
	if (files != "")
		print "\t" files ") compopt -o default && return ;;"
	if (others != "")
		print "\t" others ") return ;;"
	print "\tesac"
	print "\t[[ $word != -* ]] || words='" substr(words, 2) "'"
	commands = substr(commands, 2)
	if (commands != "") {
		given = commands
		gsub(/ /, "|", given)
		print "\tlocal before=\" ${COMP_WORDS[*]:1:COMP_CWORD - 1} \""
		# After a command only its own options may have a value.
		print "\tif [[ $before = *' '@(" given ")' '* ]]; then"
		print "\t\t[[ $word != -* ]] || words='" substr(flags, 2) "'"
		print "\telse"
		print "\t\t[[ $word = -* ]] || words='" commands "'"
		print "\tfi"
	}
	print "\tif [ -n \"$words\" ]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")"
	print "\telse"
	print "\t\tcompopt -o default"
	print "\tfi"
	print "}"
	print "complete -F " name " " program
}
