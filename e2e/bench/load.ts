import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Load to produce. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bodies that are sent in turn with `body`. */
  readonly others?: readonly string[] | undefined;
  readonly connections: number;
  /** Duration. Each connection sends at least one request. */
  readonly seconds: number;
  /** Requests per second over all connections. By default, as many as possible. */
  readonly rate?: number | undefined;
}

export interface LoadResult {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Number of server-sent events. */
  readonly frames: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs a load. This module runs in a separate process, so that it does not affect the measured ones. */
async function run({ url, headers, body, connections, seconds, rate, others = [] }: Load): Promise<LoadResult> {
  const bodies = [body, ...others];
  let sent = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const counts = { failures: 0, bytes: 0, frames: 0 };
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;

  const sendOne = (): Promise<void> =>
    new Promise((resolve) => {
      const sentAt = performance.now();
      const next = bodies[sent++ % bodies.length] ?? "";
      const outgoing = request(
        url,
        { method: "POST", agent, headers: { ...headers, "content-length": Buffer.byteLength(next) } },
        (response) => {
          if (response.statusCode !== 200) counts.failures++;
          response.on("data", (chunk: Buffer) => {
            counts.bytes += chunk.length;
            for (let at = chunk.indexOf("\n\n"); at >= 0; at = chunk.indexOf("\n\n", at + 2)) counts.frames++;
          });
          response.on("close", () => {
            times.push(performance.now() - sentAt);
            resolve();
          });
        },
      );
      outgoing.on("error", () => {
        counts.failures++;
        resolve();
      });
      outgoing.end(next);
    });

  const worker = async (offset: number): Promise<void> => {
    const everyMs = rate === undefined ? 0 : (connections * 1_000) / rate;
    for (
      let turn = startedAt + offset * (everyMs / connections), first = true;
      first || performance.now() < endAt;
      turn += everyMs, first = false
    ) {
      const wait = turn - performance.now();
      if (rate !== undefined && wait > 0) await pause(wait);
      await sendOne();
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => worker(at)));
  agent.destroy();
  times.sort((left, right) => left - right);
  const percentile = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return {
    ...counts,
    requests: times.length,
    seconds: (performance.now() - startedAt) / 1_000,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

process.once("message", (load: Load) => {
  void run(load).then((result) => process.send?.(result, () => process.disconnect?.()));
});
