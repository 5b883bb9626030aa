/* notice - an event reported by a source, and its record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "notice.h"

#include "jsontext.h"
#include "num.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool
notice_copy(char *out, size_t size, const char *name, size_t length)
{
	bool fits = length < size;
	if (fits)
		memcpy(out, name, length);
	out[fits ? length : 0] = '\0';
	return fits;
}

bool
notice_is_same(const struct notice *a, const struct notice *b)
{
	return a->kind == b->kind && a->via == b->via && a->port == b->port &&
	       a->fabric_error == b->fabric_error && a->removed == b->removed &&
	       a->status == b->status && strcmp(a->device, b->device) == 0 &&
	       strcmp(a->pci, b->pci) == 0 && text_is_same(a->event, b->event) &&
	       text_is_same(a->cause, b->cause);
}

static void
put_number(struct jsontext *text, int64_t number)
{
	char digits[NUM_U64_SIZE + 1];
	int length = snprintf(digits, sizeof digits, "%" PRId64, number);
	jsontext_put(text, digits, (size_t)length);
}

static void
put_device(struct jsontext *text, const struct notice *notice)
{
	JSONTEXT_PUT(text, ",\"device\":");
	if (*notice->device != '\0')
		jsontext_put_string(text, notice->device);
	else
		JSONTEXT_PUT(text, "null");
}

static void
put_async(struct jsontext *text, const struct notice *notice)
{
	put_device(text, notice);
	JSONTEXT_PUT(text, ",\"port\":");
	if (notice->port != 0)
		put_number(text, notice->port);
	else
		JSONTEXT_PUT(text, "null");
	JSONTEXT_PUT(text, ",\"event\":");
	jsontext_put_string(text, notice->event);
	JSONTEXT_PUT(text, ",\"fabric_error\":");
	jsontext_put_bool(text, notice->fabric_error);
	JSONTEXT_PUT(text, ",\"count\":");
	put_number(text, (int64_t)notice->count);
	if (notice->removed)
		JSONTEXT_PUT(text, ",\"removed\":true");
	if (*notice->pci == '\0')
		return;
	JSONTEXT_PUT(text, ",\"pci\":");
	jsontext_put_string(text, notice->pci);
}

static void
put_cm(struct jsontext *text, const struct notice *notice)
{
	put_device(text, notice);
	JSONTEXT_PUT(text, ",\"event\":");
	jsontext_put_string(text, notice->event);
	JSONTEXT_PUT(text, ",\"status\":");
	put_number(text, notice->status);
	JSONTEXT_PUT(text, ",\"cause\":");
	jsontext_put_string(text, notice->cause);
	if (notice->peers > 0) {
		JSONTEXT_PUT(text, ",\"peers\":");
		put_number(text, notice->peers);
	}
	JSONTEXT_PUT(text, ",\"count\":");
	put_number(text, (int64_t)notice->count);
}

static void
put_gap(struct jsontext *text, const struct notice *notice)
{
	JSONTEXT_PUT(text, ",\"lost\":");
	if (notice->count != 0)
		put_number(text, (int64_t)notice->count);
	else
		JSONTEXT_PUT(text, "null");
}

size_t
notice_format(const struct notice *notice, const char *node, char out[REC_EVENT_MAX_BYTES])
{
	static const struct {
		const char *name;
		void (*put)(struct jsontext *text, const struct notice *notice);
	} kinds[] = {
		[NOTICE_ASYNC] = {"async", put_async},
		[NOTICE_CM] = {"cm", put_cm},
		[NOTICE_GAP] = {"gap", put_gap},
	};
	struct jsontext text = {.at = out, .end = out + REC_EVENT_MAX_BYTES};
	JSONTEXT_PUT(&text, "{\"kind\":");
	jsontext_put_string(&text, kinds[notice->kind].name);
	JSONTEXT_PUT(&text, ",\"v\":1,\"node\":");
	jsontext_put_string(&text, node);
	JSONTEXT_PUT(&text, ",\"ts\":");
	jsontext_put_string(&text, notice->when.stamp);
	JSONTEXT_PUT(&text, ",\"boottime_ns\":");
	put_number(&text, (int64_t)notice->when.boottime_ns);
	JSONTEXT_PUT(&text, ",\"via\":");
	jsontext_put_string(&text, via_names[notice->via]);
	kinds[notice->kind].put(&text, notice);
	JSONTEXT_PUT(&text, "}\n");
	return (size_t)(text.at - out);
}
