import type { VendorRow } from "./row.ts";
import { messagesBeside, older } from "./usual.ts";

/** Vendors in China, most of which serve the world from a second address. */
export const chineseVendors = {
  moonshot: {
    title: "Moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    wires: ["chat", "messages"],
    paths: messagesBeside,
    pricesAs: "moonshotai",
    dialect: { ...older, cachedAt: "cached_tokens" },
    docs: "https://platform.moonshot.ai/docs/api/chat",
  },
  zhipu: {
    title: "Zhipu (Z.ai)",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariable: "ZAI_API_KEY",
    wires: ["chat", "messages", "embeddings"],
    paths: { messages: "/../../anthropic/v1/messages", "count-messages": "/../../anthropic/v1/messages/count_tokens" },
    pricesAs: "zai",
    dialect: older,
    docs: "https://docs.z.ai/api-reference/llm/chat-completion",
  },
  minimax: {
    title: "MiniMax",
    baseUrl: "https://api.minimax.io/v1",
    keyVariable: "MINIMAX_API_KEY",
    wires: ["chat", "messages"],
    paths: messagesBeside,
    pricesAs: "minimax",
    dialect: { maxTokens: "max_completion_tokens", noDeveloper: true },
    docs: "https://platform.minimax.io/docs/api-reference/text-post",
  },
  siliconflow: {
    title: "SiliconFlow",
    baseUrl: "https://api.siliconflow.com/v1",
    keyVariable: "SILICONFLOW_API_KEY",
    wires: ["chat", "messages", "embeddings", "jina-rerank", "images", "speech", "transcriptions"],
    dialect: older,
    docs: "https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions",
  },
  baidu: {
    title: "Baidu Qianfan",
    baseUrl: "https://qianfan.baidubce.com/v2",
    keyVariable: "QIANFAN_API_KEY",
    wires: ["chat", "embeddings"],
    dialect: older,
    docs: "https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb",
  },
  hunyuan: {
    title: "Tencent Hunyuan",
    baseUrl: "https://api.hunyuan.cloud.tencent.com/v1",
    keyVariable: "HUNYUAN_API_KEY",
    wires: ["chat", "embeddings"],
    modelsAt: "none",
    dialect: older,
    docs: "https://cloud.tencent.com/document/product/1729/111007",
  },
  stepfun: {
    title: "StepFun",
    baseUrl: "https://api.stepfun.com/v1",
    keyVariable: "STEP_API_KEY",
    wires: ["chat", "messages", "images", "speech", "transcriptions"],
    dialect: { ...older, thoughts: "reasoning", cachedAt: "cached_tokens" },
    docs: "https://platform.stepfun.com/docs/api-reference/chat/chat-completion-create",
  },
} as const satisfies Readonly<Record<string, VendorRow>>;
