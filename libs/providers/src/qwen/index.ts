import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { StartCall, VendorCall } from "../call.ts";
import { openaiPaths } from "../openai/index.ts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { requestsAt, requestTo, type Addressed, type VendorRequest } from "../request.ts";

/** Paths of images, under `/api/v1/services/aigc`. */
const services: Readonly<Partial<Record<UpstreamWire, string>>> = {
  "qwen-images": "multimodal-generation/generation",
  "qwen-image-tasks": "text2image/image-synthesis",
  "qwen-image-edit-tasks": "image2image/image-synthesis",
};
const tasks: ReadonlySet<UpstreamWire> = new Set<UpstreamWire>([
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
  "wan-video",
]);

const answers = requestsAt(address, headers);

/**
 * Qwen's models at DashScope, by the base URL of its SDK (`https://…/api/v1`): images (synchronous or as tasks), Wan's
 * videos, and text by OpenAI's formats under `/compatible-mode/v1` of the same host. A channel's `wires` can name the
 * models that are served only as tasks; otherwise the vendor's refusal reveals it.
 */
export const qwen: Provider = {
  name: "qwen",
  title: "Qwen (DashScope)",
  baseUrl: "https://dashscope-intl.aliyuncs.com/api/v1",
  keyVariable: "DASHSCOPE_API_KEY",
  wires: ["chat", "embeddings", "qwen-images", "qwen-image-tasks", "qwen-image-edit-tasks", "wan-video"],
  moreWires: ["responses", "completions", "jina-rerank", "speech", "transcriptions"],
  request: (call) =>
    call.act === "poll"
      ? requestTo(under(call.baseUrl, `/api/v1/tasks/${encodeURIComponent(call.task)}`), call, headers(call))
      : answers(call),
  start: (call) => startVideo(call, (service) => serviceAt(call.baseUrl, service), headers(call)),
  failureOf,
};

function address({ baseUrl, wire }: Addressed): URL {
  const service = services[wire];
  if (service !== undefined) return serviceAt(baseUrl, service);
  return under(baseUrl, `/compatible-mode/v1${openaiPaths[wire] ?? ""}`);
}

function serviceAt(baseUrl: string, service: string): URL {
  return under(baseUrl, `/api/v1/services/aigc/${service}`);
}

function headers({ key, wire }: Pick<VendorCall, "key" | "wire">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}`, ...(tasks.has(wire) ? { "x-dashscope-async": "enable" } : {}) };
}

function under(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, "").replace(/\/(?:api|compatible-mode)\/v1$/, "") + path);
}

/**
 * Paths that start videos, under `/api/v1/services/aigc`. Older models with a first and a last frame use the second.
 */
const [usual, fromBothFrames] = ["video-generation/video-synthesis", "image2video/video-synthesis"];

/** Starts a task; `at` returns the address of a service. */
function* startVideo(
  call: StartCall,
  at: (service: string) => URL,
  headers: Readonly<Record<string, string>>,
): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const { input } = call.body;
  const hasBoth = typeof input === "object" && input !== null && "first_frame_url" in input;
  const withType = { ...headers, "content-type": "application/json" };
  return requestTo(at(hasBoth ? fromBothFrames : usual), call, withType, yield* stringifyInTurns(call.body));
}
