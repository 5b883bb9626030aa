/* quickjson - JSON texts of which little is asked. C++, as libsimdjson is; nothing of it leaves
 * this file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "quickjson.h"

extern "C" {
#include "diag.h"
}

#include <cstring>
#include <jansson.h>
#include <new>
#include <simdjson.h>
#include <string_view>
#include <type_traits>
#include <unistd.h>

namespace
{

using simdjson::dom::element;

/* What a value of ours and one of theirs have in common: two words, the document and a place in
 * it. */
static_assert(sizeof(struct quickjson) == sizeof(element));
static_assert(std::is_trivially_copyable_v<element>);

struct quickjson
ours(element theirs)
{
	struct quickjson value;
	std::memcpy(&value, &theirs, sizeof value);
	return value;
}

element
theirs(struct quickjson ours)
{
	element value;
	std::memcpy(static_cast<void *>(&value), &ours, sizeof value);
	return value;
}

/* Return whether a text contains a NUL, which C cannot represent. A `\u0000` after a backslash is
 * only the text "\u0000". */
bool
has_nul(std::string_view text)
{
	for (size_t at = 0; (at = text.find("\\u0000", at)) != text.npos; at++) {
		size_t first = at;
		while (first > 0 && text[first - 1] == '\\')
			first--;
		if ((at - first) % 2 == 0)
			return true;
	}
	return false;
}

/* libsimdjson is not made for that: it throws where nothing may be thrown, and uses what it has not
 * got. */
[[noreturn]] void
end_without_memory()
{
	_exit(diag_no_memory());
}

/* Memory to work in, which the next text gets, too. */
simdjson::dom::parser *
the_parser()
{
	static simdjson::dom::parser *parser;
	if (parser == nullptr) {
		std::set_new_handler(end_without_memory);
		parser = new simdjson::dom::parser;
		/* Accept whatever jansson does. It counts the value within the brackets, too. */
		if (parser->allocate(0, JSON_PARSER_MAX_DEPTH + 1) != simdjson::SUCCESS)
			end_without_memory();
	}
	return parser;
}

} // namespace

bool
quickjson_parse(const char *text, size_t length, struct quickjson *out)
{
	element root;
	if (has_nul(std::string_view(text, length)) ||
		the_parser()->parse(text, length).get(root) != simdjson::SUCCESS)
		return false;
	*out = ours(root);
	return true;
}

bool
quickjson_text(struct quickjson value, const char **text, size_t *length)
{
	std::string_view view;
	if (theirs(value).get(view) != simdjson::SUCCESS)
		return false;
	*text = view.data();
	*length = view.size();
	return true;
}

bool
quickjson_bool(struct quickjson value, bool *out)
{
	return theirs(value).get(*out) == simdjson::SUCCESS;
}

bool
quickjson_u64(struct quickjson value, uint64_t *out)
{
	return theirs(value).get(*out) == simdjson::SUCCESS;
}

void
quickjson_members(struct quickjson object,
	void (*visit)(void *context, const char *name, size_t length, struct quickjson value),
	void *context)
{
	simdjson::dom::object members;
	if (theirs(object).get(members) != simdjson::SUCCESS)
		return;
	for (const auto &member : members)
		visit(context, member.key.data(), member.key.size(), ours(member.value));
}

void
quickjson_items(
	struct quickjson array, void (*visit)(void *context, struct quickjson value), void *context)
{
	simdjson::dom::array items;
	if (theirs(array).get(items) != simdjson::SUCCESS)
		return;
	for (const element item : items)
		visit(context, ours(item));
}
