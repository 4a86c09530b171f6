// Runs promptfoo's trajectory assertions on cases from standard input, one a line, and prints a line of scores for each.
//
//	node record_promptfoo.mjs PACKAGE < cases.jsonl
//
// A case with assertions of its own prints which of them pass.
//
// PACKAGE is the unpacked npm package. The assertions are not exported, so the two parts of the published bundle that hold
// them are evaluated by themselves.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import util from "node:util";

const folder = path.join(process.argv[2], "dist", "src");
const files = readdirSync(folder).filter((f) => f.endsWith(".js"));
const begin = "//#region src/assertions/trajectory";
const bundle = files.map((f) => readFileSync(path.join(folder, f), "utf8"))
  .find((text) => text.includes(begin + ".ts") && text.includes("const handleTrajectoryToolSequence"));

const region = (name) => {
  const from = bundle.indexOf("//#region " + name);
  return bundle.slice(from, bundle.indexOf("//#endregion", from));
};
const helpers = bundle.match(/import \{ ([^}]*) \} from "(\.\/toolAttributes-[^"]+)"/);
const module = await import(pathToFileURL(path.join(folder, helpers[2])));
const names = helpers[1].split(",").map((part) => part.trim().split(" as "));
const scope = Object.fromEntries(names.map(([exported, local]) => [local ?? exported, module[exported]]));
const pattern = bundle.match(/function matchesPattern\([\s\S]*?\n\}/)[0];
for (const [, local] of bundle.matchAll(/\b(isDeepStrictEqual\$\d+|isDeepStrictEqual)\b/g)) scope[local] = util.isDeepStrictEqual;

const handlers = new Function(...Object.keys(scope),
  pattern + region("src/assertions/trajectoryUtils.ts") + region("src/assertions/trajectory.ts") +
  "return { sequence: handleTrajectoryToolSequence, used: handleTrajectoryToolUsed, args: handleTrajectoryToolArgsMatch, steps: handleTrajectoryStepCount };")(...Object.values(scope));

const run = (handler, calls, value, inverse = false) => handler({
  baseType: "trajectory", inverse, assertion: { value }, renderedValue: value,
  assertionValueContext: { trace: { spans: calls.map(([name, args], i) => ({
    spanId: String(i), name: "call", startTime: i, endTime: i, attributes: { "tool.name": name, "tool.arguments": JSON.stringify(args) } })) } },
}).score;

const byType = { "tool-used": handlers.used, "tool-sequence": handlers.sequence, "tool-args-match": handlers.args, "step-count": handlers.steps };

for await (const line of createInterface({ input: process.stdin })) {
  const { expected, called, assertions } = JSON.parse(line);
  if (assertions) {
    console.log(JSON.stringify(assertions.map(({ type, value }) => {
      const [inverse, base] = type.match(/^(not-)?trajectory:(.*)/).slice(1);
      return run(byType[base], called, value, inverse !== undefined) === 1;
    })));
    continue;
  }
  const steps = expected.map(([name]) => name);
  const [name, args] = expected[0];
  console.log(JSON.stringify({
    "tool-sequence in_order": run(handlers.sequence, called, { mode: "in_order", steps }),
    "tool-sequence exact": run(handlers.sequence, called, { mode: "exact", steps }),
    "tool-used": run(handlers.used, called, steps),
    "tool-args-match partial": run(handlers.args, called, { name, args, mode: "partial" }),
    "tool-args-match exact": run(handlers.args, called, { name, args, mode: "exact" }),
    "tool-args-match defaults": run(handlers.args, called, { name, args, mode: "partial", defaults: { a: "x" }, ignore: ["z", "b*"] }),
  }));
}
