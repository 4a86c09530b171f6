"""Record what other libraries say of random runs.

    python record_others.py NAME [--cases N] [--seed N] [-o FILE]

NAME is agentevals, pydantic-evals, azure-ai-evaluation, ragas, google-adk, mlflow-skinny or promptfoo, and that library must
be installed. vertex-documentation is no library: it is what the documentation of Vertex AI says. Each line of FILE is a case:
the expected calls, the calls, and what the library gives in each of its modes. The first line names the library and its version.
`make e2e WITH=others` installs the libraries and compares the native method with fresh lines; the lines in testdata/others were
recorded in the same way.

Values are texts, whole numbers, fractions, null, lists and maps. Truth values are left out, because Python takes True for 1.
"""

import argparse
import asyncio
import gzip
import importlib.metadata
import json
import os
import pathlib
import random
import subprocess
import sys
import types
import warnings

LEAVES = [0, 1, 1.0, 2, -3.5, "", "x", "é", "1", None, [], [1, {"a": []}], {}, {"n": 1}]
NAMES = ["search", "lookup", "refund"]


def call(r, leaves):
    return r.choice(NAMES), {k: r.choice(leaves) for k in r.sample("abcd", r.choice([0, 1, 1, 2]))}


def altered(r, c, leaves):
    """A call that differs from c a little."""
    name, args = c[0], dict(c[1])
    chance = r.random()
    if chance < 0.6 and args:
        args[r.choice(list(args))] = r.choice(leaves)
    elif chance < 0.8:
        args["z"] = 1
    else:
        name = r.choice(["search", "other"])
    return name, args


def case(r, leaves, least=0):
    """What is expected, and calls that have something to do with it."""
    expected = [call(r, leaves) for _ in range(max(least, r.choice([0, 1, 1, 2, 2, 3, 4])))]
    if r.random() < 0.3 and expected:
        expected += r.choices(expected, k=1)
    called = [altered(r, c, leaves) if r.random() < 0.15 else c for c in expected]
    if r.random() < 0.3:
        r.shuffle(called)
    if r.random() < 0.2 and called:
        called.pop(r.randrange(len(called)))
    if r.random() < 0.3:
        called.insert(r.randrange(len(called) + 1), r.choice([*called, call(r, leaves)]))
    return expected, called


def agentevals(cases):
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    def messages(calls):
        return [{"role": "assistant", "content": "", "tool_calls": [
            {"id": "", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}]} for name, args in calls]

    evaluators = {f"{mode} {args}": create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=args)
                  for mode in ["strict", "unordered", "subset", "superset"] for args in ["exact", "ignore"]}
    for expected, called in cases:
        yield {name: float(e(outputs=messages(called), reference_outputs=messages(expected))["score"]) for name, e in evaluators.items()}


def pydantic(cases):
    from pydantic_evals.evaluators import agentic

    class Info:
        def __init__(self, name):
            self.name = name

    class Context:
        span_tree = None

    made = []
    agentic._extract_tool_calls = lambda tree, include_failed: [Info(name) for name in made[-1]]
    for expected, called in cases:
        made.append([name for name, _ in called])
        names = [name for name, _ in expected]
        yield {order: agentic.TrajectoryMatch(expected_trajectory=names, order=order).evaluate(Context()).value
               for order in ["exact", "in_order", "any_order"]}


def azure(cases):
    from azure.ai.evaluation._evaluators._task_navigation_efficiency import _task_navigation_efficiency as module

    cls = next(v for k, v in vars(module).items() if k.endswith("TaskNavigationEfficiencyEvaluator"))
    modes = {mode: cls(matching_mode=mode) for mode in ["exact_match", "in_order_match", "any_order_match"]}
    for expected, called in cases:
        said = {}
        for arguments in ["ignore", "exact"]:
            steps = [(name, tuple(sorted(args.items()))) if arguments == "exact" else name for name, args in called]
            truth = [(name, tuple(sorted(args.items()))) if arguments == "exact" else name for name, args in expected]
            for mode, e in modes.items():
                match = e._TASK_NAVIGATION_EFFICIENCY_MATCHING_MODE_TO_FUNCTIONS[e.matching_mode]
                said[f"{mode} {arguments}"] = float(match(e, steps, truth))
            for key, value in e._calculate_precision_recall_f1_scores(steps, truth).items():
                said[f"{key} {arguments}"] = value
        yield said


def ragas(cases):
    # ragas imports a class that newer releases of langchain-community do not have. No score needs it.
    absent = types.ModuleType("langchain_community.chat_models.vertexai")
    absent.ChatVertexAI = type("ChatVertexAI", (), {})
    sys.modules.setdefault(absent.__name__, absent)
    from ragas.messages import AIMessage, ToolCall
    from ragas.dataset_schema import MultiTurnSample
    from ragas.metrics import ToolCallAccuracy, ToolCallF1

    metrics = {"ToolCallF1": ToolCallF1(), "ToolCallAccuracy": ToolCallAccuracy()}
    for expected, called in cases:
        sample = MultiTurnSample(
            user_input=[AIMessage(content="", tool_calls=[ToolCall(name=n, args=a)]) for n, a in called],
            reference_tool_calls=[ToolCall(name=n, args=a) for n, a in expected])
        yield {name: asyncio.run(metric._multi_turn_ascore(sample, None)) for name, metric in metrics.items()}


