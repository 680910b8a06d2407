import { connect, type Socket } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { setTimeout as pause } from "node:timers/promises";
import { openaiModel, statusesOf, attackResult, type Attack, type AttackContext } from "../attack.ts";
import { residentMebibytes, type WatchedService } from "../loops.ts";
import { honestText } from "./wires.ts";

/** Endpoints with a JSON body, and the services that parse it. */
const bodyEndpoints = [
  {
    area: "text",
    path: "/v1/chat/completions",
    makeBody: (more: object) => ({ messages: [{ role: "user", content: "Hi" }], ...more }),
  },
  { area: "media", path: "/v1/images/generations", makeBody: (more: object) => ({ prompt: "a fox", ...more }) },
  { area: "audio", path: "/v1/audio/speech", makeBody: (more: object) => ({ input: "Hi", voice: "alloy", ...more }) },
  { area: "video", path: "/v1/videos", makeBody: (more: object) => ({ prompt: "a boat", ...more }) },
] as const;
type BodyEndpoint = (typeof bodyEndpoints)[number];

const largestBody = 64 * 1024 * 1024;
const mebibyte = 1024 * 1024;
const kibibyte = 1024;

/** Length in bytes that a body announces, and number of bytes that are sent. */
interface UnfinishedBody {
  readonly length: number;
  readonly sent: number;
}

/** Bodies of each step, from large to small. They use up the memory that a service allows for bodies. */
const steps: readonly (readonly UnfinishedBody[])[] = [
  ...[64, 32, 16, 8, 4, 2, 1, 0.5, 0.3].map((size) => repeatBody(size === 64 ? 16 : 4, Math.floor(size * mebibyte), 1)),
  ...[16 * kibibyte, kibibyte, 64].map((sent) => repeatBody(40, 200 * kibibyte, sent)),
];
/** Pause between two steps, and time in which all connections stay open, in ms. */
const [stepMs, openMs] = [100, 4_000];

function repeatBody(count: number, length: number, sent: number): readonly UnfinishedBody[] {
  return Array.from({ length: count }, () => ({ length, sent }));
}

/** Connection whose body never completes. The status is undefined before an answer. */
interface Pending {
  readonly socket: Socket;
  status: string | undefined;
}

