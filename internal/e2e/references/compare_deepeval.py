"""Compare the method `deepeval` with the real library on random runs.

Each run is scored twice with every combination of options: by DeepEval's ToolCorrectnessMetric on a test case, and by the
dry run of this project on the spans that an agent would have sent. `make e2e WITH=deepeval` installs DeepEval and runs this.

A run that was recorded without arguments or outputs is a test case without them, so the metrics say `uncaptured: none`.
Each metric is there once more with `uncaptured: unknown`: it must agree, or refuse to score a run of which something
was not recorded.
"""

import argparse
import collections
import gzip
import importlib.metadata
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.update(
    DEEPEVAL_TELEMETRY_OPT_OUT="YES",
    DEEPEVAL_UPDATE_WARNING_OPT_IN="NO",
    OPENAI_API_KEY="unused",  # the metric makes a client for the model that it never asks here
)

from deepeval.metrics import ToolCorrectnessMetric  # noqa: E402
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[3]
THRESHOLDS = [0.5, 0.8, 1, 0, 0.3]
ROUNDING = 1e-12  # DeepEval adds floats in the order of a set


def options():
    """Every combination of options, each under the name of a metric."""
    params = [[], ["input_parameters"], ["output"], ["input_parameters", "output"]]
    for n, (p, exact, order, strict) in enumerate(itertools.product(params, *[[False, True]] * 3)):
        yield f"m{n:02}", {
            "evaluation_params": p,
            "should_exact_match": exact,
            "should_consider_ordering": order,
            "strict_mode": strict,
            "threshold": THRESHOLDS[n % len(THRESHOLDS)],
        }


NAMES = ["search", "lookup", "refund", "Search", "näme"]
LEAVES = [0, 1, 1.0, 2, True, False, None, "", "x", "é", "1", 0.1, -0.0, 9007199254740993, 9007199254740992.0, [], [1, {"a": []}], {}]
# No text here reads as one of the values: a span carries both in the same way.
OUTPUTS = [None, None, "ok", "N/A", "42", "[3]", "", 0, 1, 1.0, True, [1, 2], [1.0, 2], {"a": 1}, {"a": True}, {}]


def arguments(r, depth=2):
    """An object of arguments, or None for a call without any."""
    if depth == 2 and r.random() < 0.1:
        return None
    keys = r.sample("abcdefghijkl", r.choice([0, 1, 1, 2, 2, 3, 10]))
    return {k: arguments(r, depth - 1) if depth and r.random() < 0.25 else r.choice(LEAVES) for k in keys}


def call(r, pool):
    return {"name": r.choice(pool), "args": arguments(r), "output": r.choice(OUTPUTS)}


def altered(r, c):
    """A call that may differ from c a little."""
    c = json.loads(json.dumps(c))
    chance = r.random()
    if chance < 0.2:
        c["output"] = r.choice(OUTPUTS)
    elif chance < 0.4 and c["args"]:
        c["args"][r.choice(list(c["args"]))] = r.choice(LEAVES)
    elif chance < 0.5 and c["args"] is not None:
        c["args"]["z"] = r.choice(LEAVES)
    elif chance < 0.55:
        c["args"] = r.choice([None, {}])
    elif chance < 0.6:
        c["name"] = r.choice(NAMES)
    return c


def case(r):
    """What is expected, and a run that has something to do with it."""
    pool = r.sample(NAMES, r.choice([1, 1, 2, 3]))
    expected = [call(r, pool) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
    if r.random() < 0.3:  # the same tool again
        expected += r.choices(expected, k=2) if expected else []
    called = [altered(r, c) if r.random() < 0.5 else c for c in expected]
    if r.random() < 0.4:
        r.shuffle(called)
    if r.random() < 0.3 and called:
        called.remove(r.choice(called))
    if r.random() < 0.4:
        called.insert(r.randrange(len(called) + 1), r.choice(called) if called and r.random() < 0.6 else call(r, pool))
    if r.random() < 0.1:
        called = []
    if r.random() < 0.15:  # names are all that was recorded
        for c in called:
            c["args"] = c["output"] = None
    return {"expected": expected, "called": called}


def by_deepeval(c, metrics):
    """DeepEval's score and verdict by each metric, or None where it raises."""
    tools = [[ToolCall(name=t["name"], input_parameters=t["args"], output=t["output"]) for t in c[k]] for k in ("expected", "called")]
    test = LLMTestCase(input="-", actual_output="-", expected_tools=tools[0], tools_called=tools[1])
    results = {}
    for name, metric in metrics.items():
        try:
            metric.measure(test, _show_indicator=False)
            results[name] = (float(metric.score), bool(metric.success))
        except AttributeError:
            results[name] = None
    return results


def text(key, value):
    return {"key": key, "value": {"stringValue": value}}


def written(value):
    """A value as instrumentations write it: a text as it stands, anything else as JSON."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def span(n, i, name, attributes, last):
    s = {"traceId": f"{n + 1:032x}", "spanId": f"{n + 1:08x}{i + 1:08x}", "name": name, "attributes": attributes}
    if i:
        s["parentSpanId"] = f"{n + 1:08x}{1:08x}"
    start = 1_700_000_000_000_000_000 + i * 1_000_000
    return s | {"startTimeUnixNano": str(start), "endTimeUnixNano": str(start + (900_000 if i else (last + 2) * 1_000_000))}


def spans(n, c):
    """The spans of run n: the agent's, which says what is expected, and one for each call."""
    expected = []
    for t in c["expected"]:
        tool = {"name": t["name"]} | ({} if t["args"] is None else {"arguments": t["args"]})
        expected.append(tool | ({} if t["output"] is None else {"output": t["output"]}))
    yield span(n, 0, "invoke_agent desk", [
        text("gen_ai.operation.name", "invoke_agent"),
        text("test.expected_tools", json.dumps(expected, ensure_ascii=False)),
    ], len(c["called"]))
    for i, t in enumerate(c["called"], 1):
        attributes = [text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", t["name"])]
        if t["args"] is not None:
            attributes.append(text("gen_ai.tool.call.arguments", json.dumps(t["args"], ensure_ascii=False)))
        if t["output"] is not None:
            attributes.append(text("gen_ai.tool.call.result", written(t["output"])))
        yield span(n, i, "execute_tool " + t["name"], attributes, 0)


def by_dry_run(cases, metrics):
    """The dry run's verdicts: run, metric and `uncaptured` -> its line."""
    config = {"processors": {"tool_correctness": {
        "metrics": {f"{name}.{u}": {"deepeval": o | {"uncaptured": u, "include_reason": False}}
                    for name, o in metrics.items() for u in ("none", "unknown")},
        "expectations": [{"from_attribute": "test.expected_tools"}],
    }}}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "config.yaml").write_text(json.dumps(config))
        with (folder / "traces.jsonl").open("w") as f:
            for n, c in enumerate(cases):
                f.write(json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "desk"}, "spans": list(spans(n, c))}]}]}) + "\n")
        command = ["go", "run", "./cmd/toolcorrectness", "-config", folder / "config.yaml", "-format", "json",
                   "-o", folder / "out.jsonl", folder / "traces.jsonl"]
        done = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):  # 1: not all passed
            sys.exit(f"the dry run failed with {done.returncode}")
        lines = {}
        with (folder / "out.jsonl").open() as f:
            for line in map(json.loads, f):
                name, uncaptured = line["metric"].split(".")
                lines[int(line["trace_id"], 16) - 1, name, uncaptured] = line
        return lines


