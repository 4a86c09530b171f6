#!/usr/bin/env python3
"""Takes what a verdict depends on out of published files, for internal/e2e/yardsticks/testdata (its README has their origin).

    reduce_yardsticks.py tau2 < airline_run1.json
    reduce_yardsticks.py tau < gpt-4o-airline.json
    reduce_yardsticks.py restbench tmdb.json NAME=predictions.jsonl ...
"""

import json
import sys


def answers(messages):
    """The calls of each answer that has some, in the two forms of tool calls, with whether the tool raised an error."""
    for i, message in enumerate(messages):
        calls = []
        for call in message.get("tool_calls") or []:
            function = call.get("function", call)
            result = next((m for m in messages[i + 1 :] if m["role"] == "tool" and call["id"] in (m.get("tool_call_id"), m.get("id"))), {})
            failed = result.get("error") or (result.get("content") or "").startswith("Error")
            arguments = function["arguments"]
            calls.append(
                {
                    "name": function["name"],
                    "arguments": json.loads(arguments) if isinstance(arguments, str) else arguments,
                    **({"failed": True} if failed else {}),
                }
            )
        if calls:
            yield calls


def tau2():
    for s in json.load(sys.stdin)["simulations"]:
        if checks := s["reward_info"]["action_checks"]:
            keep = [{"match": c["action_match"], **{k: c["action"][k] for k in ("name", "arguments", "compare_args")}} for c in checks]
            yield {"task": s["task_id"], "checks": keep, "answers": list(answers(s["messages"]))}


def tau():
    for run in json.load(sys.stdin):
        task = run["info"]["task"]
        actions = [{"name": a["name"], "arguments": a["kwargs"]} for a in task["actions"]]
        yield {
            "task": run["task_id"],
            "trial": run["trial"],
            "reward": run["reward"],
            "actions": actions,
            "outputs": task["outputs"],
            "answers": list(answers(run["traj"])),
        }


def restbench(gold, *models):
    with open(gold) as file:
        solutions = [case["solution"] for case in json.load(file)]
    for name, path in (m.split("=") for m in models):
        with open(path) as file:
            for gold, line in zip(solutions, file, strict=True):
                yield {"model": name, "id": json.loads(line)["ID"], "solution": gold, "path": json.loads(line)["tool_choice_ls"]}


for line in {"tau2": tau2, "tau": tau, "restbench": restbench}[sys.argv[1]](*sys.argv[2:]):
    print(json.dumps(line, separators=(",", ":")))
