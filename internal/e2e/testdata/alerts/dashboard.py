"""Writes examples/alerting/dashboard.json with Grafana's own library, grafana-foundation-sdk.

Its Go package cannot be downloaded as a module, so this uses the Python package. `make e2e WITH=dashboard` runs it.
"""

import sys

from grafana_foundation_sdk.builders import common, dashboard as d, heatmap, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as c, dashboard as m
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

PREFIX = "otelcol_processor_tool_correctness_"
SOURCE = m.DataSourceRef(type_val="prometheus", uid="${datasource}")
OF_RUN = 'metric=~"$metric", expectation=~"$expectation"'
RATE = "[$__rate_interval]"


def query(expr, legend=""):
    """A query, with the names of our metrics in full."""
    return prometheus.Dataquery().expr(expr.replace("@", PREFIX)).legend_format(legend)


def rate(name, selector="", by=""):
    """The rate of a counter of the processor, summed."""
    selector = "{" + selector + "}" if selector else ""
    return f"sum{' by (' + by + ')' if by else ''} (rate(@{name}{selector}{RATE}))"


def panel(builder, title, text, unit, width, *queries):
    builder = builder.title(title).description(text).unit(unit).datasource(SOURCE).height(8).span(width)
    for q in queries:
        builder = builder.with_target(q)
    return builder


def lines(title, text, unit, width, *queries):
    builder = panel(timeseries.Panel(), title, text, unit, width, *queries).fill_opacity(10)
    builder = builder.legend(common.VizLegendOptions().display_mode(c.LegendDisplayMode.LIST).placement(c.LegendPlacement.BOTTOM).show_legend(True))
    return builder.min(0).max(1) if unit == "percentunit" else builder.min(0)


def number(title, text, unit, expr, thresholds):
    steps = d.ThresholdsConfig().mode(m.ThresholdsMode.ABSOLUTE).steps([m.Threshold(value=v, color=color) for v, color in thresholds])
    return panel(stat.Panel(), title, text, unit, 6, query(expr)).height(4).thresholds(steps)


def variable(name, values):
    return (d.QueryVariable(name).datasource(SOURCE).query(f"label_values({PREFIX}verdicts, {values})").multi(True).include_all(True)
            .all_value(".*").refresh(m.VariableRefresh.ON_TIME_RANGE_CHANGED))


def quality(b):
    complete = f'{OF_RUN}, complete="true", status="scored"'
    passed = rate("verdicts", complete + ', passed="true"', "metric, expectation")
    share = f'{passed} / {rate("verdicts", complete, "metric, expectation")}'
    good = [(None, "red"), (0.8, "orange"), (0.95, "green")]
    b = b.with_row(d.Row("Quality"))
    b = b.with_panel(number("Pass rate, one hour", "Runs that passed, of those with a score and complete evidence.", "percentunit",
                            f'sum(tool_correctness:verdicts{{{OF_RUN}, window="1h", complete="true", status="scored", passed="true"}}) / sum(tool_correctness:scored{{{OF_RUN}, window="1h"}})', good))
    b = b.with_panel(number("Pass rate, one week", "The same of a week.", "percentunit",
                            f'sum(tool_correctness:verdicts{{{OF_RUN}, window="1w", complete="true", status="scored", passed="true"}}) / sum(tool_correctness:scored{{{OF_RUN}, window="1w"}})', good))
    b = b.with_panel(number("Forbidden calls, one hour", "Calls of forbidden tools.", "short",
                            f"sum(increase(@forbidden_calls{{{OF_RUN}}}[1h])) or vector(0)", [(None, "green"), (1, "red")]))
    b = b.with_panel(number("Not scored or incomplete, 15 minutes", "The share of verdicts that no alert on quality counts.", "percentunit",
                            f'1 - sum(tool_correctness:verdicts{{{OF_RUN}, window="15m", status="scored", complete="true"}}) / sum(tool_correctness:verdicts{{{OF_RUN}, window="15m"}})',
                            [(None, "green"), (0.1, "red")]))
    b = b.with_panel(lines("Pass rate", "Runs that passed, of those with a score and complete evidence.", "percentunit", 12,
                           query(share, "{{expectation}} ({{metric}})")))
    b = b.with_panel(lines("Mean score", "The mean of the scores.", "percentunit", 12,
                           query(f'{rate("score_sum", OF_RUN, "metric, expectation")} / {rate("score_count", OF_RUN, "metric, expectation")}',
                                 "{{expectation}} ({{metric}})")))
    scores = panel(heatmap.Panel(), "Scores", "How many runs had which score.", "short", 12,
                   query(rate("score_bucket", OF_RUN, "le"), "{{le}}").format(PromQueryFormat.HEATMAP))
    b = b.with_panel(scores)
    return b.with_panel(lines("Verdicts", "Verdicts a second, by status and completeness.", "short", 12,
                              query(rate("verdicts", OF_RUN, "status, passed, complete"), "{{status}}, passed {{passed}}, complete {{complete}}")))


