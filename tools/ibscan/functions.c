/* functions - network functions on the PCI bus: what is left of a NIC that class/infiniband
 * lacks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "functions.h"

#include "pcifn.h"
#include "record.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum binding {
	BINDING_UNKNOWN, /* the link cannot be looked at: no evidence */
	BINDING_NONE,
	BINDING_DRIVER,
};

struct function {
	char *pci;
	enum binding binding;
	char driver[NAME_MAX + 1];
	bool nvidia; /* a network controller of NVIDIA's */
	bool marked; /* a device of this scan is on it */
};

struct functions {
	bool known;
	struct function *items; /* in natural order */
	size_t count;
};

struct functions *
functions_new(void)
{
	return calloc(1, sizeof(struct functions));
}

static void
clear(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->items[i].pci);
	free(functions->items);
	functions->items = NULL;
	functions->count = 0;
	functions->known = false;
}

void
functions_free(struct functions *functions)
{
	if (functions == NULL)
		return;
	clear(functions);
	free(functions);
}

/* --- looking --- */

static bool
is_on_bus(int root, const char *pci)
{
	char path[PATH_MAX];
	struct stat status;
	int n = snprintf(path, sizeof path, "bus/pci/devices/%s", pci);
	return n < 0 || n >= (int)sizeof path || sysfs_stat(root, path, &status) != SYSFS_ABSENT;
}

/* False when the function has left the bus, which is asked last: what it had no more was then taken
 * from it by leaving. */
static bool
look(struct function *function, int root)
{
	switch (pcifn_link(
		root, function->pci, "driver", function->driver, sizeof function->driver)) {
	case SYSFS_OK:
		function->binding = BINDING_DRIVER;
		return true;
	case SYSFS_ABSENT:
		function->binding = BINDING_NONE;
		break;
	case SYSFS_UNREADABLE:
		function->binding = BINDING_UNKNOWN;
		break;
	}
	return is_on_bus(root, function->pci);
}

/* Fills in what stays the same. False for what is not a function of a NIC of this host's. One whose
 * class cannot be read may be: it is on the bus, and must not be taken for gone. */
static bool
is_wanted(struct function *function, int root)
{
	char vendor[SYSFS_TEXT_MAX], class[SYSFS_TEXT_MAX], physfn[NAME_MAX + 1];
	enum sysfs_status status = pcifn_read(root, function->pci, "class", class, sizeof class);

	if (status == SYSFS_ABSENT || (status == SYSFS_OK && !pcifn_is_network(class)))
		return false;
	if (pcifn_link(root, function->pci, "physfn", physfn, sizeof physfn) != SYSFS_ABSENT)
		return false;
	function->nvidia =
		status == SYSFS_OK &&
		pcifn_read(root, function->pci, "vendor", vendor, sizeof vendor) == SYSFS_OK &&
		pcifn_is_nic(vendor, class);
	return true;
}

/* Takes `name` over, if it is that of a NIC's function. */
static void
add(struct functions *functions, int root, char **name)
{
	struct function *function = &functions->items[functions->count];

	*function = (struct function){.pci = *name};
	if (!is_wanted(function, root) || !look(function, root))
		return;
	*name = NULL;
	functions->count++;
}

void
functions_list(struct functions *functions, int root)
{
	struct sysfs_names names;

	clear(functions);
	if (sysfs_list_path(root, "bus/pci/devices", PCIFN_MAX, &names) == SYSFS_OK) {
		functions->items = calloc(names.count + 1, sizeof *functions->items);
		functions->known = functions->items != NULL;
	}
	for (size_t i = 0; functions->known && i < names.count; i++)
		add(functions, root, &names.names[i]);
	sysfs_names_fini(&names);
}

static int
compare(const void *pci, const void *item)
{
	return strverscmp(pci, ((const struct function *)item)->pci);
}

void
functions_mark(struct functions *functions, const char *pci)
{
	struct function *found = functions->count == 0
					 ? NULL
					 : bsearch(pci, functions->items, functions->count,
						   sizeof *functions->items, compare);
	if (found != NULL)
		found->marked = true;
}

void
functions_recheck(struct functions *functions, int root)
{
	size_t kept = 0;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->items[i];
		bool present = function->marked || look(function, root);
		function->marked = false;
		if (!present)
			free(function->pci);
		else if (kept++ != i)
			functions->items[kept - 1] = *function;
	}
	functions->count = kept;
}

/* --- what records say --- */

/* Without `driver` when nothing is known of it. */
static json_t *
function_new(const struct function *function)
{
	json_t *driver = function->binding == BINDING_DRIVER ? record_name_new(function->driver)
			 : function->binding == BINDING_NONE ? json_null()
							     : NULL;
	return json_pack("{s:o, s:o*}", "pci", record_name_new(function->pci), "driver", driver);
}

json_t *
functions_all_new(const struct functions *functions)
{
	json_t *list = functions->known ? json_array() : NULL;
	for (size_t i = 0; list != NULL && i < functions->count; i++)
		json_array_append_new(list, function_new(&functions->items[i]));
	return list;
}

json_t *
functions_unbound_new(const struct functions *functions)
{
	json_t *list = functions->known ? json_array() : NULL;
	for (size_t i = 0; list != NULL && i < functions->count; i++) {
		const struct function *function = &functions->items[i];
		if (function->nvidia && function->binding == BINDING_NONE)
			json_array_append_new(list, record_name_new(function->pci));
	}
	return list;
}
