/* parse - the texts of sysfs' InfiniBand attributes, as pure functions. */
#include "parse.h"

#include "num.h"

#include <ctype.h>
#include <string.h>

#define DIGITS "0123456789"

/* Copies `length` digits, which num_parse_u64() wants alone. */
static bool
leading_number(const char *text, size_t length, uint64_t max, uint64_t *out)
{
	char digits[20];
	if (length == 0 || length >= sizeof digits)
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	return num_parse_u64(digits, max, out) == NUM_OK;
}

bool
parse_numbered(const char *text, int64_t *id, const char **name)
{
	uint64_t value;
	size_t digits = strspn(text, DIGITS);
	if (text[digits] != ':' || !leading_number(text, digits, INT32_MAX, &value))
		return false;
	*id = (int64_t)value;
	*name = text + digits + 1;
	while (isspace((unsigned char)**name))
		(*name)++;
	return true;
}

bool
parse_rate_gbps(const char *text, double *gbps)
{
	char number[24];
	size_t length = strspn(text, DIGITS ".");
	if (length == 0 || length >= sizeof number || strncmp(text + length, " Gb/sec", 7) != 0)
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	return num_parse_double(number, gbps) == NUM_OK;
}

bool
parse_lid(const char *text, int64_t *lid)
{
	uint64_t value;
	if (num_parse_hex(text, UINT16_MAX, &value) != NUM_OK)
		return false;
	*lid = (int64_t)value;
	return true;
}

int64_t
parse_numa_node(const char *text)
{
	uint64_t value;
	return num_parse_u64(text, 1023, &value) == NUM_OK ? (int64_t)value : -1;
}

static bool
is_hex(const char *text, size_t least, size_t most, size_t *length)
{
	size_t n = strspn(text, DIGITS "abcdefABCDEF");
	*length = n;
	return n >= least && n <= most;
}

bool
parse_is_pci_address(const char *text)
{
	size_t n;
	if (!is_hex(text, 4, 8, &n) || text[n] != ':')
		return false;
	text += n + 1;
	if (!is_hex(text, 2, 2, &n) || text[n] != ':')
		return false;
	text += n + 1;
	if (!is_hex(text, 2, 2, &n) || text[n] != '.')
		return false;
	text += n + 1;
	return text[0] >= '0' && text[0] <= '7' && text[1] == '\0';
}

bool
parse_uevent(const char *lines, const char *key, char *value, size_t size)
{
	size_t key_length = strlen(key);
	for (const char *line = lines; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		if (length > key_length && strncmp(line, key, key_length) == 0 &&
			line[key_length] == '=') {
			size_t value_length = length - key_length - 1;
			if (value_length == 0 || value_length >= size)
				return false;
			memcpy(value, line + key_length + 1, value_length);
			value[value_length] = '\0';
			return true;
		}
		line += length + (line[length] == '\n');
	}
	return false;
}

enum parse_gid
parse_gid(const char *text)
{
	if (text[strspn(text, "0:")] == '\0')
		return GID_UNUSED;
	return strncmp(text, "0000:0000:0000:0000:0000:ffff:", 30) == 0 ? GID_IPV4_MAPPED
									: GID_OTHER;
}

bool
parse_is_representor(const char *phys_port_name)
{
	const char *at = phys_port_name;
	if (*at == 'c') {
		at++;
		at += strspn(at, DIGITS);
	}
	return strncmp(at, "pf", 2) == 0;
}
