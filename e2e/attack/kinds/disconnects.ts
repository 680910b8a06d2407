import { setTimeout as pause } from "node:timers/promises";
import { formatDollars, openaiModel, attackResult, type Attack } from "../attack.ts";
import type { Sending } from "../../chaos/exchange.ts";
import { json, type Handler } from "../vendor.ts";
import { sound, textAnswer, textRequest, vectors, wireOfRequest } from "./wires.ts";

/** Delay of a vendor's answer, and time after which a client disconnects, in ms. */
const [vendorMs, disconnectsAfterMs] = [1_500, 400];
const calls = 20;
const words = "word ".repeat(1_000);

const images: Handler = (_, response) =>
  json(response, { created: 1, data: Array.from({ length: 10 }, () => ({ b64_json: "aGVsbG8=" })) });

/** Chat vendor whose reported input costs more than the minimum charge. */
const chat: Handler = (request, response) => json(response, textAnswer(wireOfRequest(request), { input: 1_000 }));

/** Creates an attack by clients that disconnect early. `floor` is the minimum charge of a call in US dollars. */
const leaveAttack = (
  id: number,
  what: string,
  [area, kind, price, answers]: readonly [area: Attack["area"], kind: string, price: object, answers: Handler],
  request: (model: string) => Sending,
  floor: number,
): Attack => ({
  id: `leaving-${id}`,
  name: `requests ${what} and disconnects before the first byte`,
  area,
  models: [
    openaiModel(
      "main",
      kind,
      price,
      async (incoming, response) => {
        await pause(vendorMs);
        if (!response.destroyed) await answers(incoming, response);
      },
      { timeoutMs: 10_000 },
    ),
  ],
  async run(context) {
    const sending = { ...request(context.model("main")), disconnectAfterMs: disconnectsAfterMs };
    for (let round = 0; round < calls / 5; round++)
      await Promise.all(Array.from({ length: 5 }, () => context.send(sending)));
    await pause(vendorMs + 500);
    const requestCount = context.requests("main").length;
    const spent = await context.readSpending(context.attacker);
    return attackResult(
      `${calls} calls, ${requestCount} reached the vendor`,
      `${formatDollars(spent)} billed, at least ${formatDollars(requestCount * floor)} due`,
      [
        requestCount === 0 && "no call reached the vendor, so nothing was shown",
        spent < requestCount * floor && `${formatDollars(spent)} was paid for ${requestCount} calls`,
      ],
    );
  },
});

/** Attacks by clients that disconnect before the first byte of an answer. */
export const disconnectAttacks: readonly Attack[] = [
  leaveAttack(
    0,
    "10 images",
    ["media", "image", { image: 0.04 }, images],
    (model) => ({ path: "/v1/images/generations", body: { model, prompt: "a fox", n: 10, size: "64x64" } }),
    0.04,
  ),
  leaveAttack(
    1,
    "speech of 1,000 characters",
    ["audio", "speech", { character: 0.001 }, sound],
    (model) => ({ path: "/v1/audio/speech", body: { model, voice: "alloy", input: words.slice(0, 1_000) } }),
    1,
  ),
  leaveAttack(
    2,
    "a chat of 1,000 words",
    ["text", "chat", { input: 100, output: 100 }, chat],
    (model) => textRequest("chat", model, { max_completion_tokens: 10 }, words),
    0.05,
  ),
  leaveAttack(
    3,
    "a vector of 1,000 words",
    ["text", "embedding", { input: 100 }, vectors(1_000)],
    (model) => ({ path: "/v1/embeddings", body: { model, input: words } }),
    0.05,
  ),
];
