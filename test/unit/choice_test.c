/* Unit tests of choice: which events and conditions a sink receives. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include "check.h"

static const struct choice all,
	degraded = {.severity = CHOICE_DEGRADED}, fatal = {.severity = CHOICE_FATAL},
	codes = {.codes = "a, b"}, roles = {.roles = "compute,storage"},
	everything = {.severity = CHOICE_FATAL, .codes = "a", .roles = "compute"};

static void
is_narrow(void)
{
	CHECK(!choice_is_narrow(&all));
	CHECK(choice_is_narrow(&degraded));
	CHECK(choice_is_narrow(&fatal));
	CHECK(choice_is_narrow(&codes));
	CHECK(choice_is_narrow(&roles));
}

static void
events(void)
{
	static const struct {
		const struct choice *choice;
		const char *event;
		bool wants;
	} rows[] = {
		{&all, "{'checkName':'NICIdentityCheck','isHealthy':true}", true},
		{&all, "{}", true},
		{&degraded, "{'isFatal':false,'isHealthy':false}", true},
		{&degraded, "{'isHealthy':true}", true},
		{&degraded, "{'isFatal':true}", true},
		{&degraded, "{'checkName':'NICIdentityCheck','isHealthy':true}", false},
		{&fatal, "{'isFatal':false,'isHealthy':false}", false},
		{&fatal, "{}", false},
		{&fatal, "{'isFatal':true}", true},
		{&fatal, "{'isFatal':false,'isHealthy':true}", true},
		{&fatal, "{'checkName':'NICIdentityCheck','isHealthy':true}", false},
		{&codes, "{'errorCode':['a']}", true},
		{&codes, "{'errorCode':['b']}", true},
		{&codes, "{'errorCode':['c','b']}", true},
		{&codes, "{'errorCode':['c']}", false},
		{&codes, "{'errorCode':['ab']}", false},
		{&codes, "{'errorCode':['']}", false},
		{&codes, "{'errorCode':[7]}", false},
		{&codes, "{'errorCode':[]}", true},
		{&codes, "{'errorCode':'a'}", true},
		{&codes, "{}", true},
		{&roles, "{'metadata':{'role':'compute'}}", true},
		{&roles, "{'metadata':{'role':'storage'}}", true},
		{&roles, "{'metadata':{'role':'management'}}", false},
		{&roles, "{'metadata':{'role':7}}", true},
		{&roles, "{'metadata':{}}", true},
		{&roles, "{'metadata':'compute'}", true},
		{&roles, "{}", true},
		{&everything, "{'isFatal':true,'errorCode':['a'],'metadata':{'role':'compute'}}",
			true},
		{&everything, "{'isFatal':false,'errorCode':['a'],'metadata':{'role':'compute'}}",
			false},
		{&everything, "{'isFatal':true,'errorCode':['b'],'metadata':{'role':'compute'}}",
			false},
		{&everything, "{'isFatal':true,'errorCode':['a'],'metadata':{'role':'storage'}}",
			false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *event = check_json_new(rows[i].event);
		check_row("row %zu: %s", i, rows[i].event);
		CHECK_INT(choice_wants(rows[i].choice, event), rows[i].wants);
		json_decref(event);
	}
}

static void
conditions(void)
{
	static const struct {
		const struct choice *choice;
		bool fatal;
		const char *codes;
		bool wants;
	} rows[] = {
		{&all, false, "", true},
		{&degraded, false, "x", true},
		{&fatal, false, "x", false},
		{&fatal, true, "x", true},
		{&codes, true, "a", true},
		{&codes, true, "x,b", true},
		{&codes, true, "x", false},
		{&codes, true, "", true},
		{&everything, false, "a", false},
		{&everything, true, "a", true},
		{&everything, true, "b", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu: %s", i, rows[i].codes);
		CHECK_INT(choice_wants_condition(rows[i].choice, rows[i].fatal, rows[i].codes),
			rows[i].wants);
	}
}

static void
lists(void)
{
	static const struct {
		const char *list, *codes, *roles;
	} rows[] = {
		{"compute", NULL, NULL},
		{" storage , management,fabric,", NULL, NULL},
		{"", "a list is missing", "a list is missing"},
		{" , ", "a list is missing", "a list is missing"},
		{"comput", NULL, "unknown role \"comput\" (did you mean \"compute\"?); known: "},
		{"storage,computer,fabric", NULL, "unknown role \"computer\" (did you mean"},
		{"Compute", NULL, "unknown role \"Compute\""},
		{"link_downed", NULL,
			("unknown role \"link_downed\"; known: compute, storage, management, "
			 "fabric")},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("'%s'", rows[i].list);
		CHECK_STR(choice_check_codes(rows[i].list), rows[i].codes);
		if (rows[i].roles == NULL)
			CHECK_STR(choice_check_roles(rows[i].list), NULL);
		else
			CHECK_HAS(choice_check_roles(rows[i].list), rows[i].roles);
	}
}

static const struct check_test tests[] = {
	{"any code can be chosen, but only known roles", lists},
	{"a choice of everything is not narrow", is_narrow},
	{"an event is chosen by its severity, codes and role, each only if it has them", events},
	{"a condition is chosen by its severity and its codes", conditions},
};

CHECK_MAIN(tests)
