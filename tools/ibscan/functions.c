/* functions - network functions on the PCI bus, also of NICs that class/infiniband lacks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "functions.h"

#include "efa.h"
#include "pcifn.h"
#include "rec.h"
#include "record.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum binding {
	BINDING_UNKNOWN, /* the link is unreadable: no evidence */
	BINDING_NONE,
	BINDING_DRIVER,
};

struct function {
	char *pci;
	enum binding binding;
	char driver[NAME_MAX + 1];
	bool needs_driver; /* NVIDIA network controller or EFA adapter */
	bool marked;       /* has a device in this scan */
};

struct functions {
	bool known;
	struct function *items; /* in natural order */
	size_t count;
	struct strbuf fields; /* their members of scan.end; "": not formatted yet */
};

struct functions *
functions_new(void)
{
	return calloc(1, sizeof(struct functions));
}

static void
clear(struct functions *functions)
{
	strbuf_clear(&functions->fields);
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
	strbuf_fini(&functions->fields);
	free(functions);
}

/* --- reading the bus --- */

static bool
is_on_bus(int root, const char *pci)
{
	char path[PATH_MAX];
	struct stat status;
	int n = snprintf(path, sizeof path, "bus/pci/devices/%s", pci);
	return n < 0 || n >= (int)sizeof path || sysfs_stat(root, path, &status) != SYSFS_ABSENT;
}

/* Read the driver of a function. Return false if the function has left the bus. Check that last: a
 * missing driver link may only mean that the function is being removed. */
static bool
read_binding(struct function *function, int root)
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

/* Return true for a network controller that is a NIC for RDMA, whatever its driver. */
static bool
is_rdma_nic(int root, const char *pci, const char *class)
{
	char vendor[SYSFS_TEXT_MAX], device[SYSFS_TEXT_MAX];
	if (pcifn_read(root, pci, "vendor", vendor, sizeof vendor) != SYSFS_OK)
		return false;
	return pcifn_is_nic(vendor, class) ||
	       (pcifn_read(root, pci, "device", device, sizeof device) == SYSFS_OK &&
		       efa_is_function(vendor, device));
}

/* Fill in what never changes. Return false if this is no NIC function of the host. Accept one whose
 * class is unreadable: it is on the bus, and must not be taken for gone. */
static bool
is_wanted(struct function *function, int root)
{
	char class[SYSFS_TEXT_MAX], physfn[NAME_MAX + 1];
	enum sysfs_status status = pcifn_read(root, function->pci, "class", class, sizeof class);

	if (status == SYSFS_ABSENT || (status == SYSFS_OK && !pcifn_is_network(class)))
		return false;
	if (pcifn_link(root, function->pci, "physfn", physfn, sizeof physfn) != SYSFS_ABSENT ||
		pcifn_is_internal(root, function->pci))
		return false;
	function->needs_driver = status == SYSFS_OK && is_rdma_nic(root, function->pci, class);
	return true;
}

/* Append the function if it is a NIC's, and then take ownership of `*name`. */
static void
add(struct functions *functions, int root, char **name)
{
	struct function *function = &functions->items[functions->count];

	*function = (struct function){.pci = *name};
	if (!is_wanted(function, root) || !read_binding(function, root))
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

static struct function *
find(const struct functions *functions, const char *pci, size_t was_at)
{
	if (was_at < functions->count && strcmp(functions->items[was_at].pci, pci) == 0)
		return &functions->items[was_at];
	if (functions->count == 0)
		return NULL;
	return bsearch(pci, functions->items, functions->count, sizeof *functions->items, compare);
}

void
functions_mark(struct functions *functions, const char *pci, size_t *at)
{
	struct function *found = find(functions, pci, *at);
	if (found == NULL)
		return;
	found->marked = true;
	*at = (size_t)(found - functions->items);
}

/* Return true if the driver differs between `before` and `function`. */
static bool
is_another(const struct function *before, const struct function *function)
{
	return before->binding != function->binding ||
	       (before->binding == BINDING_DRIVER && strcmp(before->driver, function->driver) != 0);
}

void
functions_recheck(struct functions *functions, int root)
{
	size_t kept = 0;
	bool has_changed = false;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->items[i], before;
		bool present = true;
		if (!function->marked) {
			before = *function;
			present = read_binding(function, root);
			has_changed |= !present || is_another(&before, function);
		}
		function->marked = false;
		if (!present)
			free(function->pci);
		else if (kept++ != i)
			functions->items[kept - 1] = *function;
	}
	functions->count = kept;
	if (has_changed)
		strbuf_clear(&functions->fields);
}

/* --- members of records --- */

/* Return the function as an object, without `driver` if that is unknown. */
static json_t *
function_new(const struct function *function)
{
	json_t *driver = function->binding == BINDING_DRIVER ? record_name_new(function->driver)
			 : function->binding == BINDING_NONE ? json_null()
							     : NULL;
	return json_pack("{s:o, s:o*}", "pci", record_name_new(function->pci), "driver", driver);
}

static json_t *
lists_new(const struct functions *functions)
{
	json_t *all = json_array(), *unbound = json_array();
	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->items[i];
		json_array_append_new(all, function_new(function));
		if (function->needs_driver && function->binding == BINDING_NONE)
			json_array_append_new(unbound, record_name_new(function->pci));
	}
	return json_pack("{s:o, s:o}", "unbound", unbound, "functions", all);
}

static void
make_fields(struct functions *functions)
{
	struct strbuf line = {0};
	json_t *lists = lists_new(functions);
	if (lists != NULL && rec_add_line(&line, lists) == 0) {
		strbuf_add(&functions->fields, ",", 1);
		/* Without the surrounding braces and the newline. */
		strbuf_add(&functions->fields, line.bytes + 1, line.length - 3);
	}
	json_decref(lists);
	strbuf_fini(&line);
	if (functions->fields.is_short)
		strbuf_clear(&functions->fields);
}

const char *
functions_fields(struct functions *functions)
{
	if (functions->known && functions->fields.length == 0)
		make_fields(functions);
	return text_or_empty(functions->fields.bytes);
}