function openUnfinishedBodies(
  { edgeUrl, attacker }: AttackContext,
  path: string,
  bodies: readonly UnfinishedBody[],
): readonly Pending[] {
  const { hostname, port } = new URL(edgeUrl);
  const head = ({ length, sent }: UnfinishedBody): string =>
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${attacker.key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${"{".padEnd(sent)}`;
  return bodies.map((body) => {
    const socket = connect(Number(port), hostname, () => socket.write(head(body)));
    const pending: Pending = { socket, status: undefined };
    socket
      .on("error", () => (pending.status ??= "closed"))
      .on("close", () => (pending.status ??= "closed"))
      .on("data", (bytes: Buffer) => {
        pending.status ??= /^HTTP\/1\.1 (\d+)/.exec(bytes.toString("latin1"))?.[1] ?? "no HTTP";
      });
    return pending;
  });
}

/** Describes how many bodies are still read, and how many got which status. */
function outcomesOf(all: readonly Pending[]): string {
  const counts = Map.groupBy(all, ({ status }) => status ?? "still read");
  return [...counts].map(([what, each]) => `${each.length} × ${what}`).join(", ");
}

async function sendSlowly(all: readonly Pending[], ms: number, everyMs: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    await pause(everyMs);
    for (const { socket } of all) if (socket.writable) socket.write(" ");
  }
}

const unfinishedBodyAttack = ({ area, path }: BodyEndpoint): Attack => ({
  id: `declared-${area}`,
  name: `declares bodies of 64 MiB and sends one byte per second (${area})`,
  area,
  async run(context) {
    const all: Pending[] = [];
    for (const step of steps) {
      all.push(...openUnfinishedBodies(context, path, step));
      await pause(stepMs);
    }
    await sendSlowly(all, openMs, 1_000);
    const outcomes = outcomesOf(all);
    for (const { socket } of all) socket.destroy();
    return attackResult(`${all.length} × ${openMs / 1_000} s`, outcomes);
  },
});

/** Number of slow bodies in each area. */
const slowCount = 100;
const slowMs = 30_000;

const slowBodies: Attack = {
  id: "slow-bodies",
  name: "sends bodies of 4 KB to every area, one byte every 2 s",
  area: "text",
  async run(context) {
    const sent = bodyEndpoints.map(({ area, path }) => ({
      area,
      bodies: openUnfinishedBodies(context, path, repeatBody(slowCount, 4_096, 1)),
    }));
    const all = sent.flatMap(({ bodies }) => bodies);
    await sendSlowly(all, slowMs, 2_000);
    const outcomes = sent.map(({ area, bodies }) => `${area}: ${outcomesOf(bodies)}`).join("; ");
    const open = all.filter(({ status }) => status === undefined).length;
    for (const { socket } of all) socket.destroy();
    return attackResult(`${bodyEndpoints.length} × ${slowCount} × ${slowMs / 1_000} s`, outcomes, [
      open > 0 && `${open} slow bodies were still read after ${slowMs / 1_000} s`,
    ]);
  },
};

/**
 * Maximum time in ms for which one body may block an event loop. The shortest of several attempts is compared, because
 * the machine may be busy.
 */
const maxBlockedMs = 50;
const bombTries = 3;
/** A time in ms that a busy machine cannot explain, so that one attempt is enough. */
const certainlyBlockedMs = 500;
/** Maximum memory growth in MiB, and time in ms in which a service must release the memory above it. */
const [maxGrowthMebibytes, releaseMs] = [50, 20_000];

const manyKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join(",")}}`;
const manyLists = (count: number): string => `[${"[],".repeat(count - 1)}[]]`;

interface Bomb {
  readonly what: string;
  readonly encoding?: "zstd" | "gzip" | "br";
  readonly json: () => string;
}

const bombs: readonly Bomb[] = [
  { what: "1 M keys, plain", json: () => manyKeys(1_000_000) },
  { what: "5 M keys, zstd", encoding: "zstd", json: () => manyKeys(5_000_000).slice(0, largestBody - 4_096) },
  { what: "10 M lists, gzip", encoding: "gzip", json: () => manyLists(10_000_000) },
  { what: "60 MB of one text, br", encoding: "br", json: () => JSON.stringify("x".repeat(60_000_000)) },
  // Small enough for the limits of every area, so that it is parsed.
  { what: "80,000 keys, plain", json: () => manyKeys(80_000) },
];
const bombsOf = {
  text: [0, 1, 2, 3, 4],
  media: [0, 4],
  audio: [0, 4],
  video: [0, 4],
} as const satisfies Readonly<Record<BodyEndpoint["area"], readonly number[]>>;

const compress = { zstd: zstdCompressSync, gzip: gzipSync, br: brotliCompressSync } as const;

/** Returns a complete body with the bomb in a field that no service reads. */
function bombBody(endpoint: BodyEndpoint, model: string, { json, encoding }: Bomb): Buffer {
  const plain = JSON.stringify({ model, ...endpoint.makeBody({ metadata: "BOMB" }) });
  const [before = "", after = ""] = plain.split('"BOMB"');
  const bytes = Buffer.from(before + json() + after);
  return encoding === undefined ? bytes : compress[encoding](bytes);
}

const bombAttack = (endpoint: BodyEndpoint, bomb: Bomb): Attack => ({
  id: `bomb-${endpoint.area}-${bombs.indexOf(bomb)}`,
  name: `sends a body of ${bomb.what} (${endpoint.area})`,
  area: endpoint.area,
  models: endpoint.area === "text" ? [openaiModel("chat", "chat", { input: 1, output: 2 }, honestText)] : [],
  async run(context) {
    const model = endpoint.area === "text" ? context.model("chat") : "no-such-model";
    const body = bombBody(endpoint, model, bomb);
    const headers = bomb.encoding === undefined ? {} : { "content-encoding": bomb.encoding };
    const before = await residentMebibytes(context.suite, endpoint.area);
    const blockedTimes: number[] = [];
    const answers = [];
    for (let at = 0; at < bombTries && !isClear(Math.min(...blockedTimes)); at++) {
      await longestBlocked(context, endpoint.area);
      answers.push(await context.send({ path: endpoint.path, body, headers }));
      blockedTimes.push(await longestBlocked(context, endpoint.area));
    }
    const growth = await memoryGrowth(context, endpoint.area, before);
    const shortest = Math.min(...blockedTimes);
    return attackResult(
      `${answers.length} × ${(body.length / 1e6).toFixed(1)} MB: ${statusesOf(answers)}`,
      `loop ${Math.round(shortest)} ms, memory +${Math.round(growth)} MiB`,
      [
        shortest > maxBlockedMs &&
          `a body blocked the event loop of ${endpoint.area} for ${Math.round(shortest)} ms (aim: ${maxBlockedMs})`,
        growth > maxGrowthMebibytes &&
          `${endpoint.area} keeps ${Math.round(growth)} MiB more (aim: ${maxGrowthMebibytes})`,
      ],
    );
  },
});

/** Returns true if no further attempt is needed. `minMs` is the shortest time so far, and Infinity at first. */
function isClear(minMs: number): boolean {
  return minMs <= maxBlockedMs || (minMs > certainlyBlockedMs && Number.isFinite(minMs));
}

async function longestBlocked({ loops }: AttackContext, service: WatchedService): Promise<number> {
  return Math.max(await loops.longestBlockedMs(service), await loops.longestBlockedMs("edge"));
}

/** Returns the growth in MiB after the service had time to release memory. */
async function memoryGrowth({ suite }: AttackContext, service: WatchedService, before: number): Promise<number> {
  let growth = Infinity;
  for (const end = Date.now() + releaseMs; Date.now() < end && growth > maxGrowthMebibytes;) {
    await pause(500);
    growth = Math.min(growth, (await residentMebibytes(suite, service)) - before);
  }
  return Math.max(0, growth);
}

/** Attacks by request bodies that are read before the model is known. */
export const bodyAttacks: readonly Attack[] = [
  ...bodyEndpoints.map(unfinishedBodyAttack),
  slowBodies,
  ...bodyEndpoints.flatMap((endpoint) =>
    bombsOf[endpoint.area].flatMap((at) => bombs.slice(at, at + 1)).map((bomb) => bombAttack(endpoint, bomb)),
  ),
];