def evidence(b):
    b = b.with_row(d.Row("Evidence"))
    b = b.with_panel(lines("Closed runs", "Closed runs a second, by what closed them.", "short", 8, query(rate("runs_closed", by="closed_by"), "{{closed_by}}")))
    b = b.with_panel(lines("Late calls", "Calls a second that came after their run was closed, and how late 9 in 10 of them were.", "short", 8,
                           query(rate("late_calls"), "calls"),
                           query(f"histogram_quantile(0.9, {rate('late_call_age_bucket', by='le')})", "seconds late (0.9)")))
    return b.with_panel(lines("Delay of verdicts", "From the end of a run until its verdict.", "s", 8,
                              query(f"histogram_quantile(0.5, {rate('verdict_delay_bucket', by='le')})", "median"),
                              query(f"histogram_quantile(0.99, {rate('verdict_delay_bucket', by='le')})", "0.99")))


def processor(b):
    b = b.with_row(d.Row("Processor"))
    b = b.with_panel(lines("Share of the limits", "At 100% the processor closes runs early.", "percentunit", 8,
                           query("max by (instance) (@open_runs / @open_runs_limit)", "open runs, {{instance}}"),
                           query("max by (instance) (@retained_bytes / @retained_bytes_limit)", "memory, {{instance}}")))
    b = b.with_panel(lines("Spans", "Spans a second, and spans that are held.", "short", 8,
                           *[query(rate("spans_" + name), name) for name in ("received", "forwarded", "held", "released")],
                           query("sum(@spans_waiting)", "held now")))
    return b.with_panel(lines("Trouble", "Each should be 0.", "short", 8, *[
        query(rate(name), name.replace("_", " "))
        for name in ("spans_failed", "spans_refused", "spans_unheld", "condition_errors", "storage_errors", "incomplete_runs", "runs_unmatched")]))


def files(b):
    b = b.with_row(d.Row("Files of expectations"))
    b = b.with_panel(lines("Reloads", "Changed files that were read. After a failure the last good expectations still judge, and the log names file and key.",
                           "short", 8, query(f"sum by (result) (increase(@expectation_reloads{RATE}))", "{{result}}")))
    b = b.with_panel(lines("Age of expectations", "How long ago the expectations in use were read. The line of a collector that misses a change goes on rising.", "s", 8,
                           query("max by (instance) (@expectation_set_age)", "{{instance}}")))
    return b.with_panel(lines("Expectations that judge", "How many collectors judge by which expectations. During a change, one line falls and one rises.",
                              "short", 8, query("count by (config) (@expectation_set)", "{{config}}")))


def build():
    b = (d.Dashboard("Tool correctness").uid("tool-correctness").tags(["opentelemetry", "agents"]).readonly().refresh("1m")
         .description("Verdicts on agents' tool calls. The recording rules of examples/alerting/rules.yaml must be loaded.")
         .time("now-6h", "now").timezone("browser")
         .with_variable(d.DatasourceVariable("datasource").label("Data source").type("prometheus"))
         .with_variable(variable("metric", "metric")).with_variable(variable("expectation", "expectation")))
    for part in (quality, evidence, processor, files):
        b = part(b)
    return JSONEncoder(sort_keys=True, indent=2).encode(b.build()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(build())