def is_captured(c):
    return all(t["args"] is not None and t["output"] is not None for t in c["called"])


def agreement(line, truth, captured):
    """How a verdict of the dry run stands to DeepEval's."""
    if line is None:
        return "different"
    if line["metric"].endswith(".unknown") and line["status"] == "not_evaluable" and not captured:
        return "refused"
    if truth is None:
        return "error" if line["status"] == "error" else "different"
    score, passed = truth
    if line["status"] != "scored" or line["passed"] != passed or abs(line["score"] - score) > ROUNDING:
        return "different"
    return "equal" if line["score"] == score else "rounding"


def print_table(version, metrics, counts, cases):
    empty = {k: sum(not c[k] for c in cases) for k in ("called", "expected")}
    print(f"\nDeepEval {version}, {len(cases)} random runs, {sum(sum(c.values()) for c in counts.values())} verdicts."
          f"\n{empty['called']} runs called nothing, of {empty['expected']} nothing was expected.\n")
    columns = ["equal", "rounding", "error", "refused", "different"]
    print("| evaluation_params | compared | strict | " + " | ".join(columns) + " |")
    print("|---|---|---|" + "---|" * len(columns))
    for name, o in metrics.items():
        compared = "exact" if o["should_exact_match"] else "names in order" if o["should_consider_ordering"] else "names"
        compared += ", order" if o["should_exact_match"] and o["should_consider_ordering"] else ""
        row = [", ".join(o["evaluation_params"]) or "none", compared, "yes" if o["strict_mode"] else "no"]
        print("| " + " | ".join(row + [str(counts[name][c]) for c in columns]) + " |")
    total = sum(counts.values(), collections.Counter())
    print("| all | | | " + " | ".join(str(total[c]) for c in columns) + " |")
    print("\nequal: to the last bit. rounding: within 1e-12. error: DeepEval raises, we say error. refused: with uncaptured:"
          "\nunknown, of runs of which something was not recorded. different: must be 0.")
    return total["different"]


def write_vectors(path, cases, truths):
    """Cases with DeepEval's results, for the tests of scoring: a list of [score, passed] or null, in the order of the metrics."""
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as f:
        for c, truth in zip(cases, truths):
            f.write(json.dumps(c | {"results": list(truth.values())}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vectors", help="write cases and DeepEval's results to this file, and compare nothing")
    args = parser.parse_args()
    r = random.Random(args.seed)
    cases = [case(r) for _ in range(args.cases)]
    metrics = dict(options())
    real = {
        name: ToolCorrectnessMetric(async_mode=False, **o | {"evaluation_params": [ToolCallParams(p) for p in o["evaluation_params"]]})
        for name, o in metrics.items()
    }
    truths = [by_deepeval(c, real) for c in cases]
    if args.vectors:
        write_vectors(args.vectors, cases, truths)
        return 0
    lines = by_dry_run(cases, metrics)
    counts = {name: collections.Counter() for name in metrics}
    told = 0
    for n, c in enumerate(cases):
        for name, uncaptured in itertools.product(metrics, ("none", "unknown")):
            line = lines.get((n, name, uncaptured))
            how = agreement(line, truths[n][name], is_captured(c))
            counts[name][how] += 1
            if how == "different" and told < 5:
                told += 1
                print(f"run {n}, uncaptured {uncaptured}, {metrics[name]}\n  {json.dumps(c)}\n  DeepEval: {truths[n][name]}\n  here: {line}")
    return 1 if print_table(importlib.metadata.version("deepeval"), metrics, counts, cases) else 0


if __name__ == "__main__":
    sys.exit(main())
