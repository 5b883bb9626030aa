/* layout - reads the offsets of the struct members that probes need. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "array.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Members to find, and where to store their offsets. */
static const struct member {
	const char *type, *name;
	size_t target; /* offset in struct layout */
} members[] = {
	{"ib_event", "device", offsetof(struct layout, event_device)},
	{"ib_event", "element", offsetof(struct layout, event_element)},
	{"ib_event", "event", offsetof(struct layout, event_type)},
	{"ib_device", "name", offsetof(struct layout, device_name)},
};

static bool
find_member(const struct btf *types, const struct member *member, uint32_t *offset)
{
	int id = btf__find_by_name_kind(types, member->type, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(types, (uint32_t)id);
	for (uint16_t i = 0; type != NULL && i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(types, btf_members(type)[i].name_off);
		if (name == NULL || strcmp(name, member->name) != 0)
			continue;
		*offset = btf_member_bit_offset(type, i) / CHAR_BIT;
		return true;
	}
	return false;
}

static const char *
find_all(const struct btf *types, struct layout *out)
{
	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		/* NOLINTNEXTLINE(bugprone-casting-through-void): the members are uint32_t */
		uint32_t *target = (void *)((char *)out + members[i].target);
		if (!find_member(types, &members[i], target))
			return "the BTF of ib_core lacks a member of ib_event or ib_device";
	}
	return NULL;
}

/* `base` is NULL for types that do not build on others. Return NULL with errno on failure. */
static struct btf *
open_types_new(const char *sysfs_root, const char *name, struct btf *base)
{
	char path[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s/kernel/btf/%s", sysfs_root, name) >=
		sizeof path) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return btf__parse_raw_split(path, base);
}

const char *
layout_read(const char *sysfs_root, struct layout *out)
{
	/* Suppress libbpf's messages: layout_read() returns the reason. */
	libbpf_set_print(NULL);
	struct btf *kernel = open_types_new(sysfs_root, "vmlinux", NULL);
	struct btf *core = kernel == NULL ? NULL : open_types_new(sysfs_root, "ib_core", kernel);
	const char *problem = NULL;
	if (core != NULL)
		problem = find_all(core, out);
	else if (errno == ENOENT)
		problem = "the kernel has no BTF of ib_core";
	else
		problem = "the BTF of ib_core cannot be read";
	btf__free(core);
	btf__free(kernel);
	return problem;
}
