/* subject - finds the device that a line is about: its PCI address `dddd:bb:dd.f` or another
 * name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "subject.h"

#include "array.h"

#include <ctype.h>
#include <string.h>

/* --- addresses --- */

#define DOMAIN_DIGITS 4

/* `:bb:dd.f`, after the domain. */
#define TAIL_LENGTH 8

static bool
is_tail(const char *at, const char *end)
{
	return end - at >= TAIL_LENGTH && at[0] == ':' && isxdigit((unsigned char)at[1]) &&
	       isxdigit((unsigned char)at[2]) && at[3] == ':' && (at[4] == '0' || at[4] == '1') &&
	       isxdigit((unsigned char)at[5]) && at[6] == '.' && at[7] >= '0' && at[7] <= '7' &&
	       (end - at == TAIL_LENGTH || !isalnum((unsigned char)at[TAIL_LENGTH]));
}

/* Return the number of digits of the domain that ends before `at`. Return 0 if there is none, or if
 * more digits precede it: no address is better than a wrong one. */
static size_t
domain_before(const char *text, const char *at)
{
	size_t digits = 0;
	while (at - digits > text && digits <= DOMAIN_DIGITS + 1 &&
		isxdigit((unsigned char)at[-1 - (ptrdiff_t)digits]))
		digits++;
	char first = at[-(ptrdiff_t)digits];
	bool is_long = digits == DOMAIN_DIGITS + 1 && first >= '1' && first <= '9';
	return digits == DOMAIN_DIGITS || is_long ? digits : 0;
}

void
subject_find_pci(const char *text, size_t length, char out[SUBJECT_PCI_SIZE])
{
	const char *end = text + length;
	const char *at = text;

	*out = '\0';
	while ((at = memchr(at, ':', (size_t)(end - at))) != NULL) {
		size_t digits = is_tail(at, end) ? domain_before(text, at) : 0;
		if (digits > 0) {
			size_t size = digits + TAIL_LENGTH;
			for (size_t i = 0; i < size; i++)
				out[i] = (char)tolower(
					(unsigned char)at[(ptrdiff_t)i - (ptrdiff_t)digits]);
			out[size] = '\0';
			return;
		}
		at++;
	}
}

bool
subject_is_pci(const char *text)
{
	char found[SUBJECT_PCI_SIZE];
	subject_find_pci(text, strlen(text), found);
	return *text != '\0' && strcmp(found, text) == 0;
}

void
subject_card(const char *pci, char out[SUBJECT_PCI_SIZE])
{
	size_t length = strcspn(pci, ".");
	memcpy(out, pci, length);
	out[length] = '\0';
}

/* --- names --- */

static bool
is_name_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-' ||
	       byte == ':';
}

/* Find the word after a mark, up to a blank or colon. Return its length, or 0. */
static size_t
find_word(const char *text, size_t length, const char **word)
{
	static const char *const marks[] = {"mlx5_core.sf ", "NETDEV WATCHDOG: ", "infiniband "};
	const char *end = text + length;

	for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
		const char *at = memmem(text, length, marks[i], strlen(marks[i]));
		if (at == NULL)
			continue;
		*word = at + strlen(marks[i]);
		const char *stop = *word;
		while (stop < end && *stop != ' ' && *stop != ':')
			stop++;
		return (size_t)(stop - *word);
	}
	return 0;
}

void
subject_find(const char *pci, const char *text, size_t length, char out[SUBJECT_SIZE])
{
	const char *word = pci;
	size_t word_length = strlen(pci);

	if (word_length == 0)
		word_length = find_word(text, length, &word);
	*out = '\0';
	if (word_length >= SUBJECT_SIZE)
		return;
	for (size_t i = 0; i < word_length; i++) {
		if (!is_name_byte(word[i]))
			return;
	}
	memcpy(out, word, word_length);
	out[word_length] = '\0';
}

bool
subject_is(const char *text)
{
	size_t length = 0;
	while (length < SUBJECT_SIZE && is_name_byte(text[length]))
		length++;
	return length < SUBJECT_SIZE && text[length] == '\0';
}
