# SPDX-License-Identifier: Apache-2.0
"""dashboard - the panels of a dashboard, and what a Prometheus answers to their queries when they
are asked as Grafana asks them."""

import json
import re
import urllib.parse
import urllib.request


class Prometheus:
    """A Prometheus, and the time range that is looked at: until END, SPAN seconds long."""

    def __init__(self, url, end, span, step):
        self.url, self.end, self.span, self.step = url, end, span, step

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters, doseq=True)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}") as answer:
            return json.load(answer)["data"]

    def limits(self):
        return {"start": self.end - self.span, "end": self.end}

    def answer(self, target, variables):
        """The series that a panel's query gives: labels, and pairs of time and value."""
        query = replaced(target["expr"], variables | self.intervals())
        if target["instant"]:
            found = self.get("query", query=query, time=self.end)["result"]
            return [(one["metric"], numbers([one["value"]])) for one in found]
        found = self.get("query_range", query=query, step=self.step, **self.limits())["result"]
        return [(one["metric"], numbers(one["values"])) for one in found]

    def intervals(self):
        """What Grafana puts in by itself."""
        return {
            "__range": f"{self.span}s",
            "__interval": f"{self.step}s",
            "__rate_interval": f"{max(4 * self.step, 10)}s",
        }

    def values(self, variable, variables):
        """What may be chosen for a variable of the dashboard, sorted."""
        query = replaced(variable["query"]["query"], variables | self.intervals())
        function, inside = re.fullmatch(r"(\w+)\((.*)\)", query).groups()
        if function == "label_values":
            series, label = inside.rsplit(", ", 1)
            match = {"match[]": series, **self.limits()}
            return sorted(self.get(f"label/{label}/values", **match))
        # query_result: each series as a line of text, of which the regular expression takes a part.
        pattern = re.compile(variable["regex"].strip("/"))
        lines = [as_text(one) for one in self.get("query", query=inside, time=self.end)["result"]]
        return sorted({match[1] for match in map(pattern.search, lines) if match})


def numbers(pairs):
    return [(float(time), float(value)) for time, value in pairs]


def as_text(one):
    labels = one["metric"]
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items() if key != "__name__")
    return f"{labels.get('__name__', '')}{{{inside}}} {one['value'][1]} {one['value'][0]}"


def replaced(text, variables):
    """With the values of variables, $name or ${name}; one that does not exist is an error."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: variables[found[1] or found[2]], text)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def choices(dashboard, prometheus, fixed):
    """All ways to choose the variables, as one can in Grafana: each value in turn, or All."""
    chosen = [dict(fixed)]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query" and variable["name"] not in fixed:
            chosen = [
                one | {variable["name"]: value}
                for one in chosen
                for value in (
                    [variable["allValue"]]
                    if variable.get("includeAll")
                    else prometheus.values(variable, one)
                )
            ]
    return chosen


def legend(target, labels):
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name[1], ""), target["legendFormat"])
