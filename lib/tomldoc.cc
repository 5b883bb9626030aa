/* tomldoc - TOML as the tree that libyaml makes of YAML. C++, as toml++ is; nothing of it leaves
 * this file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tomldoc.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

/* Most parts of one key, as in `a.b.c`. Each is a table in the one before, and toml++ frees tables
 * by recursion: a line of dots would be the end of the stack. Values in values it counts itself. */
#define KEY_PARTS_MAX 8

namespace
{

/* What is wrong, and where. */
struct trouble {
	std::string reason;
	size_t line, column;
};

/* --- what toml++ does not bound --- */

/* Where a string that begins at `at` ends. */
size_t
skip_string(std::string_view text, size_t at)
{
	const char quote = text[at];
	const std::string three(3, quote);
	const bool is_long = text.compare(at, 3, three) == 0;
	at += is_long ? 3 : 1;
	while (at < text.size()) {
		if (!is_long && (text[at] == quote || text[at] == '\n'))
			return at + 1;
		/* The text may end with quotes of its own. */
		if (is_long && text.compare(at, 3, three) == 0)
			return at +
			       std::min(text.substr(at, 5).find_first_not_of(quote), size_t(5));
		at += quote == '"' && text[at] == '\\' ? 2 : 1;
	}
	return text.size();
}

/* Characters, not bytes, as toml++ and libyaml count. */
size_t
count_characters(std::string_view text)
{
	return static_cast<size_t>(std::count_if(
		text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/* A number has a dot, too, but not as many. */
void
check_keys(std::string_view text)
{
	size_t dots = 0, line = 1, begin = 0;
	for (size_t at = 0; at < text.size();) {
		switch (text[at]) {
		case '#':
			at = std::min(text.find('\n', at), text.size());
			continue;
		case '"':
		case '\'': {
			const size_t end = std::min(skip_string(text, at), text.size());
			for (; at < end; at++) {
				if (text[at] == '\n')
					line++, begin = at + 1, dots = 0;
			}
			continue;
		}
		case '.':
			if (++dots >= KEY_PARTS_MAX)
				throw trouble{"a key of more than " +
						      std::to_string(KEY_PARTS_MAX) + " parts",
					line, count_characters(text.substr(begin, at - begin)) + 1};
			break;
		case '\n':
			line++, begin = at + 1, dots = 0;
			break;
		case '=':
		case ',':
		case '{':
		case '}':
		case '[':
		case ']':
			dots = 0;
			break;
		default:
			break;
		}
		at++;
	}
}

/* --- from tree to tree --- */

class tree
{
	yaml_document_t *document;

	/* The node of a number, where it began in the file. */
	int
	placed(int number, const toml::source_position &begin)
	{
		yaml_node_t *node = yaml_document_get_node(document, number);
		if (node == nullptr)
			throw std::bad_alloc();
		node->start_mark.line = begin.line - 1;
		node->start_mark.column = begin.column - 1;
		return number;
	}

	int
	add_scalar(const std::string &text, yaml_scalar_style_t style,
		const toml::source_position &begin)
	{
		return placed(yaml_document_add_scalar(document, nullptr,
				      reinterpret_cast<const yaml_char_t *>(text.data()),
				      static_cast<int>(text.size()), style),
			begin);
	}

	int
	add_value(const toml::node &node)
	{
		std::ostringstream text;
		char digits[32];
		if (const auto *string = node.as_string())
			return add_scalar(string->get(), YAML_DOUBLE_QUOTED_SCALAR_STYLE,
				node.source().begin);
		if (const auto *number = node.as_floating_point()) {
			/* As few digits as it takes. */
			const auto end =
				std::to_chars(digits, digits + sizeof digits, number->get());
			text.write(digits, end.ptr - digits);
		} else if (const auto *whole = node.as_integer()) {
			text << whole->get();
		} else {
			node.visit([&text](const auto &other) {
				if constexpr (!toml::is_container<decltype(other)>)
					text << other;
			});
		}
		return add_scalar(text.str(), YAML_PLAIN_SCALAR_STYLE, node.source().begin);
	}

	int
	add_array(const toml::array &array)
	{
		const int sequence = placed(
			yaml_document_add_sequence(document, nullptr, YAML_BLOCK_SEQUENCE_STYLE),
			array.source().begin);
		for (const toml::node &item : array) {
			if (yaml_document_append_sequence_item(document, sequence, add(item)) == 0)
				throw std::bad_alloc();
		}
		return sequence;
	}

	/* toml++ sorts keys by name; problems are to be told in the order of the file. */
	int
	add_table(const toml::table &table)
	{
		const int mapping = placed(
			yaml_document_add_mapping(document, nullptr, YAML_BLOCK_MAPPING_STYLE),
			table.source().begin);
		std::vector<std::pair<const toml::key *, const toml::node *>> pairs;
		for (const auto &[key, value] : table)
			pairs.emplace_back(&key, &value);
		std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) {
			return a.first->source().begin < b.first->source().begin;
		});
		for (const auto &[key, value] : pairs) {
			const int name = add_scalar(std::string(key->str()),
				YAML_DOUBLE_QUOTED_SCALAR_STYLE, key->source().begin);
			if (yaml_document_append_mapping_pair(
				    document, mapping, name, add(*value)) == 0)
				throw std::bad_alloc();
		}
		return mapping;
	}

      public:
	explicit tree(yaml_document_t *empty) : document(empty)
	{
	}

	int
	add(const toml::node &node)
	{
		if (const auto *table = node.as_table())
			return add_table(*table);
		if (const auto *array = node.as_array())
			return add_array(*array);
		return add_value(node);
	}
};

void
fill(yaml_document_t *document, std::string_view text)
{
	check_keys(text);
	try {
		tree(document).add(toml::parse(text));
	} catch (const toml::parse_error &error) {
		/* As short as libyaml's. */
		static constexpr std::string_view doing = "Error while parsing ";
		std::string_view reason = error.description();
		if (reason.substr(0, doing.size()) == doing)
			reason.remove_prefix(doing.size());
		throw trouble{std::string(reason), error.source().begin.line,
			error.source().begin.column};
	}
}

void
report(struct tomldoc_error *error, size_t line, size_t column, const char *reason)
{
	error->line = line;
	error->column = column;
	std::snprintf(error->reason, sizeof error->reason, "%s", reason);
}

} // namespace

int
tomldoc_parse(
	yaml_document_t *document, const char *text, size_t length, struct tomldoc_error *error)
{
	error->no_memory = false;
	if (yaml_document_initialize(document, nullptr, nullptr, nullptr, 1, 1) == 0) {
		error->no_memory = true;
		report(error, 1, 1, "out of memory");
		return -1;
	}
	try {
		fill(document, std::string_view(text, length));
		return 0;
	} catch (const trouble &found) {
		report(error, found.line, found.column, found.reason.c_str());
	} catch (const std::exception &failure) {
		error->no_memory = true;
		report(error, 1, 1, "out of memory");
	}
	yaml_document_delete(document);
	return -1;
}
