# decode.awk - converts the numbers of `od -tu1` to lines of the record, with printf %b escapes.
# SPDX-License-Identifier: Apache-2.0
BEGIN {
	for (i = 0; i < 256; i++)
		text[i] = sprintf("\\0%03o", i)
	for (i = 32; i < 127; i++)
		text[i] = sprintf("%c", i)
	text[9] = "\\t"
	text[10] = "\\n"
	text[92] = "\\\\"

	# End mark: a newline and the token. The token has no newline, so a partial mark cannot hide
	# the start of another one.
	length_of_end = length(token) + 1
	end[1] = 10
	for (i = 2; i <= length_of_end; i++)
		end[i] = index("0123456789abcdef", substr(token, i - 1, 1)) - 1
	for (i = 2; i <= length_of_end; i++)
		end[i] += end[i] < 10 ? 48 : 87
	begin()
}

function begin() {
	path = ""
	getline path < list
	max = attribute_max
	if (index(path, prefix) == 1) {
		path = substr(path, length(prefix) + 1)
		max = host_max
	}
	buffer = ""
	size = 0
	is_written = 0
}

function flush() {
	if (!is_written)
		printf "F\t%s\t", path
	printf "%s", buffer
	buffer = ""
	is_written = 1
}

function add(byte) {
	if (size++ >= max)
		return
	buffer = buffer text[byte]
	if (length(buffer) > 4000)
		flush()
}

# `.` read completely, `!` hung, `-` not tried, `?` stopped for another reason
function finish(mark) {
	if (!is_written && (mark == "!" || mark == "-")) {
		print (mark == "!" ? "hung" : "untried") "\t" path >> notes
		print "U\t" path "\tread"
	} else if (!is_written && (mark == "?" || doubt && size == 0)) {
		print "?\t" (max == host_max ? prefix : "") path
	} else {
		flush()
		print ""
		if (size > max || mark != ".")
			print "cut\t" path >> notes
	}
	begin()
}

{
	for (i = 1; i <= NF; i++) {
		byte = $i + 0
		if (held == length_of_end) {
			mark = text[byte]
			held++
		} else if (held > length_of_end) {
			held = 0
			finish(mark)
		} else if (byte == end[held + 1]) {
			held++
		} else {
			for (k = 1; k <= held; k++)
				add(end[k])
			held = byte == 10
			if (!held)
				add(byte)
		}
	}
}
