/**
 * Measures how long large bodies block a service's event loop, and their CPU time and memory. Argument: part of a
 * case's name.
 */
import { setTimeout as wait } from "node:timers/promises";
import { zstdCompressSync } from "node:zlib";
import { startSuite } from "@modelgate/testkit";
import { EventLoops } from "../attack/loops.ts";
import { readCpuMicros, resetPeak, readMemory } from "./measure.ts";

const key = "sk-bench-0123456789abcdef";
const simulator = (path: string): string => `\${SIMULATOR_URL}${path}`;
const config = {
  groups: { default: { models: ["*"] } },
  models: {
    chat: { kind: "chat", price: { input: 0.001 } },
    other: { kind: "chat", price: { input: 0.001 } },
    "gpt-image-1": { kind: "image", price: { image: 0.001 } },
    "qwen-image": { kind: "image", price: { image: 0.001 } },
    "sora-2": { kind: "video", price: { second: 0.001 } },
    "kling-v2": { kind: "video", price: { second: 0.001 } },
    jimeng_t2v_v30: { kind: "video", price: { second: 0.001 } },
  },
  channels: [
    { id: "same", provider: "openai", baseUrl: simulator("/openai/v1"), keys: ["k"], models: { chat: "renamed" } },
    { id: "other", provider: "anthropic", baseUrl: simulator("/anthropic"), keys: ["k"], models: ["other"] },
    {
      id: "media",
      provider: "openai",
      baseUrl: simulator("/openai/v1"),
      keys: ["k"],
      models: ["gpt-image-1", "sora-2"],
    },
    { id: "qwen", provider: "qwen", baseUrl: simulator("/dashscope/api/v1"), keys: ["k"], models: ["qwen-image"] },
    { id: "kling", provider: "kling", baseUrl: simulator("/kling"), keys: ["a|b"], models: ["kling-v2"] },
    { id: "jimeng", provider: "jimeng", baseUrl: simulator("/jimeng"), keys: ["a|b"], models: ["jimeng_t2v_v30"] },
  ],
  accounts: { bench: { balance: "1000.00", tokens: [{ key, group: "default" }] } },
};

