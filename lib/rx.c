/* rx - compiles and matches regular expressions (PCRE2) with limits. */
/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rx.h"

#include "commalist.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Backtracking steps and depth at which a match is given up. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 1000

struct rx {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	bool is_compiled; /* to machine code */
	bool is_bytes;    /* no UTF-8 check needed */
};

void
rx_free(struct rx *rx)
{
	if (rx == NULL)
		return;
	pcre2_match_context_free(rx->context);
	pcre2_match_data_free(rx->match);
	pcre2_code_free(rx->code);
	free(rx);
}

static struct rx *
compile_new(const char *expression, size_t length, uint32_t options, struct rx_error *error)
{
	int code;
	PCRE2_SIZE offset = 0;

	snprintf(error->reason, sizeof error->reason, "out of memory");
	error->offset = 0;
	struct rx *rx = calloc(1, sizeof *rx);
	if (rx == NULL)
		return NULL;

	rx->code = pcre2_compile((PCRE2_SPTR)expression, length, options, &code, &offset, NULL);
	if (rx->code == NULL) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)error->reason, sizeof error->reason);
		error->offset = offset;
		rx_free(rx);
		return NULL;
	}
	rx->match = pcre2_match_data_create_from_pattern(rx->code, NULL);
	rx->context = pcre2_match_context_create(NULL);
	if (rx->match == NULL || rx->context == NULL) {
		rx_free(rx);
		return NULL;
	}
	pcre2_set_match_limit(rx->context, MATCH_LIMIT);
	pcre2_set_depth_limit(rx->context, DEPTH_LIMIT);
	/* Where executable memory is not allowed, the interpreter gives the same results. */
	rx->is_compiled = pcre2_jit_compile(rx->code, PCRE2_JIT_COMPLETE) == 0;
	return rx;
}

struct rx *
rx_new(const char *expression, size_t length, struct rx_error *error)
{
	return compile_new(expression, length, PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, error);
}

struct rx *
rx_bytes_new(const char *expression, size_t length, struct rx_error *error)
{
	struct rx *rx = compile_new(expression, length, PCRE2_NEVER_UTF, error);
	if (rx != NULL)
		rx->is_bytes = true;
	return rx;
}

enum rx_verdict
rx_find(const struct rx *rx, const char *text, size_t length, size_t *end)
{
	/* pcre2_jit_match() skips the checks of pcre2_match(), which texts without an encoding do
	 * not need. */
	int count = rx->is_compiled && rx->is_bytes ? pcre2_jit_match(rx->code, (PCRE2_SPTR)text,
							      length, 0, 0, rx->match, rx->context)
						    : pcre2_match(rx->code, (PCRE2_SPTR)text,
							      length, 0, 0, rx->match, rx->context);
	if (count < 0)
		return count == PCRE2_ERROR_NOMATCH ? RX_ABSENT : RX_GAVE_UP;
	if (end != NULL)
		*end = pcre2_get_ovector_pointer(rx->match)[1];
	return RX_FOUND;
}

bool
rx_match(const struct rx *rx, const char *text)
{
	return pcre2_match(rx->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, rx->match,
		       rx->context) >= 0;
}

static int
add(struct rx_list *list, const char *expression, size_t length, struct rx_error *error)
{
	struct rx **items = realloc(list->items, (list->count + 1) * sizeof *items);
	if (items == NULL) {
		snprintf(error->reason, sizeof error->reason, "out of memory");
		error->offset = 0;
		return -1;
	}
	list->items = items;
	items[list->count] = rx_new(expression, length, error);
	if (items[list->count] == NULL)
		return -1;
	list->count++;
	return 0;
}

/* Return whether the comma between `item` and `rest` is inside a repetition, a{1,2}. Both halves
 * would compile, but match nothing. */
static bool
is_cut(const char *item, size_t length, const char *rest)
{
	while (length > 0 && item[length - 1] >= '0' && item[length - 1] <= '9')
		length--;
	return length > 0 && item[length - 1] == '{' && rest[strspn(rest, "0123456789")] == '}';
}

int
rx_list_init(struct rx_list *list, const char *expressions, struct rx_error *error)
{
	const char *rest = expressions, *item;
	size_t length;

	*list = (struct rx_list){0};
	while (commalist_next(&rest, &item, &length)) {
		if (list->count == RX_LIST_MAX) {
			snprintf(error->reason, sizeof error->reason, "more than %d expressions",
				RX_LIST_MAX);
			error->offset = (size_t)(item - expressions);
			return -1;
		}
		if (add(list, item, length, error) < 0) {
			error->offset += (size_t)(item - expressions);
			return -1;
		}
		if (is_cut(item, length, rest)) {
			snprintf(error->reason, sizeof error->reason,
				"a comma separates expressions: an expression cannot contain one");
			error->offset = (size_t)(item - expressions) + length;
			return -1;
		}
	}
	return 0;
}

void
rx_list_fini(struct rx_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		rx_free(list->items[i]);
	free(list->items);
	*list = (struct rx_list){0};
}

bool
rx_list_match(const struct rx_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++) {
		if (rx_match(list->items[i], text))
			return true;
	}
	return false;
}
