import { startLocalSuite, type LocalBackends, type Suite } from "@modelgate/testkit";
import { largeUpload } from "./large-upload.ts";
import { runLoad, runMeasuredLoad, readMemory } from "./measure.ts";
import { prepareStreams } from "./open-streams.ts";
import { options, report } from "./options.ts";
import { measureSessions } from "./sessions.ts";
import type { Load } from "./load.ts";

/** Measures the suite with authentication, limits, settlement and events. */
const seconds = options.quick ? 3 : 10;
const key = "sk-bench-0123456789abcdef";
const config = {
  groups: {
    default: {
      models: ["*"],
      limits: { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000, concurrency: 10_000 },
    },
  },
  models: {
    "bench-live": { kind: "realtime", price: { input: 4, output: 16, inputAudio: 32, outputAudio: 64 } },
    bench: { kind: "chat", price: { input: 2.5, cachedInput: 1.25, output: 10 } },
  },
  channels: [
    {
      id: "simulated",
      provider: "openai",
      baseUrl: "${SIMULATOR_URL}/openai/v1",
      keys: ["key"],
      models: ["bench", "bench-live"],
    },
  ],
  accounts: { bench: { balance: "100000.00", tokens: [{ key, group: "default" }] } },
};
const micros = (cpu: number, count: number): string => `${Math.round(cpu / Math.max(1, count))} µs`;
const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

await using suite = await startLocalSuite({ fresh: true, limits: "product", shape: "apart", config });
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const bodyOf = (directive: object, stream: boolean): string =>
  JSON.stringify({
    model: "bench",
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user", content: `Hello {{simulate: ${JSON.stringify(directive)}}}` }],
  });
const plain = bodyOf({ bodyBytes: 600 }, false);
const load = (body: string, more: Partial<Load> = {}): Load => ({
  url: `${suite.edgeUrl}/v1/chat/completions`,
  headers,
  body,
  connections: 32,
  seconds,
  ...more,
});
const pids = pidsOf(suite);

await runLoad(load(plain, { seconds: 1, connections: 4 })); // warm-up
// First, because a busy process does not release all memory.
await measureMemoryOfStreams(options.quick ? 200 : 1_000);
await measureSessions(suite, {
  key,
  model: "bench-live",
  count: options.quick ? 500 : 5_000,
  seconds: options.quick ? 3 : 10,
  report,
});
await measureLargeBody();
await measureLargeFiles();
await measureMaximumRate();
await measureLatency();
await measureStreamEvents();

/** Measures the CPU time per request at the maximum rate. */
async function measureMaximumRate(): Promise<void> {
  const { result, cpu } = await runMeasuredLoad(load(plain), pids);
  report("chat, JSON, 32 connections: requests per second", String(Math.round(result.requests / result.seconds)));
  for (const [name, spent] of Object.entries(cpu)) report(`  CPU per request, ${name}`, micros(spent, result.requests));
  report("  CPU per request, edge + text", micros((cpu["edge"] ?? 0) + (cpu["text"] ?? 0), result.requests));
  if (result.failures > 0) report("  failed requests", String(result.failures));
}

/** Measures the latency that the gateway adds to direct calls. */
async function measureLatency(): Promise<void> {
  const rate = 300;
  const direct = await runLoad(load(plain, { url: `${suite.simulator.url}/openai/v1/chat/completions`, rate }));
  const viaGateway = await runMeasuredLoad(load(plain, { rate }), pids);
  report(`at ${rate} requests/s: added p50`, `${(viaGateway.result.p50Ms - direct.p50Ms).toFixed(2)} ms`);
  report(`at ${rate} requests/s: added p99`, `${(viaGateway.result.p99Ms - direct.p99Ms).toFixed(2)} ms`);
  report(
    `at ${rate} requests/s: CPU per request, edge + text`,
    micros((viaGateway.cpu["edge"] ?? 0) + (viaGateway.cpu["text"] ?? 0), viaGateway.result.requests),
  );
}

/** Measures the CPU time per event of a stream. */
async function measureStreamEvents(): Promise<void> {
  for (const [what, directive, connections] of [
    ["streams in bursts of 200 events", { chunks: 200 }, 32],
    ["100 streams of 20 events/s", { chunks: 20 * seconds, chunkDelayMs: 50 }, 100],
  ] as const) {
    const { result, cpu } = await runMeasuredLoad(load(bodyOf(directive, true), { connections }), pids);
    report(`${what}: CPU per event, edge`, micros(cpu["edge"] ?? 0, result.frames));
    report(`${what}: CPU per event, text`, micros(cpu["text"] ?? 0, result.frames));
  }
}

async function measureMemoryOfStreams(count: number): Promise<void> {
  const names = ["edge", "text"] as const;
  const now = (): readonly number[] => names.map((name) => readMemory(pids[name] ?? 0).now);
  const before = now();
  report("memory idle, edge and text", before.map(mebibytes).join(", "));
  using streams = prepareStreams(load(bodyOf({ chunks: 100, stallAfterChunks: 2 }, true)));
  await streams.open(count);
  for (const [at, bytes] of now().entries())
    report(
      `${count} open streams: memory per stream, ${names[at]}`,
      `${Math.round((bytes - (before[at] ?? 0)) / count / 1_024)} KiB`,
    );
}

async function measureLargeBody(): Promise<void> {
  await using fresh = await startLocalSuite({ fresh: true, limits: "product", shape: "apart", config });
  const url = `${fresh.edgeUrl}/v1/chat/completions`;
  const { edge = 0, text = 0 } = pidsOf(fresh);
  await runLoad(load(plain, { url, seconds: 1, connections: 4 })); // warm-up
  const before = { edge: readMemory(edge).peak, text: readMemory(text).peak };
  const words = `${"x".repeat(20 * 1_048_576)}{{simulate: {"text": "ok"}}}`;
  const body = JSON.stringify({ model: "bench", messages: [{ role: "user", content: words }] });
  await runLoad(load(body, { url, connections: 1, seconds: 0 }));
  report("20 MiB body: growth of the peak, edge", mebibytes(readMemory(edge).peak - before.edge));
  report("20 MiB body: growth of the peak, text", mebibytes(readMemory(text).peak - before.text));
}

/** Measures a file that is forwarded while it arrives, and one that waits on disk. */
async function measureLargeFiles(): Promise<void> {
  const { passed, spooled } = await largeUpload(100, { fresh: true, limits: "product" });
  for (const [how, grown] of [
    ["sent on", passed],
    ["spooled", spooled],
  ] as const) {
    report(`100 MiB of audio, ${how}: growth of the peak, edge`, mebibytes(grown.edge));
    report(`100 MiB of audio, ${how}: growth of the peak, audio`, mebibytes(grown.audio));
  }
}

function pidsOf({ process: find, backends }: Suite<LocalBackends>): Readonly<Record<string, number>> {
  const services = (["edge", "text", "simulator", "ledger"] as const).map((name) => [name, find(name).pid] as const);
  return { ...Object.fromEntries(services), redis: backends.redis.pid(), nats: backends.nats.pid() };
}
