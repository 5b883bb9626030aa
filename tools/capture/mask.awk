# mask.awk - removes serial numbers; with mask=1 also replaces what identifies a machine or a
# network, equal values by equal values.
#
# A replacement keeps kind and relations: an unused GID stays unused, an IPv4-mapped GID stays
# IPv4-mapped, and a GUID or GID derived from a MAC address is derived from that address's
# replacement.
# SPDX-License-Identifier: Apache-2.0
BEGIN {
	# In contents, replace escapes by single bytes that no content has, so that they do not
	# become part of words.
	BACKSLASH = sprintf("%c", 1)
	NEWLINE = sprintf("%c", 2)
	TAB = sprintf("%c", 3)
	OCTAL = sprintf("%c", 4)

	h2 = "[0-9a-f][0-9a-f]"
	h4 = h2 h2
	h8 = h4 h4
	h12 = h8 h4
	h16 = h8 h8
	h32 = h16 h16
	is_mac = "^" h2 times(":" h2, 5) "$"
	is_dashed_mac = "^" h2 times("-" h2, 5) "$"
	is_ipoib = "^" h2 times(":" h2, 19) "$"
	is_guid = "^" h4 times(":" h4, 3) "$"
	is_gid = "^" h4 times(":" h4, 7) "$"
	is_hex = "^(0x)?(" h12 "|" h16 "|" h32 ")$"
	is_uuid = "^((gpu|mig)-)?" h8 "-" h4 "-" h4 "-" h4 "-" h12 "$"
	octet = "[0-9][0-9]?[0-9]?"
	is_ipv4 = "^" octet "\\." octet "\\." octet "\\." octet "(:[0-9]+)?$"
	in_name = "(en|ib|roce|iw|opa|usb)x(" h16 "|" h12 ")"
	serial = "[Ss][Ee][Rr][Ii][Aa][Ll]([ _-]*([Nn]umber|[Nn]o\\.?|[Ii][Dd]))?"
	serial_value = "[ \t]*[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*"
	serial_word = "(" serial "|[Ss]/[Nn])[ \t]*[:=#]?" serial_value
	# SN as a separate word only: a PSN is a packet sequence number.
	serial_sn = "(^|[^A-Za-z0-9_])[Ss][Nn][ \t]*[:=#]" serial_value
	serial_board = "MT[0-9][0-9][0-9][0-9][A-Z][A-Z0-9][0-9][0-9][0-9][0-9][0-9]?"
	string = "\"([^\"" BACKSLASH "]|" BACKSLASH "(" BACKSLASH "|[^" BACKSLASH "]))*\""
	space = "[ " NEWLINE TAB "]*"
	value = "(" string "|\\[[^]]*\\]|[-+.0-9A-Za-z]+)"

	n = split(ENVIRON["NHM_HOSTS"], names, "\n")
	for (i = 1; i <= n; i++)
		add_host(names[i])
	n = split(trees, names, " ")
	for (i = 1; i <= n; i++)
		print "# recorded by nhm-capture " version \
			"; nhm-capture --unpack recreates the tree" > (out names[i])
}

function times(part, count,   all) {
	while (count-- > 0)
		all = all part
	return all
}

# --- replacements ---

function add_host(name) {
	name = tolower(name)
	if (name == "" || name == "localhost")
		return
	hosts[name]
	sub(/\..*/, "", name)
	hosts[name]
}

# Flip the bit that distinguishes a MAC address from the interface identifier derived from it. It is
# in the second digit.
function flip(hex,   digit) {
	digit = index("0123456789abcdef", substr(hex, 2, 1))
	return substr(hex, 1, 1) substr("23016745ab89efcd", digit, 1) substr(hex, 3)
}

function mac(hex) {
	if (hex ~ /^0+$/ || hex ~ /^f+$/)
		return hex
	if (!(hex in macs))
		macs[hex] = ++mac_count
	return sprintf("020000%06x", macs[hex])
}

function id(hex,   middle, new) {
	middle = substr(hex, 7, 4)
	if (hex ~ /^0+$/ || hex ~ /^f+$/)
		return hex
	if (middle == "fffe") {
		new = mac(flip(substr(hex, 1, 6) substr(hex, 11)))
		return flip(substr(new, 1, 6)) "fffe" substr(new, 7)
	}
	if (middle == "0300") {
		new = mac(substr(hex, 1, 6) substr(hex, 11))
		return substr(new, 1, 6) "0300" substr(new, 7)
	}
	if (!(hex in ids))
		ids[hex] = ++id_count
	return sprintf("0200000000%06x", ids[hex])
}

