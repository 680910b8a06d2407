import { setTimeout } from "node:timers/promises";
import { startLocalSuite } from "@modelgate/testkit";
import { inspectedEnv, inspectorIn, openInspector } from "./inspector.ts";

/**
 * Counts the files and functions of the text service and its libraries that a streamed chat call executes.
 * `--functions` lists them.
 */
const key = "sk-bench-0123456789abcdef";
await using suite = await startLocalSuite({
  sources: true,
  shape: "apart",
  env: inspectedEnv,
  config: {
    groups: { default: { models: ["*"] } },
    models: { bench: { kind: "chat", price: { input: 1, output: 2 } } },
    channels: [
      { id: "c", provider: "openai", baseUrl: "${SIMULATOR_URL}/openai/v1", keys: ["key"], models: ["bench"] },
    ],
    accounts: { bench: { balance: "10.00", tokens: [{ key, group: "default" }] } },
  },
});
const body = JSON.stringify({
  model: "bench",
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: "user", content: "Hello" }],
});

async function call(): Promise<void> {
  const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  if (!(await answer.text()).includes("[DONE]")) throw new Error("the stream was not whole");
}

interface FileCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Number of measured calls. A function is counted only if it ran in each of them. */
const calls = 5;
/** Wait after a call, in ms. Work that follows a call, such as publishing its event, takes less time. */
const settleMs = 300;

for (let warm = 0; warm < 3; warm++) await call();
const inspector = await openInspector(inspectorIn(suite.process("text").logs()));
await inspector.send("Profiler.enable");
await inspector.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
await inspector.send("Profiler.takePreciseCoverage");
const timesSeen = new Map<string, number>();
for (let at = 0; at < calls; at++) {
  await call();
  await setTimeout(settleMs);
  for (const name of await readEntered()) timesSeen.set(name, (timesSeen.get(name) ?? 0) + 1);
}
inspector.close();
print([...timesSeen].filter(([, times]) => times === calls).map(([name]) => name.split(" ")));

/** Returns the functions that ran since the previous reading. */
async function readEntered(): Promise<readonly string[]> {
  const coverage: { readonly result: readonly FileCoverage[] } = JSON.parse(
    await inspector.send("Profiler.takePreciseCoverage"),
  );
  return coverage.result.flatMap(({ url, functions }) => {
    const file = /\/((?:libs|services)\/.*)$/.exec(url)?.[1];
    if (file === undefined) return [];
    const ran = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
    return ran.map(({ functionName, ranges: [whole] }) => `${file} ${whole?.startOffset} ${functionName || "=>"}`);
  });
}

function print(functions: readonly (readonly string[])[]): void {
  const files = Map.groupBy(functions, ([file]) => file ?? "");
  for (const [file, inFile] of [...files].toSorted(([left], [right]) => left.localeCompare(right))) {
    process.stdout.write(`${String(inFile.length).padStart(4)} ${file}\n`);
    if (process.argv.includes("--functions"))
      process.stdout.write(`       ${inFile.map(([, , name]) => name).join(" ")}\n`);
  }
  const initializers = functions.filter(([, , name]) => name === "<instance_members_initializer>").length;
  const counted = `${functions.length - initializers} functions, and ${initializers} initializers of fields`;
  process.stdout.write(`${files.size} files, ${counted}\n`);
}
