/* memory - what a run of topoclass remembers between scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <string.h>

int
memory_init(struct memory *memory)
{
	*memory = (struct memory){.verdicts = json_object(),
		.carried_default = json_object(),
		.addresses = json_object(),
		.cards = json_object(),
		.subs = json_object()};
	return memory->verdicts != NULL && memory->carried_default != NULL &&
			       memory->addresses != NULL && memory->cards != NULL &&
			       memory->subs != NULL
		       ? 0
		       : -1;
}

void
memory_fini(struct memory *memory)
{
	json_decref(memory->verdicts);
	json_decref(memory->carried_default);
	json_decref(memory->addresses);
	json_decref(memory->cards);
	json_decref(memory->subs);
	*memory = (struct memory){0};
}

/* Give the device the memory of the function. If there is none, forget that of the device. */
static void
copy_or_forget(json_t *memories, const char *device, const char *function)
{
	json_t *known = function != NULL ? json_object_get(memories, function) : NULL;
	if (known != NULL)
		json_object_set(memories, device, known);
	else
		json_object_del(memories, device);
}

void
memory_meet(struct memory *memory, const char *device, const char *pci, const char *function)
{
	const char *before = json_string_value(json_object_get(memory->addresses, device));
	if (pci == NULL || (before != NULL && strcmp(before, pci) == 0))
		return;
	copy_or_forget(memory->verdicts, device, function);
	copy_or_forget(memory->carried_default, device, function);
	json_object_del(memory->subs, device);
	json_object_set_new(memory->addresses, device, json_string(pci));
	/* The card: the address without the function number. */
	const char *dot = strrchr(pci, '.');
	if (dot != NULL)
		json_object_set_new(memory->cards, device, json_stringn(pci, (size_t)(dot - pci)));
}

/* Pack a verdict into one integer. */
static json_int_t
pack(struct verdict verdict)
{
	return ((json_int_t)verdict.reason * ROLE_N + verdict.role) * 2 + verdict.monitored;
}

static struct verdict
unpack(json_int_t packed)
{
	return (struct verdict){
		.role = (enum role)(packed / 2 % ROLE_N),
		.reason = (enum reason)(packed / 2 / ROLE_N),
		.monitored = packed % 2 != 0,
	};
}

bool
memory_verdict(const struct memory *memory, const char *device, struct verdict *verdict)
{
	const json_t *known = json_object_get(memory->verdicts, device);
	if (known != NULL)
		*verdict = unpack(json_integer_value(known));
	return known != NULL;
}

void
memory_keep(struct memory *memory, const char *device, const char *function, struct verdict verdict)
{
	json_t *packed = json_integer(pack(verdict));
	if (function != NULL)
		json_object_set(memory->verdicts, function, packed);
	json_object_set_new(memory->verdicts, device, packed);
}

void
memory_keep_carried(struct memory *memory, const char *device, const char *function)
{
	if (function != NULL)
		json_object_set_new(memory->carried_default, function, json_true());
	json_object_set_new(memory->carried_default, device, json_true());
}

void
memory_forget_carried(struct memory *memory)
{
	json_object_clear(memory->carried_default);
}
