/* chardev - the kinds of InfiniBand character devices and their state in a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "chardev.h"

#include "errorcode.h"
#include "words.h"

#include <string.h>

static const char *const names[] = {
	[CHARDEV_UVERBS] = CODE_UVERBS,
	[CHARDEV_UMAD] = CODE_UMAD,
	[CHARDEV_ISSM] = CODE_ISSM,
};

const char *
chardev_name(enum chardev_kind kind)
{
	return names[kind];
}

enum chardev_kind
chardev_find(const char *name)
{
	return (enum chardev_kind)words_find(names, CHARDEV_KIND_N, name);
}

bool
chardev_is_infiniband(const char *link_layer)
{
	return link_layer != NULL && strcmp(link_layer, "InfiniBand") == 0;
}
