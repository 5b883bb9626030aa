/* parse - parses sysfs' InfiniBand attributes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include "num.h"
#include "text.h"

#include <ctype.h>
#include <string.h>

#define DIGITS "0123456789"

/* PCI_EXP_LNKSTA_NLW_X32, the widest (include/uapi/linux/pci_regs.h). */
#define LINK_LANES_MAX 32

/* Parse the first `length` bytes of `text`: num_parse_u64() wants a string of digits only. */
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
parse_link_width(const char *text)
{
	uint64_t lanes;
	return num_parse_u64(text, LINK_LANES_MAX, &lanes) == NUM_OK ? (int64_t)lanes : 0;
}

bool
parse_is_link_speed(const char *text)
{
	return !text_has_prefix(text, "Unknown");
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

/* Parse hexadecimal digits with colons. Return the number of bytes, or 0 if they are not exactly
 * `count`. */
static size_t
parse_bytes(const char *text, uint8_t *bytes, size_t count)
{
	size_t digits = 0;
	for (; *text != '\0'; text++) {
		if (*text == ':')
			continue;
		if (!isxdigit((unsigned char)*text) || digits == 2 * count)
			return 0;
		unsigned value = isdigit((unsigned char)*text)
					 ? (unsigned)(*text - '0')
					 : (unsigned)(tolower((unsigned char)*text) - 'a' + 10);
		uint8_t *byte = &bytes[digits++ / 2];
		*byte = (uint8_t)(*byte << 4 | value);
	}
	return digits == 2 * count ? count : 0;
}

bool
parse_may_be_guid_of(const char *guid, const char *address)
{
	static const uint8_t none[8];
	uint8_t have[8] = {0}, mac[6] = {0};
	if (parse_bytes(guid, have, sizeof have) == 0 ||
		parse_bytes(address, mac, sizeof mac) == 0 || memcmp(have, none, sizeof have) == 0)
		return true;
	/* addrconf_addr_eui48(): insert two bytes in the middle and flip the bit of local
	 * addresses. */
	const uint8_t made[8] = {mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
	return memcmp(have, made, sizeof have) == 0;
}
