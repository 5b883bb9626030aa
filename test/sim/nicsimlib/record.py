# SPDX-License-Identifier: Apache-2.0
"""Named tuples like typing.NamedTuple's, without loading typing and collections, which takes longer
than most commands."""

from _operator import itemgetter


def record(template):
    """Return the named tuple of a class: its annotated fields in order, its defaults and its
    methods."""
    fields, members = list(template.__annotations__), vars(template)
    defaults = {name: members[name] for name in fields if name in members}

    def new(cls, *values, **named):
        if named or len(values) != len(fields):
            given = {**defaults, **dict(zip(fields, values)), **named}
            if len(values) > len(fields) or given.keys() != set(fields):
                raise TypeError(f"{cls.__name__}: not its fields: {values} {named}")
            values = [given[name] for name in fields]
        return tuple.__new__(cls, values)

    def replace(self, **changes):
        return new(type(self), **{**dict(zip(fields, self)), **changes})

    kept = {
        name: member
        for name, member in members.items()
        if name not in fields and name not in ("__dict__", "__weakref__")
    }
    getters = {name: property(itemgetter(place)) for place, name in enumerate(fields)}
    made = {**kept, **getters, "__slots__": (), "__new__": new, "_replace": replace}
    return type(template.__name__, (tuple,), made)
