/**
 * Longest time for which the event loop is held while a JSON body of the largest accepted sizes is read and written: at
 * once, in a worker whose value is cloned back, and in turns. CPU time of the loop's own thread, the best of three runs.
 * Run by hand: `node e2e/bench/json-turns.ts [part of a body's name]`.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { inTurns } from "@modelgate/platform";
import { parseInTurns, stringifyInTurns } from "@modelgate/wires/json";

const bounds = { depth: 256, values: 500_000, members: 100_000, topMembers: 1_000 };
const list = <Item>(length: number, item: (at: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, at) => item(at));
const keys = (count: number): object => Object.fromEntries(list(count, (at) => [`k${at}`, 1]));
const bodies: Readonly<Record<string, () => object>> = {
  "60 MB of Base64": () => ({ image: "A".repeat(60e6) }),
  "60 MB of escapes": () => ({ text: '"'.repeat(30e6) }),
  "60 MB of words that are not ASCII": () => ({ text: "wörds ".repeat(8_500_000) }),
  "49,000 messages of 1,200 bytes": () => ({
    messages: list(49_000, () => ({ role: "user", content: "x".repeat(1_200) })),
  }),
  "2 MB of 100,000 objects": () => ({ messages: list(99_000, (at) => ({ id: at })) }),
  "249,000 empty objects": () => ({ tools: list(249_000, () => ({})) }),
  "499,000 numbers": () => ({ input: list(499_000, (at) => at) }),
  "80,000 keys of one object": () => ({ metadata: keys(80_000) }),
  "99,000 keys of one object": () => ({ metadata: keys(99_000) }),
};

const worker = new Worker(
  `const { parentPort } = require("node:worker_threads");
   parentPort.on("message", (bytes) => parentPort.postMessage(JSON.parse(Buffer.from(bytes).toString())));`,
  { eval: true },
);

/** Ways to do the work on the bytes of a body and its value. */
const ways: Readonly<Record<string, (bytes: Buffer, value: unknown) => unknown>> = {
  "parse at once": (bytes) => JSON.parse(bytes.toString()),
  "in a worker": async (bytes) => {
    worker.postMessage(bytes, []);
    await once(worker, "message");
  },
  "in turns": async (bytes) => await inTurns(parseInTurns(bytes, bounds)),
  "write at once": (_, value) => Buffer.from(JSON.stringify(value)),
  "write in turns": async (_, value) => await inTurns(stringifyInTurns(value)),
};

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Returns the most CPU time between two rounds of the loop while work is done. */
async function heldMs(work: () => unknown): Promise<number> {
  let [last, longest, isDone] = [cpuMs(), 0, false];
  const round = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(round);
  };
  await new Promise((resolve) => setImmediate(resolve));
  round();
  await work();
  isDone = true;
  round();
  return longest;
}

console.log(`| held, ms | ${Object.keys(ways).join(" | ")} |`);
console.log(
  `|---|${Object.keys(ways)
    .map(() => "---:")
    .join("|")}|`,
);
for (const [name, make] of Object.entries(bodies)) {
  if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
  const text = JSON.stringify(make());
  const cells: string[] = [];
  for (const way of Object.values(ways)) {
    const tries: number[] = [];
    for (let run = 0; run < 3; run++) {
      const [bytes, value] = [Buffer.from(text), JSON.parse(text)];
      global.gc?.();
      tries.push(await heldMs(() => way(bytes, value)));
    }
    cells.push(Math.min(...tries).toFixed(0));
  }
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
await worker.terminate();
