/* rx - regular expressions (PCRE2) over names and lines that come from outside. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rx.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Backtracking steps and depth after which an expression counts as run away. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 1000

struct rx {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
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

struct rx *
rx_new(const char *expression, size_t length, struct rx_error *error)
{
	int code;
	PCRE2_SIZE offset = 0;

	snprintf(error->reason, sizeof error->reason, "out of memory");
	error->offset = 0;
	struct rx *rx = calloc(1, sizeof *rx);
	if (rx == NULL)
		return NULL;

	rx->code = pcre2_compile((PCRE2_SPTR)expression, length,
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &offset, NULL);
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
	return rx;
}

bool
rx_match(const struct rx *rx, const char *text)
{
	return pcre2_match(rx->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, rx->match,
		       rx->context) >= 0;
}

int
rx_list_init(struct rx_list *list, const char *expressions, struct rx_error *error)
{
	*list = (struct rx_list){0};
	for (const char *at = expressions; *at != '\0';) {
		size_t length = strcspn(at, ",");
		if (length > 0) {
			struct rx **items = realloc(list->items, (list->count + 1) * sizeof *items);
			if (items == NULL) {
				snprintf(error->reason, sizeof error->reason, "out of memory");
				error->offset = 0;
				return -1;
			}
			list->items = items;
			items[list->count] = rx_new(at, length, error);
			if (items[list->count] == NULL) {
				error->offset += (size_t)(at - expressions);
				return -1;
			}
			list->count++;
		}
		at += length + (at[length] == ',');
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
