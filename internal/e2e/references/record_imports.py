"""Record test cases in the files of other libraries, and what these libraries say of runs.

    python record_imports.py NAME [--cases N] [--seed N] -o FILE

NAME is adk, deepeval or promptfoo, and that library must be installed (promptfoo: the folder PROMPTFOO has its unpacked npm
package). FILE is an archive (tar, gzip) for a test of `toolcorrectness import`:

    traces.jsonl   the spans of the runs, as an agent would have sent them; a conversation has a trace for each of its turns
    imports.json   a list: the flags of an import, the file that it reads, and what the library says: for each run, the
                   score and the verdict of each expectation that the import makes of its case
    head.json      the library and its version
    and the files that the imports read, as the library writes them

`make e2e WITH=imports` installs the libraries and has the test read fresh archives. Those in cmd/toolcorrectness/testdata/imports were
recorded in the same way.
"""

import argparse
import gzip
import importlib.metadata
import io
import itertools
import json
import os
import pathlib
import random
import subprocess
import tarfile
import tempfile

from record_others import LEAVES, case

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_UPDATE_WARNING_OPT_IN="NO", OPENAI_API_KEY="unused")
KEY = "test.case.name"
HERE = pathlib.Path(__file__).resolve().parent


def key(n):
    return f"case-{n:05}"


def text(name, value):
    return {"key": name, "value": {"stringValue": value}}


def request(n, turn, called):
    """The spans of a turn of run n: the agent's with the case's key, and one for each call."""
    spans, trace = [], n + 1 + (turn << 32)
    for i, (name, args) in enumerate([(None, None), *called]):
        start = 1_700_000_000_000_000_000 + turn * 1_000_000_000 + i * 1_000_000
        end = start + (900_000 if i else (len(called) + 2) * 1_000_000)
        attributes = [text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.conversation.id", key(n)), text(KEY, key(n))]
        if i:
            attributes = [text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name),
                          text("gen_ai.tool.call.arguments", json.dumps(args, ensure_ascii=False))]
        spans.append({"traceId": f"{trace:032x}", "spanId": f"{n + 1:08x}{i + 1:08x}", "name": f"span {i}", "attributes": attributes,
                      "parentSpanId": f"{n + 1:08x}{1:08x}" if i else "", "startTimeUnixNano": str(start), "endTimeUnixNano": str(end)})
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "desk"}, "spans": spans}]}]}, ensure_ascii=False)


def adk(cases, r):
    """Eval sets in snake_case and camelCase, of conversations of up to three invocations, half of them with events, by each match type
    with and without arguments."""
    from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation, InvocationEvent, InvocationEvents
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.eval_set import EvalSet
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    def invocation(calls, events=False):
        uses = [types.FunctionCall(name=name, args=args) for name, args in calls]
        data = IntermediateData(tool_uses=uses)
        if events:
            data = InvocationEvents(invocation_events=[
                InvocationEvent(author="desk", content=types.Content(parts=[types.Part(function_call=use)])) for use in uses])
        return Invocation(user_content=types.Content(role="user", parts=[types.Part(text="-")]), intermediate_data=data)

    eval_set = EvalSet(eval_set_id="random", eval_cases=[
        EvalCase(eval_id=key(n), creation_timestamp=0, conversation=[invocation(expected, events=n % 2 == 1) for expected, _ in turns])
        for n, turns in enumerate(cases)])
    files = {"snake_case.json": eval_set.model_dump_json(), "camelCase.json": eval_set.model_dump_json(by_alias=True, exclude_none=True)}
    imports = []
    for n, (match, ignore) in enumerate(itertools.product(["EXACT", "IN_ORDER", "ANY_ORDER"], [False, True])):
        criterion = {"threshold": 1.0, "match_type": match, "ignore_args": ignore}
        evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(
            metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=ToolTrajectoryCriterion(**criterion)))
        said = []
        for turns in cases:
            score = evaluator.evaluate_invocations([invocation(called) for _, called in turns], [invocation(expected) for expected, _ in turns]).overall_score
            said.append({"": [score, score >= 1.0]})
        flags = ["-from", "adk", "-match", match] + (["-arguments", "ignore"] if ignore else [])
        imports.append({"flags": flags, "file": ["snake_case.json", "camelCase.json"][n % 2], "said": said})
    return files, imports


