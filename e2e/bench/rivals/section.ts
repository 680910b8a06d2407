import { loadavg } from "node:os";
import { join } from "node:path";
import { freePorts } from "@modelgate/deploy/local";
import type { Load } from "../load.ts";
import { drive } from "../measure.ts";
import { options, report } from "../options.ts";
import { cpuOf, memoryOf, type Gateway } from "./gateways.ts";
import { remember } from "./history.ts";
import { startLitellm } from "./litellm.ts";
import { startOurs } from "./ours.ts";
import { startPortkey } from "./portkey.ts";
import { startStub } from "./start-stub.ts";

/** Gateways by turns before the same stub: CPU of a chat request, saturated, and of a stream of 100 events in bursts. */
const [rounds, seconds, warmSeconds] = options.quick ? [2, 3, 2] : [3, 10, 15];
const connections = 32;
/** Where rivals are installed; kept, so that the next run finds them. */
const installed = join(import.meta.dirname, "../../../.tools/rivals");
const [portkeyPort = 0, litellmPort = 0] = await freePorts(2);
await using gateways = new AsyncDisposableStack();
const stubAddress = gateways.use(await startStub()).address;
const words = "A question of about one kilobyte. ".repeat(30);
const bodyOf = (stream: boolean): string =>
  JSON.stringify({
    model: "stub",
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user", content: words }],
  });
const kinds = { chat: bodyOf(false), stream: bodyOf(true) } as const;
type Kind = keyof typeof kinds;

/** What one round saw of a gateway. */
interface Seen {
  readonly micros: Readonly<Record<string, number>>;
  readonly perSecond: number;
}

const all: Gateway[] = [];
for (const gateway of await startAll()) if (await isUsable(gateway)) all.push(gateway);
const seen = new Map<string, Seen[]>();
for (let round = 0; round < rounds; round++)
  for (const kind of ["chat", "stream"] as const)
    for (const gateway of all) {
      const key = `${gateway.name} ${kind}`;
      seen.set(key, [...(seen.get(key) ?? []), await measure(gateway, kind)]);
    }
tell();

/** Starts ours in each of its shapes, and every rival that there is. */
async function startAll(): Promise<readonly Gateway[]> {
  const started: Gateway[] = [];
  const take = async (name: string, starting: () => Promise<Gateway | undefined>): Promise<void> => {
    try {
      const gateway = await starting();
      if (gateway === undefined) return report(`${name}: not measured`, "cannot be installed here");
      gateways.use(gateway);
      if (started.every((other) => other.name !== gateway.name)) started.push(gateway);
    } catch (error) {
      report(`${name}: not measured`, error instanceof Error ? error.message.slice(0, 300) : "failed");
    }
  };
  for (const shape of ["apart", "one"]) {
    process.env["SUITE_SHAPE"] = shape;
    await take(`modelgate ${shape}`, async () => startOurs(stubAddress));
  }
  await take("Portkey", () => startPortkey(join(installed, "portkey"), portkeyPort, stubAddress));
  await take("LiteLLM", () => startLitellm(join(installed, "litellm"), litellmPort, stubAddress));
  for (const url of options.gateway ?? []) await take(url, () => Promise.resolve(given(url)));
  return started;
}

/** A gateway that runs already and serves the model `stub`; its CPU is counted where `--pid` names its process. */
function given(url: string): Gateway {
  const { pid, key = "any" } = options;
  return {
    name: url,
    url: `${url.replace(/\/$/, "")}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    parts: pid === undefined ? {} : { gateway: [Number(pid)] },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Warms a gateway; one that does not answer every request as it should is left out, and said to be. */
async function isUsable(gateway: Gateway): Promise<boolean> {
  for (const kind of ["chat", "stream"] as const) {
    const { requests, failures } = await drive(load(gateway, kind, warmSeconds));
    if (requests > 0 && failures === 0) continue;
    report(`${gateway.name}: not measured`, `${failures} of ${requests} requests failed (${kind})`);
    return false;
  }
  return true;
}

function load({ url, headers }: Gateway, kind: Kind, length: number): Load {
  const more = { "content-type": "application/json" };
  return { url, headers: { ...headers, ...more }, body: kinds[kind], connections, seconds: length };
}

async function measure(gateway: Gateway, kind: Kind): Promise<Seen> {
  const before = cpuOf(gateway);
  const result = await drive(load(gateway, kind, seconds));
  const after = cpuOf(gateway);
  const count = Math.max(1, result.requests - result.failures);
  const micros = Object.fromEntries(
    Object.entries(after).map(([part, cpu]) => [part, (cpu - (before[part] ?? 0)) / count]),
  );
  return { micros, perSecond: result.requests / result.seconds };
}

/** Prints the table, with medians and spreads, and compares it with the runs before. */
function tell(): void {
  report(
    "load average of the machine",
    loadavg()
      .map((one) => one.toFixed(1))
      .join(", "),
  );
  const figures: Record<string, number> = {};
  for (const gateway of all)
    for (const kind of ["chat", "stream"] as const) {
      const runs = seen.get(`${gateway.name} ${kind}`) ?? [];
      const sums = runs.map(({ micros }) => Object.values(micros).reduce((sum, one) => sum + one, 0));
      const parts = Object.keys(gateway.parts).map(
        (part) => `${part} ${whole(runs.map(({ micros }) => micros[part] ?? 0))}`,
      );
      const rate = `${whole(runs.map(({ perSecond }) => perSecond))}/s`;
      const spread = `${Math.round(Math.min(...sums))}-${Math.round(Math.max(...sums))}`;
      const what = kind === "chat" ? "a chat request" : "a stream of 100 events";
      report(`${gateway.name}: CPU of ${what}`, `${whole(sums)} µs (${spread}; ${parts.join(", ")}), ${rate}`);
      figures[`${gateway.name}, ${kind}`] = median(sums);
    }
  for (const gateway of all) report(`${gateway.name}: memory`, `${Math.round(memoryOf(gateway) / 1_048_576)} MiB`);
  for (const worse of remember(figures)) report("worse than before", worse);
}

function whole(values: readonly number[]): number {
  return Math.round(median(values));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
