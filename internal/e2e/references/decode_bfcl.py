#!/usr/bin/env python3
"""Prints the calls of BFCL's models as JSON lines: model, category, id, whether names have dots, and calls (null where BFCL itself could not read the answer).

    decode_bfcl.py GORILLA RESULT

An answer of a model is text or JSON in a form of its own. BFCL has a handler for each, and this runs those of the folder GORILLA. The
packages that they import to ask a model are not needed, and are replaced by empty ones.
"""

import glob
import importlib.abc
import importlib.machinery
import json
import os
import sys
from unittest import mock

CATEGORIES = ["simple", "multiple_function", "parallel_function", "parallel_multiple_function", "relevance"]


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module that nothing else finds, and makes it empty."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return mock.MagicMock(name=spec.name, __spec__=spec, __path__=[], __all__=[])

    def exec_module(self, module):
        pass


def handlers(gorilla):
    sys.path.insert(0, os.path.join(gorilla, "berkeley-function-call-leaderboard"))
    sys.meta_path.append(Empty())
    os.environ.update({name: "none" for name in ["NVIDIA_API_KEY", "OPENAI_API_KEY", "MISTRAL_API_KEY", "COHERE_API_KEY"]})
    from model_handler import constant, handler_map, utils

    # Arithmetic in an argument is computed, and nothing else that a model wrote.
    utils.eval = lambda text: eval(text, {"__builtins__": {}})
    return handler_map.handler_map, constant.UNDERSCORE_TO_DOT


def calls_of(handler, answer):
    try:
        decoded = handler.decode_ast(answer, "Python")
    except Exception:
        return None
    if not isinstance(decoded, list) or not all(isinstance(call, dict) for call in decoded):
        return None
    return [{"name": name, "arguments": arguments} for call in decoded for name, arguments in call.items()]


def main():
    gorilla, result = sys.argv[1:]
    known, without_dots = handlers(gorilla)
    for folder in sorted(glob.glob(os.path.join(result, "*"))):
        model = os.path.basename(folder)
        name = model.replace("_", "/")
        handler, names = known[name](name), "underscores" if name in without_dots else "dots"
        for category in CATEGORIES:
            with open(os.path.join(folder, f"gorilla_openfunctions_v1_test_{category}_result.json")) as file:
                for i, line in enumerate(file):
                    calls = calls_of(handler, json.loads(line)["result"])
                    print(json.dumps({"model": model, "category": category, "id": i + 1, "names": names, "calls": calls}, default=repr))


main()
