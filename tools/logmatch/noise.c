/* noise - the same thing said again and again is counted, not repeated. */
#include "noise.h"

#include "hash.h"

#include <string.h>

/* Of a text so much decides what it is the same as. */
#define TEXT_MAX_BYTES 512

enum {
	IS_DIGIT = 1,
	IS_HEX = 2, /* belongs to a number beside a digit: a to f, and the x of 0x */
};

static const uint8_t classes[256] = {
	['0' ... '9'] = IS_DIGIT,
	['a' ... 'f'] = IS_HEX,
	['A' ... 'F'] = IS_HEX,
	['x'] = IS_HEX,
};

/* True for what is a digit, or can belong to a number of which the byte beside it, `within`, is part. */
static unsigned
is_within(char c, unsigned within)
{
	unsigned class = classes[(unsigned char)c];
	return (class & IS_DIGIT) | (class >> 1 & within);
}

/* Copies the text without its numbers: digits, and what is around them and can belong to a hexadecimal number. Returns the length of the copy. */
static size_t
drop_numbers(const char *text, size_t length, char out[TEXT_MAX_BYTES])
{
	unsigned char before[TEXT_MAX_BYTES]; /* in a number that goes on with the next byte */
	size_t kept = 0;
	unsigned within = 0;

	if (length > TEXT_MAX_BYTES)
		length = TEXT_MAX_BYTES;
	for (size_t i = length; i > 0; i--)
		before[i - 1] = (unsigned char)(within = is_within(text[i - 1], within));
	within = 0;
	for (size_t i = 0; i < length; i++) {
		within = is_within(text[i], within);
		out[kept] = text[i];
		kept += (within | before[i]) ^ 1;
	}
	return kept;
}

size_t
noise_device(const char *text, size_t length, const char **out)
{
	static const char *const marks[] = {"mlx5_core.sf ", "NETDEV WATCHDOG: "};
	const char *end = text + length;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *at = memmem(text, length, marks[i], strlen(marks[i]));
		if (at == NULL)
			continue;
		*out = at + strlen(marks[i]);
		const char *stop = *out;
		while (stop < end && *stop != ' ' && *stop != ':')
			stop++;
		return (size_t)(stop - *out);
	}
	return 0;
}

uint64_t
noise_key(enum logpattern pattern, const char *pci, const char *text, size_t length, bool any_text)
{
	const char *name = logpattern_name(pattern), *device = pci;
	size_t device_length = strlen(pci);
	char plain[TEXT_MAX_BYTES];

	if (device_length == 0)
		device_length = noise_device(text, length, &device);
	uint64_t hash = hash_words(HASH_START, name, strlen(name));
	hash = hash_words(hash, device, device_length);
	if (!any_text)
		hash = hash_words(hash, plain, drop_numbers(text, length, plain));
	return hash != 0 ? hash : 1;
}

static uint64_t
device_of(const char *pci)
{
	return hash_words(HASH_START, pci, strlen(pci));
}

static struct noise_entry *
entry_of(struct noise *noise, uint64_t key)
{
	for (size_t i = 0; i < noise->count; i++) {
		if (noise->entries[i].key == key)
			return &noise->entries[i];
	}
	return NULL;
}

static struct noise_entry *
entry_for(struct noise *noise)
{
	if (noise->count < NOISE_ENTRIES_MAX)
		return &noise->entries[noise->count++];
	struct noise_entry *oldest = &noise->entries[0];
	for (size_t i = 1; i < noise->count; i++) {
		if (noise->entries[i].since_ns < oldest->since_ns)
			oldest = &noise->entries[i];
	}
	return oldest;
}

static bool
is_in_window(uint64_t since_ns, uint64_t time_ns, uint64_t window_ns)
{
	uint64_t apart_ns = time_ns > since_ns ? time_ns - since_ns : since_ns - time_ns;
	return since_ns != 0 && apart_ns < window_ns;
}

bool
noise_take(struct noise *noise, uint64_t key, const char *pci, uint64_t time_ns, uint64_t window_ns,
	uint64_t *repeats)
{
	*repeats = 0;
	if (window_ns == 0)
		return true;
	struct noise_entry *entry = entry_of(noise, key);
	if (entry == NULL) {
		entry = entry_for(noise);
		*entry = (struct noise_entry){.key = key, .device = device_of(pci)};
	} else if (is_in_window(entry->since_ns, time_ns, window_ns)) {
		entry->repeats++;
		return false;
	}
	*repeats = entry->repeats;
	entry->repeats = 0;
	entry->since_ns = time_ns;
	return true;
}

void
noise_end_device(struct noise *noise, const char *pci)
{
	uint64_t device = device_of(pci);
	for (size_t i = 0; i < noise->count; i++) {
		if (noise->entries[i].device == device)
			noise->entries[i].since_ns = 0;
	}
}
