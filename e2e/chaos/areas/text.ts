import { ended, failed, modelOf, type Area, type Vendor } from "../area.ts";
import { exchange, readGot } from "../exchange.ts";

const vendor: Vendor = {
  name: "chat",
  kind: "chat",
  price: { request: 0.001, input: 1, cachedInput: 1, output: 2 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "chat",
};

/** Chat: every second one as a stream. */
export const text: Area = {
  name: "text",
  vendors: [vendor],
  misbehaves: {
    stalls: { chunks: 10, stallAfterChunks: 3, delayMs: 30 },
    cuts: { chunks: 10, cutAfterChunks: 3 },
  },
  hasLengths: true,
  async ask(asking) {
    const stream = asking.turn % 2 === 0;
    const content = 'Hello {{simulate: {"chunks": 12, "chunkDelayMs": 20, "delayMs": 30}}}';
    const body = {
      model: modelOf(vendor, asking.ways),
      stream,
      max_tokens: 100,
      messages: [{ role: "user", content }],
    };
    const end = readGot(await exchange(asking, { path: "/v1/chat/completions", body }), (answer) =>
      stream ? !answer.includes('"error"') && answer.trimEnd().endsWith("[DONE]") : answer.includes('"choices"'),
    );
    return typeof end === "string" ? ended(end) : failed(end.failure);
  },
};