/** Signature that the gateway sends with unsigned reasoning (`placeholderSignature` in libs/wires). */
const placeholderSignature = Buffer.from('{"modelgate":1}').toString("base64");
const message = (content: unknown, model = "chat"): object => ({ model, messages: [{ role: "user", content }] });
const imageContent = (bytes: number) => [
  { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(bytes)}` } },
];
const members = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
const pngBase64 = (bytes: number): string => `iVBORw0KGgo${"A".repeat(bytes - 11)}`;
const history = {
  model: "other",
  max_tokens: 9,
  messages: Array.from({ length: 24_000 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [
      {
        type: at % 2 === 0 ? "text" : "thinking",
        text: "x".repeat(500),
        thinking: "x",
        signature: placeholderSignature,
      },
    ],
  })),
};

type Area = "text" | "media" | "video";
interface Case {
  /** The default is text. */
  readonly area?: Area;
  /** The default is chat completions. */
  readonly path?: string;
  readonly make: () => object | string;
}
const chatCase = (make: Case["make"]): Case => ({ make });
const imageEditCase = (make: Case["make"]): Case => ({ area: "media", path: "/v1/images/edits", make });
const videoCase = (path: string, make: Case["make"]): Case => ({ area: "video", path, make });
const cases: Readonly<Record<string, Case>> = {
  "48 MB image, passed": chatCase(() => message(imageContent(48e6))),
  "48 MB image, converted": chatCase(() => message(imageContent(48e6), "other")),
  "48 MB of escapes, passed": chatCase(() => message('"'.repeat(24e6))),
  "48 MB of words, converted": chatCase(() => message("wörds ".repeat(7e6), "other")),
  "60 MB of the letter r": chatCase(() => message("r".repeat(60e6))),
  "24,000 messages with placeholder signatures": { path: "/v1/messages", make: () => history },
  "50,000 messages of 800 bytes": chatCase(() => ({
    model: "chat",
    messages: Array.from({ length: 49_000 }, () => ({ role: "user", content: "x".repeat(800) })),
  })),
  "400,000 numbers": chatCase(() => ({ ...message("hi"), other: Array.from({ length: 400_000 }, (_, at) => at) })),
  "99,000 members": chatCase(() => ({ ...message("hi"), other: members(99_000) })),
  "99,000 members at the top": chatCase(() => ({ ...message("hi"), ...members(99_000) })),
  "1,000,000 members": chatCase(() => ({ ...message("hi"), other: members(1_000_000) })),
  "5,000,000 members, 64 MB": chatCase(() => ({ ...message("hi"), other: members(4_000_000) })),
  "60 MB of spaces": chatCase(() => JSON.stringify(message("hi")).replace(":", `:${" ".repeat(60e6)}`)),
  "48 MB picture as a form": imageEditCase(() => ({ model: "gpt-image-1", prompt: "p", image: pngBase64(48e6) })),
  "48 MB picture as JSON": imageEditCase(() => ({ model: "qwen-image", prompt: "p", image: pngBase64(48e6) })),
  "16 pictures of 3 MB as a form": imageEditCase(() => ({
    model: "gpt-image-1",
    prompt: "p",
    image: Array.from({ length: 16 }, () => pngBase64(3e6)),
  })),
  "36 MB first frame as a form": videoCase("/v1/video/generations", () => ({
    model: "sora-2",
    prompt: "p",
    image: pngBase64(36e6),
  })),
  "36 MB first frame for Kling": videoCase("/v1/video/generations", () => ({
    model: "kling-v2",
    prompt: "p",
    image: pngBase64(36e6),
  })),
  "36 MB first frame for Jimeng": videoCase("/v1/video/generations", () => ({
    model: "jimeng_t2v_v30",
    prompt: "p",
    image: pngBase64(36e6),
  })),
};

/** Time in ms after a body in which its memory is released. */
const settleMs = 6_000;
const areas = ["text", "media", "video"] as const;
const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

using loops = new EventLoops(areas);
await using suite = await startSuite({
  shape: "apart",
  config,
  env: { LOG_LEVEL: "error" },
  envOf: Object.fromEntries(areas.map((area) => [area, loops.env(area)])),
});

async function send(path: string, body: string, isCompressed = false): Promise<string> {
  const answer = await fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...(isCompressed ? { "content-encoding": "zstd" } : {}),
    },
    body: isCompressed ? new Uint8Array(zstdCompressSync(body)) : body,
  });
  const text = await answer.text();
  return answer.ok ? "200" : `${answer.status} ${text.slice(0, 90)}`;
}

async function measure(name: string, area: Area, run: () => Promise<string>): Promise<void> {
  const { pid } = suite.process(area);
  await loops.longestBlockedMs(area);
  resetPeak(pid);
  const before = readCpuMicros(pid);
  const answer = await run();
  const held = await loops.longestBlockedMs(area);
  const [cpuMs, { peak }] = [(readCpuMicros(pid) - before) / 1_000, readMemory(pid)];
  await wait(settleMs);
  const heldAfter = await loops.longestBlockedMs(area);
  const figures = [held, heldAfter, cpuMs.toFixed(0), megabytes(peak), megabytes(readMemory(pid).now), answer];
  console.log(`| ${[name, ...figures].join(" | ")} |`);
}

function reportAtRest(): void {
  const each = areas.map((area) => `${area} ${megabytes(readMemory(suite.process(area).pid).now)} MB`);
  console.log(`at rest: ${each.join(", ")}`);
}

const completions = "/v1/chat/completions";
const only = process.argv[2] ?? "";
for (let call = 0; call < 200; call++) await send(completions, JSON.stringify(message("hi")));
await wait(settleMs);
reportAtRest();
console.log("| body | held, ms | held after, ms | CPU, ms | most memory, MB | memory after, MB | answer |");
for (const [name, { area = "text", path = completions, make }] of Object.entries(cases)) {
  if (!name.includes(only)) continue;
  const value = make();
  const body = typeof value === "string" ? value : JSON.stringify(value);
  await measure(name, area, () => send(path, body));
  if (area === "text") await measure(`${name}, zstd`, area, () => send(path, body, true));
}
if ("ten at once".includes(only)) {
  const attack: readonly (readonly [body: object, isCompressed: boolean])[] = [
    [{ ...message("hi"), other: members(4_000_000) }, true],
    [{ ...message("hi"), other: members(1_000_000) }, false],
    [message(imageContent(48e6)), false],
  ];
  for (const [at, [body, isCompressed]] of attack.entries())
    await measure(`ten at once, ${at + 1} of the attack's bodies`, "text", async () => {
      const text = JSON.stringify(body);
      const all = await Promise.all(Array.from({ length: 10 }, () => send(completions, text, isCompressed)));
      return [...new Set(all)].join("; ");
    });
}
await wait(2 * settleMs);
reportAtRest();
