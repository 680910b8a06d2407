import { openBooks, recordCalls } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft } from "@modelgate/testkit";
import { join } from "node:path";
import { channel, keys } from "./suite-client.ts";

const hourMs = 3_600_000;
/** Hours of the data: a week. */
const hours = 7 * 24;

const names = ["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "qwen3-max"] as const;
const accounts = ["acme", "research", "support"] as const;
const channels = ["openai-main", "anthropic-main", "gemini-main", "qwen-main"] as const;

/** Configuration with realistic names and prices. */
export const shownConfig = {
  groups: { default: { models: ["*"] }, batch: { multiplier: 0.5, models: ["gpt-5-mini"] } },
  models: {
    "gpt-5-mini": { kind: "chat", price: { input: 0.25, cachedInput: 0.025, output: 2 }, contextTokens: 400_000 },
    "claude-sonnet-4-5": { kind: "chat", price: { input: 3, cachedInput: 0.3, output: 15 }, contextTokens: 200_000 },
    "gemini-2.5-flash": { kind: "chat", price: { input: 0.3, output: 2.5 }, contextTokens: 1_000_000 },
    "qwen3-max": { kind: "chat", price: { input: 1.2, output: 6 }, contextTokens: 262_144 },
    "gpt-image-1": { kind: "image", price: { image: 0.04 } },
    "sora-2": { kind: "video", price: { second: 0.1 } },
    "tts-1": { kind: "speech", price: { character: 0.000015 } },
    "whisper-1": { kind: "transcription", price: { second: 0.0001 } },
    "gpt-realtime": { kind: "realtime", price: { input: 4, output: 16, inputAudio: 32, outputAudio: 64 } },
  },
  channels: [
    channel("openai-main", ["gpt-5-mini", "gpt-image-1", "sora-2", "tts-1", "whisper-1", "gpt-realtime"], {
      weight: 2,
    }),
    channel(
      "anthropic-main",
      { "claude-sonnet-4-5": "demo-chat" },
      { headers: { "x-tenant": "acme" }, defaults: { user: "ours" } },
    ),
    channel("gemini-main", { "gemini-2.5-flash": "demo-chat" }),
    channel("qwen-main", { "qwen3-max": "demo-chat", "gpt-5-mini": "demo-chat" }, { priority: -1 }),
  ],
  accounts: {
    acme: { balance: "250.00", tokens: [{ key: keys.demo, name: "production", group: "default" }] },
    research: { balance: "40.00", tokens: [{ key: keys.narrow, group: "batch", models: ["gpt-5-mini"] }] },
    support: { balance: "100.00", tokens: [{ key: keys.poor, group: "default" }] },
  },
} as const;

/** Adds a week of calls to the books of a data folder. The calls of an hour depend only on its time. */
export async function fillWeek(folder: string): Promise<void> {
  const { log } = createLogger("screenshots", "warn");
  await using books = await openBooks({ file: join(folder, "books.sqlite") }, log);
  const now = Math.floor(Date.now() / hourMs) * hourMs;
  const calls = Array.from({ length: hours }, (_, back) => now - (back + 1) * hourMs).flatMap((hour) => {
    const busy = 4 + Math.round(10 * Math.sin((Math.PI * new Date(hour).getUTCHours()) / 24) ** 2);
    return Array.from({ length: busy }, (_, at) => callAt(hour + at * 240_000, at));
  });
  await recordCalls(books, calls);
}

function callAt(time: number, at: number) {
  const dice = Math.floor(time / 240_000) * 7 + at * 13;
  const chosen = dice % 11 < 5 ? 0 : dice % 11 < 8 ? 1 : dice % 11 < 10 ? 2 : 3;
  const model = names[chosen] ?? names[0];
  const [input, output] = [600 + ((dice * 37) % 2_400), 80 + ((dice * 53) % 700)];
  const price = shownConfig.models[model].price;
  const isFailed = dice % 47 === 0;
  const accountId = accounts[dice % 5 < 3 ? 0 : (dice % 5) - 2] ?? accounts[0];
  return {
    ...testUsageDraft(accountId, `call_${time}_${at}`),
    time: new Date(time).toISOString(),
    requestId: `req_${time.toString(36)}${at}`,
    tokenId: "tok_shown",
    group: "default",
    endpoint: "POST /v1/chat/completions",
    model,
    upstreamModel: model,
    channelId: channels[chosen] ?? channels[0],
    ...(isFailed ? { status: 502, outcome: "failed" as const } : {}),
    units: isFailed ? { requests: 1 } : { inputTokens: input, outputTokens: output, requests: 1 },
    costNanos: isFailed ? "0" : String(Math.round((input * price.input + output * price.output) * 1_000)),
    firstByteMs: 180 + ((dice * 29) % 600),
    latencyMs: 900 + output * 9,
    tags: { team: accountId === "acme" ? "search" : "assist" },
  };
}
