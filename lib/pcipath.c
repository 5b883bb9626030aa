/* pcipath - parses PCI paths from sysfs and computes the distance of two functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcipath.h"

#include "text.h"

#include <string.h>

#define HEX_DIGITS "0123456789abcdefABCDEF"

const char *const pcipath_distances[PCIPATH_DISTANCE_N] = {
	[PCIPATH_PIX] = "PIX",
	[PCIPATH_PXB] = "PXB",
	[PCIPATH_PHB] = "PHB",
	[PCIPATH_NODE] = "NODE",
	[PCIPATH_SYS] = "SYS",
};

/* Skip `least` to `most` hexadecimal digits and the character `after`. Return what follows, or NULL
 * if the text differs or is NULL. */
static const char *
skip_hex(const char *text, size_t least, size_t most, char after)
{
	size_t length = text != NULL ? strspn(text, HEX_DIGITS) : 0;
	return length >= least && length <= most && text[length] == after ? text + length + 1
									  : NULL;
}

bool
pcipath_is_address(const char *text)
{
	const char *bus = skip_hex(text, 4, 8, ':');
	const char *function = skip_hex(skip_hex(bus, 2, 2, ':'), 2, 2, '.');
	return function != NULL && function[0] >= '0' && function[0] <= '7' && function[1] == '\0';
}

/* True for `pcidddd:bb`. */
static bool
is_root(const char *text)
{
	return text_has_prefix(text, "pci") &&
	       skip_hex(skip_hex(text + strlen("pci"), 4, 8, ':'), 2, 2, '\0') != NULL;
}

/* Add a component. Return false if there are too many. */
static bool
add(struct pcipath *path, const char *component)
{
	/* A host bridge that is itself on the bus (VMD) has a root bus of its own behind
	 * it. */
	if (is_root(component)) {
		strcpy(path->root, component);
		path->count = 0;
	} else if (pcipath_is_address(component)) {
		if (path->count == PCIPATH_DEPTH_MAX)
			return false;
		strcpy(path->functions[path->count++], component);
	}
	return true;
}

bool
pcipath_parse(struct pcipath *out, const char *path)
{
	char component[PCIPATH_ADDRESS_SIZE];

	*out = (struct pcipath){0};
	for (size_t length; *path != '\0'; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (length >= sizeof component)
			continue;
		memcpy(component, path, length);
		component[length] = '\0';
		if (!add(out, component))
			return false;
	}
	return out->count > 0;
}

const char *
pcipath_function(const struct pcipath *path)
{
	return path->functions[path->count - 1];
}

/* Count the bridges that both paths share. */
static size_t
count_common(const struct pcipath *a, const struct pcipath *b)
{
	size_t count = 0;
	while (count + 1 < a->count && count + 1 < b->count &&
		strcmp(a->functions[count], b->functions[count]) == 0)
		count++;
	return count;
}

enum pcipath_distance
pcipath_distance(const struct pcipath *a, int64_t numa_a, const struct pcipath *b, int64_t numa_b)
{
	if (*a->root == '\0' || strcmp(a->root, b->root) != 0)
		return numa_a >= 0 && numa_a == numa_b ? PCIPATH_NODE : PCIPATH_SYS;
	size_t common = count_common(a, b);
	if (common == 0)
		return PCIPATH_PHB;
	/* Do not count the function itself. */
	size_t bridges_a = a->count - 1 - common, bridges_b = b->count - 1 - common;
	return bridges_a <= 1 && bridges_b <= 1 ? PCIPATH_PIX : PCIPATH_PXB;
}
