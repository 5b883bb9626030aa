/* pciaddr - PCI addresses in texts: `dddd:bb:dd.f`. */
#include "pciaddr.h"

#include <ctype.h>
#include <string.h>

#define DOMAIN_DIGITS 4

/* `:bb:dd.f`, behind the domain. */
#define TAIL_LENGTH 8

static bool
is_tail(const char *at, const char *end)
{
	return end - at >= TAIL_LENGTH && at[0] == ':' && isxdigit((unsigned char)at[1]) &&
	       isxdigit((unsigned char)at[2]) && at[3] == ':' && (at[4] == '0' || at[4] == '1') &&
	       isxdigit((unsigned char)at[5]) && at[6] == '.' && at[7] >= '0' && at[7] <= '7' &&
	       (end - at == TAIL_LENGTH || !isalnum((unsigned char)at[TAIL_LENGTH]));
}

/* How many digits the domain has that ends before `at`; 0: none, or one that is glued to something that looks like more digits: no address is better than a wrong one. */
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
pciaddr_find(const char *text, size_t length, char out[PCIADDR_SIZE])
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
pciaddr_is(const char *text)
{
	char found[PCIADDR_SIZE];
	pciaddr_find(text, strlen(text), found);
	return *text != '\0' && strcmp(found, text) == 0;
}

void
pciaddr_card(const char *pci, char out[PCIADDR_SIZE])
{
	size_t length = strcspn(pci, ".");
	memcpy(out, pci, length);
	out[length] = '\0';
}