def deepeval(cases, r):
    """Goldens as JSON and JSON lines, by the metric with its defaults."""
    from deepeval.dataset import EvaluationDataset, Golden
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall

    def tools(calls):
        return [ToolCall(name=name, input_parameters=args) for name, args in calls]

    goldens = EvaluationDataset(goldens=[Golden(name=key(n), input="-", expected_tools=tools(expected)) for n, (expected, _) in enumerate(cases)])
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ["json", "jsonl"]:
            goldens.save_as(file_type=kind, directory=folder, file_name="goldens")
            files[f"goldens.{kind}"] = pathlib.Path(folder, f"goldens.{kind}").read_text()
    metric, said = ToolCorrectnessMetric(), []
    for expected, called in cases:
        metric.measure(LLMTestCase(input="-", actual_output="-", expected_tools=tools(expected), tools_called=tools(called)), _show_indicator=False)
        said.append({"": [float(metric.score), bool(metric.success)]})
    return files, [{"flags": ["-from", "deepeval"], "file": name, "said": said} for name in files]


def assertions(r, expected, called):
    """Trajectory assertions, of which several pass."""
    names = [name for name, _ in expected] or ["search"]
    for _ in range(r.choice([1, 2, 3])):
        name, args = r.choice(expected or [("search", {})])
        low, high = sorted([r.choice([0, 1, 2]), r.choice([1, 2, 3])])
        not_ = r.choice(["", "", "not-"])
        yield r.choice([
            {"type": not_ + "trajectory:tool-used", "value": r.choice([name, names, "s*"])},
            {"type": "trajectory:tool-used", "value": {r.choice(["name", "pattern"]): r.choice([name, "*e*"]), "min": low, "max": high}},
            {"type": "trajectory:tool-sequence", "value": r.choice([names, {"steps": [{"name": n} for n in names]}])},
            {"type": "trajectory:tool-sequence", "value": {"mode": "exact", "steps": [n[:3] + "*" for n in names]}},
            {"type": not_ + "trajectory:tool-args-match", "value": {"name": name, r.choice(["args", "arguments"]): args}},
            {"type": not_ + "trajectory:tool-args-match", "value": {"pattern": "*", "args": args, "mode": "exact", "ignore": r.choice(["z", ["a", "b*"]])}},
        ])


def named(test):
    """What the name of an assertion's expectation has behind the test's key."""
    seen = []
    for assertion in test:
        seen.append(assertion["type"])
        n = seen.count(assertion["type"])
        yield f": {assertion['type']}" + (f" ({n})" if n > 1 else "")


def promptfoo(cases, r):
    """A configuration with up to three assertions for each test. JSON is YAML, of which promptfoo reads both."""
    tests = [list(assertions(r, expected, called)) for expected, called in cases]
    lines = [json.dumps({"called": called, "assertions": test}) for test, (_, called) in zip(tests, cases, strict=True)]
    done = subprocess.run(["node", HERE / "record_promptfoo.mjs", os.environ["PROMPTFOO"]], input="\n".join(lines), text=True, check=True, stdout=subprocess.PIPE)
    said = [{name: [float(passed), passed] for name, passed in zip(named(test), json.loads(line), strict=True)}
            for test, line in zip(tests, done.stdout.splitlines(), strict=True)]
    whole = {"prompts": ["-"], "tests": [{"description": key(n), "assert": test} for n, test in enumerate(tests)]}
    return {"promptfooconfig.yaml": json.dumps(whole, ensure_ascii=False, indent=1)}, [{"flags": ["-from", "promptfoo"], "file": "promptfooconfig.yaml", "said": said}]


def plain(value):
    """Whether no list has a map: promptfoo compares such lists in part."""
    if isinstance(value, dict):
        return all(map(plain, value.values()))
    return not isinstance(value, list) or "{" not in json.dumps(value)


# What records, the package, the values of arguments, and how many tools are expected at least: DeepEval saves an empty list as none.
LIBRARIES = {"adk": (adk, "google-adk", [v for v in LEAVES if v is not None], 0), "deepeval": (deepeval, "deepeval", LEAVES, 1),
             "promptfoo": (promptfoo, None, [v for v in LEAVES if plain(v)], 0)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=LIBRARIES)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", required=True)
    options = parser.parse_args()
    record, package, leaves, least = LIBRARIES[options.name]
    r = random.Random(options.seed)
    runs = [[case(r, leaves, least) for _ in range(r.choice([1, 2, 3]) if record is adk else 1)] for _ in range(options.cases)]
    cases = runs if record is adk else [turns[0] for turns in runs]
    files, imports = record(cases, r)
    version = importlib.metadata.version(package) if package else json.loads(pathlib.Path(os.environ["PROMPTFOO"], "package.json").read_text())["version"]
    files["traces.jsonl"] = "\n".join(request(n, turn, called) for n, turns in enumerate(runs) for turn, (_, called) in enumerate(turns))
    files["imports.json"] = json.dumps(imports)
    files["head.json"] = json.dumps({"library": package or options.name, "version": version, "cases": len(cases), "seed": options.seed})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in sorted(files):
            content = files[name].encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    pathlib.Path(options.o).write_bytes(gzip.compress(buffer.getvalue(), mtime=0))


main()
