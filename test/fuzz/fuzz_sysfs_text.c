/* fuzz_sysfs_text - feeds arbitrary bytes, as the content of a sysfs attribute, to every text
 * parser of ibscan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/parse.h"
#include "num.h"
#include "pcifn.h"
#include "pcipath.h"
#include "sysfs.h"
#include "utf8.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text in a record must be valid UTF-8 and contain no control characters for a terminal. */
static void
check_cleaning(const char *text, size_t length)
{
	char clean[256], shown[256];
	size_t n = utf8_sanitize(text, length, clean, sizeof clean);
	for (size_t i = 0; i < n;) {
		size_t step = utf8_char(clean + i, n - i);
		assert(step > 0);
		i += step;
	}
	assert(strlen(clean) == n && utf8_is_valid(clean));
	size_t cut = utf8_cut(clean, n, n / 2);
	clean[cut] = '\0';
	assert(cut <= n / 2 && cut + 4 > n / 2 && utf8_is_valid(clean));
	n = utf8_escape(text, length, shown, sizeof shown);
	for (size_t i = 0; i < n; i++)
		assert((unsigned char)shown[i] >= 0x20 && shown[i] != 0x7F);
}

/* Parse the text up to a blank as a GUID and the rest as an Ethernet address. */
static void
check_guid(const char *text)
{
	char guid[64];
	const char *blank = strchr(text, ' ');
	if (blank == NULL)
		return;
	snprintf(guid, sizeof guid, "%.*s", (int)(blank - text), text);
	assert(parse_may_be_guid_of(guid, "") && parse_may_be_guid_of("", blank + 1));
	parse_may_be_guid_of(guid, blank + 1);
}

/* A uevent attribute has several lines: parse all bytes. */
static void
check_uevent(const char *bytes, size_t size)
{
	char lines[SYSFS_TEXT_MAX], value[64];
	memcpy(lines, bytes, size);
	lines[size] = '\0';
	if (parse_uevent(lines, "DRIVER", value, sizeof value))
		assert(strchr(value, '\n') == NULL && strstr(lines, value) != NULL);
}

/* The distance between two functions must be the same in both directions. */
static void
check_path(const struct pcipath *path)
{
	static const char elsewhere[] = "devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0";
	struct pcipath other;
	assert(pcipath_is_address(pcipath_function(path)));
	assert(pcipath_distance(path, -1, path, -1) != PCIPATH_NODE);
	assert(pcipath_parse(&other, elsewhere));
	assert(pcipath_distance(path, 0, &other, 0) == pcipath_distance(&other, 0, path, 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[SYSFS_TEXT_MAX];
	const char *name;
	int64_t id, lid;
	uint64_t number;
	double gbps;
	struct pcipath path;

	check_cleaning((const char *)data, size);
	int fd = memfd_create("attribute", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	enum sysfs_status status = sysfs_pread(fd, text, sizeof text);
	close(fd);
	assert(status == SYSFS_OK ? size < sizeof text : size >= sizeof text);
	if (status != SYSFS_OK)
		return 0;
	assert(strchr(text, '\n') == NULL);

	if (parse_numbered(text, &id, &name))
		assert(id >= 0 && name > text && name <= text + strlen(text));
	if (parse_rate_gbps(text, &gbps))
		assert(gbps >= 0);
	if (parse_lid(text, &lid))
		assert(lid >= 0 && lid <= UINT16_MAX);
	assert(parse_link_width(text) >= 0 && parse_link_width(text) <= 32);
	parse_is_link_speed(text);
	assert(pcifn_numa_node(text) >= -1 && pcifn_numa_node(text) <= 1023);
	if (num_parse_u64(text, UINT64_MAX, &number) == NUM_OK)
		assert(strlen(text) == strspn(text, "0123456789"));
	if (pcipath_is_address(text))
		assert(strlen(text) >= 12);
	parse_gid(text);
	parse_is_representor(text);
	assert(pcifn_is_nic(PCIFN_VENDOR_MELLANOX, text) == pcifn_is_network(text));
	if (pcipath_parse(&path, text))
		check_path(&path);
	check_guid(text);
	check_uevent((const char *)data, size);
	return 0;
}