# Replace an IPv4 address by one of the range for benchmarks, which no network uses.
function ipv4(a, b, c, d,   key) {
	if (a + 0 == 0 || a + 0 == 127 || a + 0 >= 224)
		return a "." b "." c "." d
	key = (a + 0) "." (b + 0) "." (c + 0) "." (d + 0)
	if (!(key in addresses))
		addresses[key] = ++address_count
	key = addresses[key]
	return "198." (18 + int(key / 65536)) "." int(key / 256) % 256 "." key % 256
}

function number(hex,   i, result) {
	for (i = 1; i <= length(hex); i++)
		result = result * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return result
}

# Eight digits in network byte order.
function ipv4_hex(hex,   part) {
	split(ipv4(number(substr(hex, 1, 2)), number(substr(hex, 3, 2)),
		number(substr(hex, 5, 2)), number(substr(hex, 7, 2))), part, ".")
	return sprintf("%02x%02x%02x%02x", part[1], part[2], part[3], part[4])
}

function gid(hex,   prefix) {
	prefix = substr(hex, 1, 16)
	if (substr(hex, 1, 24) == "00000000000000000000ffff")
		return substr(hex, 1, 24) ipv4_hex(substr(hex, 25))
	if (hex ~ /^0+1?$/ || hex ~ /^ff/)
		return hex
	if (prefix !~ /^0+$/ && prefix != "fe80000000000000") {
		if (!(prefix in prefixes))
			prefixes[prefix] = ++prefix_count
		prefix = sprintf("20010db8%08x", prefixes[prefix])
	}
	return prefix id(substr(hex, 17))
}

function uuid(old) {
	if (!(old in uuids))
		uuids[old] = ++uuid_count
	return sprintf("00000000-0000-0000-0000-%012x", uuids[old])
}

# --- finding words ---

function plain(word) {
	gsub(/[:-]/, "", word)
	return word
}

# Insert a separator after each `step` digits.
function grouped(hex, step, separator,   result) {
	for (; length(hex) > step; hex = substr(hex, step + 1))
		result = result substr(hex, 1, step) separator
	return result hex
}

function hex_word(word,   prefix) {
	if (word ~ /^0x/) {
		prefix = "0x"
		word = substr(word, 3)
	} else if (word !~ /[a-f]/ && !(word in macs) && !(word in ids))
		# A number, such as a time.
		return word
	return prefix (length(word) == 12 ? mac(word) : length(word) == 16 ? id(word) : gid(word))
}

# Expand an IPv6 address with `::` to 32 digits; empty if it is none.
function expanded(word,   half, left, right, parts, i, all) {
	if (word !~ /^[0-9a-f:]+$/ || split(word, half, "::") != 2 || word ~ /:::/)
		return ""
	left = split(half[1], parts, ":")
	for (i = 1; i <= left; i++)
		all = all substr("0000" parts[i], length(parts[i]) + 1)
	right = split(half[2], parts, ":")
	if (left + right > 7)
		return ""
	all = all times("0000", 8 - left - right)
	for (i = 1; i <= right; i++)
		all = all substr("0000" parts[i], length(parts[i]) + 1)
	return length(all) == 32 ? all : ""
}

function is_host(low,   first) {
	first = low
	sub(/\..*/, "", first)
	return low in hosts || first in hosts
}

# Return the length of a host name at the beginning of a word, before a colon or a dash; 0: there is
# none. Do not look at its letters: some host names are hexadecimal, such as b200-1.
function host_length(word,   at) {
	for (at = length(word) - 1; at > 1; at--)
		if (substr(word, at, 1) ~ /[:-]/ && is_host(tolower(substr(word, 1, at - 1))))
			return at - 1
	return 0
}

