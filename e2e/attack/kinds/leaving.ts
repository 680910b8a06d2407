import { dollars, pause, tried, type Attack, type Way } from "../attack.ts";
import type { Sending } from "../client.ts";
import { json, type Handler } from "../vendor.ts";
import { textAnswer, textRequest, wireAsked } from "./wires.ts";

/** How late vendors answer, and when clients leave. */
const [vendorMs, leavesAfterMs] = [1_500, 400];
const calls = 20;

interface Left {
  readonly what: string;
  readonly area: Attack["area"];
  readonly way: Omit<Way, "name" | "provider" | "path">;
  readonly request: (model: string) => Sending;
  /** What one call costs at least, in US dollars: what is certain once it is sent. */
  readonly floor: number;
}

const late =
  (answers: Handler): Handler =>
  async (request, response) => {
    await pause(vendorMs);
    if (!response.destroyed) await answers(request, response);
  };

const images: Handler = (_, response) =>
  json(response, { created: 1, data: Array.from({ length: 10 }, () => ({ b64_json: "aGVsbG8=" })) });
const speech: Handler = (_, response) => void response.writeHead(200, { "content-type": "audio/mpeg" }).end("ID3");
const vectors: Handler = (_, response) =>
  json(response, {
    object: "list",
    model: "m",
    data: [{ object: "embedding", index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
  });

/** Heard out, it reports the true usage, which is more than the floor. */
const chat: Handler = (request, response) => json(response, textAnswer(wireAsked(request), { input: 1_000 }));

const words = "word ".repeat(1_000);

/** What is asked for and left, in each area. The floors of tokens are half of an estimate. */
const kinds: readonly Left[] = [
  {
    what: "10 images",
    area: "media",
    way: { kind: "image", price: { image: 0.04 }, answers: late(images) },
    request: (model) => ({ path: "/v1/images/generations", body: { model, prompt: "a fox", n: 10, size: "64x64" } }),
    floor: 0.04,
  },
  {
    what: "speech of 1,000 characters",
    area: "audio",
    way: { kind: "speech", price: { character: 0.001 }, answers: late(speech) },
    request: (model) => ({ path: "/v1/audio/speech", body: { model, voice: "alloy", input: words.slice(0, 1_000) } }),
    floor: 1,
  },
  {
    what: "a chat of 1,000 words",
    area: "text",
    way: { kind: "chat", price: { input: 100, output: 100 }, answers: late(chat) },
    request: (model) => textRequest("chat", model, { max_completion_tokens: 10 }, words),
    floor: 0.05,
  },
  {
    what: "a vector of 1,000 words",
    area: "text",
    way: { kind: "embedding", price: { input: 100 }, answers: late(vectors) },
    request: (model) => ({ path: "/v1/embeddings", body: { model, input: words } }),
    floor: 0.05,
  },
];

/** Item 6: a client that leaves before the first byte pays what is certain. */
export const leavingAttacks: readonly Attack[] = kinds.map(({ what, area, way, request, floor }, at) => ({
  id: `leaving-${at}`,
  name: `asks for ${what} and leaves before the first byte`,
  area,
  ways: [{ ...way, name: "main", provider: "openai", path: "v1", timeoutMs: 10_000 }],
  async run(field) {
    for (let round = 0; round < calls / 5; round++) {
      const sending = { ...request(field.model("main")), leaveAfterMs: leavesAfterMs };
      await Promise.all(Array.from({ length: 5 }, () => field.send(sending)));
    }
    await pause(vendorMs + 500);
    const asked = field.asked("main").length;
    const spent = await field.spent(field.attacker);
    return tried(
      `${calls} calls, ${asked} reached the vendor`,
      `${dollars(spent)} billed, at least ${dollars(asked * floor)} due`,
      [
        asked === 0 && "no call reached the vendor, so nothing was shown",
        spent < asked * floor && `${dollars(spent)} was paid for ${asked} calls`,
      ],
    );
  },
}));
