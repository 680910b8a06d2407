import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import type { StartCall, VendorCall } from "../call.ts";
import { openaiPaths } from "../openai/index.ts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { requestBuilder, requestTo, type AddressedCall, type VendorRequest } from "../request.ts";

/** Paths of image endpoints, under `/api/v1/services/aigc`. */
const servicePaths: Readonly<Partial<Record<UpstreamWire, string>>> = {
  "qwen-images": "multimodal-generation/generation",
  "qwen-image-tasks": "text2image/image-synthesis",
  "qwen-image-edit-tasks": "image2image/image-synthesis",
};
const taskWires: ReadonlySet<UpstreamWire> = new Set<UpstreamWire>([
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
  "wan-video",
]);

const buildRequest = requestBuilder(address, requestHeaders);

/**
 * Qwen's and Wan's models at DashScope. The base URL is that of its SDK; text models are on the same host. Some models
 * are served only as tasks. A channel can name the wire of tasks in `wires`; otherwise the gateway detects it from the
 * vendor's refusal.
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
      ? requestTo(
          addressUnder(call.baseUrl, `/api/v1/tasks/${encodeURIComponent(call.task)}`),
          call,
          requestHeaders(call),
        )
      : buildRequest(call),
  start: (call) => startVideo(call, (service) => serviceAt(call.baseUrl, service), requestHeaders(call)),
  failureOf,
};

function address({ baseUrl, wire }: AddressedCall): URL {
  const service = servicePaths[wire];
  if (service !== undefined) return serviceAt(baseUrl, service);
  if (wire === "jina-rerank") return addressUnder(baseUrl, "/compatible-api/v1/reranks");
  return addressUnder(baseUrl, `/compatible-mode/v1${openaiPaths[wire] ?? ""}`);
}

function serviceAt(baseUrl: string, service: string): URL {
  return addressUnder(baseUrl, `/api/v1/services/aigc/${service}`);
}

function requestHeaders({ key, wire }: Pick<VendorCall, "key" | "wire">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}`, ...(taskWires.has(wire) ? { "x-dashscope-async": "enable" } : {}) };
}

function addressUnder(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, "").replace(/\/(?:api|compatible-mode|compatible-api)\/v1$/, "") + path);
}

/** Paths that start videos. The second one is for older models that need a first and a last frame. */
const [usualVideoPath, bothFramesPath] = ["video-generation/video-synthesis", "image2video/video-synthesis"];

function* startVideo(
  call: StartCall,
  urlOf: (service: string) => URL,
  headers: Readonly<Record<string, string>>,
): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const { input } = call.body;
  const hasBothFrames = typeof input === "object" && input !== null && "first_frame_url" in input;
  const withType = { ...headers, "content-type": "application/json" };
  return requestTo(
    urlOf(hasBothFrames ? bothFramesPath : usualVideoPath),
    call,
    withType,
    yield* stringifyInTurns(call.body),
  );
}