# Return the replacement of a word, or the word itself if it needs none.
function known(word,   low, part, port) {
	low = tolower(word)
	if (is_host(low))
		return "host"
	if (low ~ is_uuid)
		return (low ~ /^[gm]/ ? substr(word, 1, 4) : "") uuid(substr(low, length(low) - 35))
	if (low ~ is_mac)
		return grouped(mac(plain(low)), 2, ":")
	if (low ~ is_dashed_mac)
		return grouped(mac(plain(low)), 2, "-")
	if (low ~ is_ipoib)
		return substr(low, 1, 12) grouped(gid(substr(plain(low), 9)), 2, ":")
	if (low ~ is_guid)
		return grouped(id(plain(low)), 4, ":")
	if (low ~ is_gid)
		return grouped(gid(plain(low)), 4, ":")
	if (low ~ is_hex)
		return hex_word(low)
	if (low ~ is_ipv4) {
		port = low
		if (!sub(/^[^:]*:/, ":", port))
			port = ""
		sub(/:.*/, "", low)
		split(low, part, ".")
		if (part[1] > 255 || part[2] > 255 || part[3] > 255 || part[4] > 255)
			return word
		return ipv4(part[1], part[2], part[3], part[4]) port
	}
	if (low ~ /::/ && expanded(low) != "") {
		low = expanded(low)
		return gid(low) == low ? word : grouped(gid(low), 4, ":")
	}
	if (low ~ /:/ && low ~ /^[0-9a-f:]+$/ && gsub(/:/, ":", low) == 7) {
		# Eight groups without leading zeros.
		split(low, part, ":")
		return known(expanded_groups(part))
	}
	return word
}

function expanded_groups(part,   i, all) {
	for (i = 1; i <= 8; i++) {
		if (length(part[i]) > 4 || part[i] == "")
			return ""
		all = all (i > 1 ? ":" : "") substr("0000" part[i], length(part[i]) + 1)
	}
	return all
}

# Replace a word as it stands in a text: with punctuation around it, a label before it, or other
# words joined to it.
function word_replaced(word,   head, tail, new, at) {
	while (word ~ /^[.-]/ || word ~ /^:[^:]/ || word == ":") {
		head = head substr(word, 1, 1)
		word = substr(word, 2)
	}
	while (word ~ /[.-]$/ || word ~ /[^:]:$/) {
		tail = substr(word, length(word)) tail
		word = substr(word, 1, length(word) - 1)
	}
	new = known(word)
	if (new == "" || new == word) {
		new = word
		if ((at = host_length(word)) > 0)
			new = "host" substr(word, at + 1, 1) word_replaced(substr(word, at + 2))
		else if (match(word, /^[A-Za-z0-9_.-]*[g-zG-Z_][A-Za-z0-9_.-]*:/)) {
			at = RLENGTH
			new = word_replaced(substr(word, 1, at - 1)) ":" \
				word_replaced(substr(word, at + 1))
		} else if (match(word, /:[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/)) {
			# As in ::ffff:10.0.0.1.
			at = RSTART
			new = word_replaced(substr(word, 1, at - 1)) ":" known(substr(word, at + 1))
		} else if ((at = index(word, "-")) > 0)
			new = word_replaced(substr(word, 1, at - 1)) "-" \
				word_replaced(substr(word, at + 1))
	}
	return head new tail
}

# match() sets global variables: use them before calling another function that calls match().
function text(line,   result, word) {
	while (match(line, /[0-9A-Za-z_.:-]+/)) {
		result = result substr(line, 1, RSTART - 1)
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		result = result word_replaced(word)
	}
	return result line
}

# Replace the hosts in addresses, such as those of sinks: they are other machines, whose names are
# nowhere else. text() replaces IPv4 addresses.
function hosts_replaced(line,   result, place, port, at) {
	gsub(/serverName: "[^"]*"/, "serverName: \"host\"", line)
	# The address of a sink tcp: has no slashes.
	while (match(line, /(:\/\/|"tcp:)[^\/?" \\]+/)) {
		place = substr(line, RSTART, RLENGTH)
		result = result substr(line, 1, RSTART - 1)
		line = substr(line, RSTART + RLENGTH)
		at = place ~ /^:/ ? 3 : 5
		result = result substr(place, 1, at)
		place = substr(place, at + 1)
		port = match(place, /:[0-9]+$/) ? substr(place, RSTART) : ""
		result = result (place ~ /^[0-9.]+(:[0-9]+)?$/ ? place : "host" port)
	}
	return result line
}

# Replace names that udev derives from an address: enx0c42a1000001, rocex0c42a10300000001.
function names_replaced(line,   result, name, digits) {
	while (match(line, in_name)) {
		result = result substr(line, 1, RSTART - 1)
		name = digits = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		sub(/^[a-z]*x/, "", digits)
		result = result substr(name, 1, length(name) - length(digits)) \
			(length(digits) == 12 ? mac(digits) : id(digits))
	}
	return result line
}

