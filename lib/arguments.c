/* arguments - builds the command line of another program, word by word. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append `word` and take ownership of it. NULL means that its allocation failed. */
static void
add(struct arguments *arguments, char *word)
{
	/* including the terminating NULL */
	size_t used = arguments->count + 1;
	char **words = NULL;
	if (word != NULL)
		words = array_grown(
			arguments->words, used, &arguments->capacity, sizeof *arguments->words);
	if (words == NULL) {
		free(word);
		arguments->failed = true;
		return;
	}
	arguments->words = words;
	words[arguments->count++] = word;
	words[arguments->count] = NULL;
}

void
arguments_add(struct arguments *arguments, const char *word)
{
	add(arguments, strdup(word));
}

void
arguments_add_option(struct arguments *arguments, const char *name, const char *value)
{
	char *word;
	int length = value != NULL ? asprintf(&word, "--%s=%s", name, value)
				   : asprintf(&word, "--%s", name);
	add(arguments, length < 0 ? NULL : word);
}

char *const *
arguments_argv(const struct arguments *arguments)
{
	return arguments->failed ? NULL : arguments->words;
}

void
arguments_fini(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->words[i]);
	free(arguments->words);
	*arguments = (struct arguments){0};
}
