"""Compare imported eval sets with Google ADK itself on random runs.

ADK writes an eval set, in snake_case and in camelCase. `toolcorrectness import` makes a configuration of it, the dry run
scores the spans that an agent would have sent, and ADK's TrajectoryEvaluator scores the same calls: by each match type, with
and without arguments. `make e2e-adk` installs ADK and runs this.

Python takes True for 1 and False for 0; the native method does not. A difference that is gone when truth values are no numbers
to ADK either is counted apart.
"""

import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation, InvocationEvent, InvocationEvents
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai import types

TOP = pathlib.Path(__file__).resolve().parents[3]
KEY = "test.case.name"
LEAVES = [0, 1, 1.0, 2, True, False, "", "x", "é", "1", 0.1, [], [1, {"a": []}], {}]


def call(r):
    return r.choice(["search", "lookup", "refund"]), {k: r.choice(LEAVES) for k in r.sample("abcd", r.choice([0, 1, 1, 2]))}


def altered(r, c):
    """A call that differs from c a little."""
    name, args = c[0], dict(c[1])
    chance = r.random()
    if chance < 0.6 and args:
        args[r.choice(list(args))] = r.choice(LEAVES)
    elif chance < 0.8:
        args["z"] = 1
    else:
        name = r.choice(["search", "other"])
    return name, args


def case(r):
    """What is expected, and calls that have something to do with it."""
    expected = [call(r) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4]))]
    if r.random() < 0.3 and expected:
        expected += r.choices(expected, k=1)
    called = [altered(r, c) if r.random() < 0.15 else c for c in expected]
    if r.random() < 0.3:
        r.shuffle(called)
    if r.random() < 0.2 and called:
        called.pop(r.randrange(len(called)))
    if r.random() < 0.3:
        called.insert(r.randrange(len(called) + 1), call(r))
    return expected, called


def invocation(calls, events=False):
    """The calls as ADK keeps them: in a list, or in events."""
    uses = [types.FunctionCall(name=name, args=args) for name, args in calls]
    data = IntermediateData(tool_uses=uses)
    if events:
        data = InvocationEvents(invocation_events=[
            InvocationEvent(author="desk", content=types.Content(parts=[types.Part(function_call=use)])) for use in uses])
    return Invocation(user_content=types.Content(role="user", parts=[types.Part(text="-")]), intermediate_data=data)


def marked(value):
    """The value with texts in the place of truth values."""
    if isinstance(value, bool):
        return f"truth value {value}"
    if isinstance(value, (list, tuple)):
        return type(value)(marked(v) for v in value)
    if isinstance(value, dict):
        return {k: marked(v) for k, v in value.items()}
    return value


def key(n):
    return f"case-{n:05}"


def text(name, value):
    return {"key": name, "value": {"stringValue": value}}


def request(n, called):
    """The spans of run n."""
    spans = []
    for i, (name, args) in enumerate([(None, None), *called]):
        start = 1_700_000_000_000_000_000 + i * 1_000_000
        end = start + (900_000 if i else (len(called) + 2) * 1_000_000)
        attributes = [text("gen_ai.operation.name", "invoke_agent"), text(KEY, key(n))]
        if i:
            attributes = [text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name),
                          text("gen_ai.tool.call.arguments", json.dumps(args, ensure_ascii=False))]
        spans.append({"traceId": f"{n + 1:032x}", "spanId": f"{n + 1:08x}{i + 1:08x}", "name": f"span {i}", "attributes": attributes,
                      "parentSpanId": f"{n + 1:08x}{1:08x}" if i else "", "startTimeUnixNano": str(start), "endTimeUnixNano": str(end)})
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "desk"}, "spans": spans}]}]})


def ours(folder, criterion, eval_set):
    """The dry run's scores by key, with what was imported."""
    (folder / "test_config.json").write_text(json.dumps({"criteria": {"tool_trajectory_avg_score": criterion}}))
    tool = folder / "toolcorrectness"
    subprocess.run([tool, "import", "-from", "adk", "-key", KEY, "-criteria", folder / "test_config.json", "-o", folder / "config.yaml", eval_set],
                   check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run([tool, "-config", folder / "config.yaml", "-format", "json", "-o", folder / "out.jsonl", folder / "traces.jsonl"],
                          stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 1):  # 1: not all passed
        sys.exit(f"the dry run failed with {done.returncode}")
    with (folder / "out.jsonl").open() as f:
        return {line["expectation"]: line["score"] for line in map(json.loads, f)}


def compare(folder, cases):
    different = 0
    for form, match, ignore in itertools.product(["snake_case", "camelCase"], ["EXACT", "IN_ORDER", "ANY_ORDER"], [False, True]):
        criterion = {"threshold": 1.0, "match_type": match, "ignore_args": ignore}
        got = ours(folder, criterion, folder / f"{form}.json")
        evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(
            metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=ToolTrajectoryCriterion(**criterion)))
        ones = wrong = truths = 0
        for n, (expected, called) in enumerate(cases):
            truth = evaluator.evaluate_invocations([invocation(called)], [invocation(expected)]).overall_score
            ones += truth == 1
            if got.get(key(n)) == truth:
                continue
            if evaluator.evaluate_invocations([invocation(marked(called))], [invocation(marked(expected))]).overall_score == got.get(key(n)):
                truths += 1
            else:
                wrong += 1
                print(f"different: {expected} {called}: ADK {truth}, the dry run {got.get(key(n))}")
        print(f"{form} {match} ignore_args={ignore}: {wrong} of {len(cases)} runs differ, {truths} more because True is 1 to Python; {ones} score 1")
        different += wrong
    return different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    r = random.Random(options.seed)
    cases = [case(r) for _ in range(options.cases)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["go", "build", "-o", folder / "toolcorrectness", "./cmd/toolcorrectness"], cwd=TOP, check=True)
        eval_set = EvalSet(eval_set_id="random", eval_cases=[
            EvalCase(eval_id=key(n), conversation=[invocation(expected, events=n % 2 == 1)]) for n, (expected, _) in enumerate(cases)])
        (folder / "snake_case.json").write_text(eval_set.model_dump_json())
        (folder / "camelCase.json").write_text(eval_set.model_dump_json(by_alias=True, exclude_none=True))
        (folder / "traces.jsonl").write_text("\n".join(request(n, called) for n, (_, called) in enumerate(cases)))
        if compare(folder, cases):
            sys.exit(1)


main()