function no_serials(line,   before) {
	gsub(serial_word, "serial (omitted)", line)
	while (match(line, serial_sn)) {
		before = RSTART - (substr(line, RSTART, 1) ~ /[Ss]/)
		line = substr(line, 1, before) "serial (omitted)" substr(line, RSTART + RLENGTH)
	}
	gsub(serial_board, "(omitted)", line)
	return line
}

# --- contents ---

# Replace the value of each member whose key matches by `new`.
function member_replaced(json, name, new,   result, member, key, old) {
	while (match(json, string space ":" space value)) {
		member = substr(json, RSTART, RLENGTH)
		result = result substr(json, 1, RSTART - 1)
		json = substr(json, RSTART + RLENGTH)
		match(member, "^" string space ":" space)
		key = substr(member, 1, RLENGTH)
		old = substr(member, RLENGTH + 1)
		if (tolower(key) !~ name) {
			# The value may contain members itself.
			result = result key
			json = old json
			if (old !~ /^\[/) {
				result = result old
				json = substr(json, length(old) + 1)
			} else {
				result = result "["
				json = substr(json, 2)
			}
			continue
		}
		if (old ~ /^"/ && name !~ /serial/)
			add_host(substr(old, 2, length(old) - 2))
		result = result key new
	}
	return result json
}

function metadata(content) {
	content = member_replaced(content, "serial", "null")
	if (mask) {
		content = member_replaced(content, "\"(node|node_?name|host_?name)\"", "\"host\"")
		content = text(content)
	}
	return content
}

# Replace the hexadecimal columns of a route table. IPv4 addresses in it are little-endian.
function route(content, six,   lines, n, i, j, words, count, result, field, old) {
	n = split(content, lines, NEWLINE)
	for (i = 1; i <= n; i++) {
		count = split(lines[i], words, six ? " " : TAB)
		for (j = 1; j <= (six ? 5 : 3); j++) {
			old = words[j]
			field = tolower(old)
			if (six && field ~ ("^" h32 "$"))
				field = gid(field)
			else if (!six && j > 1 && field ~ ("^" h8 "$"))
				field = toupper(swapped(ipv4_hex(swapped(field))))
			else
				continue
			sub(old, field, lines[i])
		}
		result = result (i > 1 ? NEWLINE : "") lines[i]
	}
	return result
}

function swapped(hex) {
	return substr(hex, 7, 2) substr(hex, 5, 2) substr(hex, 3, 2) substr(hex, 1, 2)
}

function opened(content) {
	gsub(/\\\\/, BACKSLASH, content)
	gsub(/\\n/, NEWLINE, content)
	gsub(/\\t/, TAB, content)
	gsub(/\\0/, OCTAL, content)
	return content
}

function closed(content) {
	gsub(BACKSLASH, "\\\\\\\\", content)
	gsub(NEWLINE, "\\n", content)
	gsub(TAB, "\\t", content)
	gsub(OCTAL, "\\0", content)
	return content
}

# --- the files ---

mode ~ /(^|\/)node\.tree$/ {
	at = index($0, "\t")
	path = substr($0, at + 1)
	content = ""
	if (substr($0, 1, 1) == "F") {
		at = index(path, "\t")
		content = substr(path, at)
		path = substr(path, 1, at - 1)
		if (path == "var/lib/nvsentinel/gpu_metadata.json")
			content = closed(metadata(opened(content)))
		else if (mask && path ~ /^proc\/net\//)
			content = closed(route(opened(substr(content, 2)), path ~ /6/))
		else if (mask && path ~ /^etc\/|\/(node_guid|sys_image_guid|gids\/[^\/]+)$/)
			content = closed(text(opened(content)))
		if (content !~ /^\t/)
			content = "\t" content
	}
	line = substr($0, 1, 2) path content
	print (mask ? names_replaced(line) : line) > (out mode)
	next
}

{
	line = no_serials($0)
	header = ""
	# Priority, sequence number and time of a record of /dev/kmsg.
	if (mode == "kmsg.txt" && match(line, /^[0-9]+,[0-9]+,[0-9]+,[^;]*;/)) {
		header = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
	}
	print header (mask ? names_replaced(text(hosts_replaced(line))) : line) > (out mode)
}
