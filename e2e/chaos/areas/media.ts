import { ended, failed, modelOf, type Area, type Vendor } from "../area.ts";
import { exchange, readGot } from "../exchange.ts";

const price = { image: 0.04 };
const atOnce: Vendor = {
  name: "image",
  kind: "image",
  price,
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "seedream",
};
const asTask: Vendor = {
  name: "image-task",
  kind: "image",
  price,
  provider: "qwen",
  path: "dashscope/api/v1",
  upstreamModel: "wan2.5-t2i",
};

/** Images: at once, as a stream with one that is not finished, and of a vendor that makes them as tasks. */
export const media: Area = {
  name: "media",
  vendors: [atOnce, asTask],
  misbehaves: {
    stalls: { stallAfterChunks: 1, delayMs: 30 },
    cuts: { cutAfterChunks: 1 },
  },
  hasLengths: true,
  async ask(asking) {
    const stream = asking.turn % 3 === 1;
    const vendor = asking.turn % 3 === 2 ? asTask : atOnce;
    const prompt = 'a fox {{simulate: {"delayMs": 60, "chunkDelayMs": 40}}}';
    // Small: the simulated vendor really paints, also for clients that have left.
    const size = vendor === atOnce ? { size: "64x64" } : {};
    const partial = stream ? { stream, partial_images: 1 } : {};
    const body = { model: modelOf(vendor, asking.ways), prompt, ...size, ...partial };
    const end = readGot(await exchange(asking, { path: "/v1/images/generations", body }), (answer) =>
      stream ? isFinished(answer) : answer.includes('"data"'),
    );
    return typeof end === "string" ? ended(end) : failed(end.failure);
  },
};

/** Whether the last event is the finished image, all of it. */
function isFinished(answer: string): boolean {
  const last = answer.trimEnd().split("\n").at(-1) ?? "";
  return last.includes('"type":"image_generation.completed"') && last.endsWith("}") && answer.endsWith("\n\n");
}
