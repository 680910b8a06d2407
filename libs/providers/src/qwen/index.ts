import type { UpstreamWire } from "@modelgate/contracts";
import { openaiPaths } from "../openai/index.ts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";

/** Images, under `/api/v1/services/aigc`. */
const services: Readonly<Partial<Record<UpstreamWire, string>>> = {
  "qwen-images": "multimodal-generation/generation",
  "qwen-image-tasks": "text2image/image-synthesis",
  "qwen-image-edit-tasks": "image2image/image-synthesis",
};
const tasks: ReadonlySet<UpstreamWire> = new Set<UpstreamWire>(["qwen-image-tasks", "qwen-image-edit-tasks"]);

/**
 * Qwen's models at DashScope, by the base URL that its own SDK takes (`https://…/api/v1`): images at once or as tasks,
 * and text by the formats of OpenAI, which stand under `/compatible-mode/v1` beside it. Which models are served as tasks
 * only, a channel's `wires` can say; where it does not, the refusal is understood.
 */
export const qwen: Provider = {
  name: "qwen",
  wires: ["chat", "embeddings", "qwen-images", "qwen-image-tasks", "qwen-image-edit-tasks"],
  moreWires: ["responses", "completions", "jina-rerank", "speech", "transcriptions"],
  address({ baseUrl, wire }) {
    const service = services[wire];
    if (service !== undefined) return under(baseUrl, `/api/v1/services/aigc/${service}`);
    return under(baseUrl, `/compatible-mode/v1${openaiPaths[wire] ?? ""}`);
  },
  taskAddress: ({ baseUrl, task }) => under(baseUrl, `/api/v1/tasks/${encodeURIComponent(task)}`),
  headers: ({ key, wire }) => ({
    authorization: `Bearer ${key}`,
    ...(tasks.has(wire) ? { "x-dashscope-async": "enable" } : {}),
  }),
  failureOf,
};

function under(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, "").replace(/\/(?:api|compatible-mode)\/v1$/, "") + path);
}
