import { once } from "node:events";
import { get, Agent, type IncomingMessage } from "node:http";
import { Worker } from "node:worker_threads";
import { startLocalSuite, until } from "@modelgate/testkit";
import { cpuMicros, memory } from "./measure.ts";

const key = "sk-bench-0123456789abcdef";
const headers = { authorization: `Bearer ${key}` };
const mebibyte = 1_048_576;

/** What downloads are measured with. */
export interface DownloadBench {
  /** How long the video is. */
  readonly mebibytes: number;
  /** Downloads whose readers have stopped reading, at once. */
  readonly stopped: number;
  readonly report: (what: string, value: string) => void;
}

/** Readers that read as fast as they can, at once. */
const eager = 8;

/** A finished video, downloaded: throughput and CPU at full pace, and what a reader that stops costs in memory. */
export async function downloads({ mebibytes, stopped, report }: DownloadBench): Promise<void> {
  const vendor = new Worker(new URL("film-vendor.ts", import.meta.url), { workerData: mebibytes * mebibyte });
  const [port]: number[] = await once(vendor, "message");
  {
    await using suite = await startLocalSuite({ shape: "apart", config: houseOf(`http://127.0.0.1:${port}/v1`) });
    const film = await filmAt(suite.edgeUrl);
    const pids = { edge: suite.process("edge").pid, video: suite.process("video").pid };
    const agent = new Agent({ maxSockets: Infinity });
    await Promise.all(Array.from({ length: eager }, async () => read(await open(film, agent)))); // warm

    const idle = { edge: memory(pids.edge).now, video: memory(pids.video).now };
    const waiting = await Promise.all(Array.from({ length: stopped }, () => open(film, agent)));
    for (const name of ["edge", "video"] as const) {
      const each = (memory(pids[name]).now - idle[name]) / stopped / 1_024;
      report(`${stopped} stopped downloads of ${mebibytes} MiB: memory each, ${name}`, `${Math.round(each)} KiB`);
    }
    for (const answer of waiting) answer.destroy();

    const cpu = { edge: cpuMicros(pids.edge), video: cpuMicros(pids.video) };
    const peak = { edge: memory(pids.edge).peak, video: memory(pids.video).peak };
    const begun = performance.now();
    await Promise.all(Array.from({ length: eager }, async () => read(await open(film, agent))));
    const seconds = (performance.now() - begun) / 1_000;
    report(`${eager} downloads at full pace`, `${Math.round((eager * mebibytes) / seconds)} MiB/s`);
    for (const name of ["edge", "video"] as const) {
      const spent = (cpuMicros(pids[name]) - cpu[name]) / (eager * mebibytes);
      const grown = (memory(pids[name]).peak - peak[name]) / mebibyte;
      report(`  CPU per MiB and growth of the peak, ${name}`, `${Math.round(spent)} µs, ${grown.toFixed(1)} MiB`);
    }
    agent.destroy();
  }
  await vendor.terminate();
}

function houseOf(baseUrl: string): object {
  return {
    groups: { default: { models: ["*"] } },
    models: { film: { kind: "video", price: { second: 0.001 } } },
    channels: [{ id: "films", provider: "openai", baseUrl, keys: ["key"], models: ["film"] }],
    accounts: { bench: { balance: "1000.00", tokens: [{ key, group: "default" }] } },
  };
}

/** Makes a video and waits until it is finished; where its bytes are. */
async function filmAt(edgeUrl: string): Promise<string> {
  const created = await fetch(`${edgeUrl}/v1/videos`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model: "film", prompt: "a boat", seconds: "4" }),
  });
  const { id } = JSON.parse(await created.text());
  const url = `${edgeUrl}/v1/videos/${id}`;
  await until("the video to be finished", async () => {
    const seen = await fetch(url, { headers });
    return JSON.parse(await seen.text()).status === "completed";
  });
  return `${url}/content`;
}

/** A download whose first piece has come, and of which nothing more is read. Throws where it is refused. */
function open(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the download was answered with ${answer.statusCode}`));
      answer.on("error", () => undefined);
      answer.once("readable", () => resolve(answer));
    }).on("error", reject);
  });
}

async function read(answer: IncomingMessage): Promise<void> {
  answer.resume();
  await once(answer, "end");
}