def adk(cases):
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types as genai

    def invocation(calls):
        return Invocation(user_content=genai.Content(role="user", parts=[genai.Part(text="-")]), intermediate_data=IntermediateData(
            tool_uses=[genai.FunctionCall(name=name, args=args) for name, args in calls]))

    evaluators = {}
    for match in ["EXACT", "IN_ORDER", "ANY_ORDER"]:
        for ignore in [False, True]:
            criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match, ignore_args=ignore)
            evaluators[match + (" ignore" if ignore else " exact")] = TrajectoryEvaluator(eval_metric=EvalMetric(
                metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion))
    for expected, called in cases:
        yield {name: e.evaluate_invocations([invocation(called)], [invocation(expected)]).overall_score for name, e in evaluators.items()}


def mlflow(cases):
    from mlflow.genai.scorers import builtin_scorers as module
    from mlflow.genai.utils.type import FunctionCall

    # The calls would be read from a trace.
    made = []
    module.extract_request_from_trace = lambda trace: ""
    module.extract_available_tools_from_trace = lambda trace: []
    module.extract_tools_called_from_trace = lambda trace: made[-1]
    scorers = {name: module.ToolCallCorrectness(should_exact_match=True, should_consider_ordering=name == "ordered")
               for name in ["ordered", "unordered"]}
    for expected, called in cases:
        made.append([FunctionCall(name=name, arguments=args) for name, args in called])
        said = {}
        for arguments in ["exact", "ignore"]:
            wanted = [{"name": name, "arguments": args} if arguments == "exact" else {"name": name} for name, args in expected]
            for name, scorer in scorers.items():
                feedback = scorer(trace=None, expectations={"expected_tool_calls": wanted})
                said[f"{name} {arguments}"] = float(str(getattr(feedback.value, "value", feedback.value)) == "yes")
        yield said


def vertex(cases):
    """Vertex computes its trajectory metrics in a service. This is written from its documentation, and is not its code."""
    def follows(calls, wanted):
        rest = iter(calls)
        return all(w in rest for w in wanted)

    for expected, called in cases:
        # Each call of one list that stands in the other counts, however often it is there.
        yield {"trajectory_exact_match": float(expected == called),
               "trajectory_in_order_match": float(follows(called, expected)),
               "trajectory_any_order_match": float(all(e in called for e in expected)),
               "trajectory_recall": sum(e in called for e in expected) / len(expected)}


def promptfoo(cases):
    package = pathlib.Path(os.environ["PROMPTFOO"])  # the unpacked npm package
    script = pathlib.Path(__file__).with_name("record_promptfoo.mjs")
    lines = "\n".join(json.dumps({"expected": e, "called": c}) for e, c in cases)
    done = subprocess.run(["node", script, package], input=lines, capture_output=True, text=True, check=True)
    yield from map(json.loads, done.stdout.splitlines())


def version(name):
    if name == "vertex-documentation":
        return "2026-05"
    if name == "promptfoo":
        return json.loads((pathlib.Path(os.environ["PROMPTFOO"]) / "package.json").read_text())["version"]
    return importlib.metadata.version(name)


# The libraries, and what they are given: the leaves of arguments, and the least number of expected calls.
TEXTS = ["", "x", "é", "1", "y"]
LIBRARIES = {
    "agentevals": (agentevals, LEAVES, 0),
    "pydantic-evals": (pydantic, LEAVES, 0),
    "azure-ai-evaluation": (azure, TEXTS, 1),
    "ragas": (ragas, TEXTS, 0),
    "google-adk": (adk, LEAVES, 0),
    "mlflow-skinny": (mlflow, TEXTS, 1),
    "vertex-documentation": (vertex, TEXTS, 1),
    "promptfoo": (promptfoo, LEAVES, 1),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=LIBRARIES)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", default=None)
    options = parser.parse_args()
    for noise in ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "RAGAS_DO_NOT_TRACK"]:
        os.environ[noise] = "true" if noise.startswith("RAGAS") else "false"
    warnings.simplefilter("ignore")
    record, leaves, least = LIBRARIES[options.name]
    r = random.Random(options.seed)
    cases = [case(r, leaves, least) for _ in range(options.cases)]
    out = gzip.GzipFile(options.o, "wb", mtime=0) if options.o else sys.stdout.buffer

    def write(line):
        out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    write({"library": options.name, "version": version(options.name), "cases": len(cases), "seed": options.seed})
    for (expected, called), said in zip(cases, record(cases), strict=True):
        write({"expected": expected, "called": called, "said": said})
    out.close()


if __name__ == "__main__":
    main()
