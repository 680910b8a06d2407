import { providers } from "@modelgate/providers";

/** What somebody who adds a vendor is offered. */
export interface KnownVendor {
  /** What its channels are named after. */
  readonly name: string;
  readonly title: string;
  /** Which of the providers speaks to it. */
  readonly provider: string;
  /** Null where only its customer knows it. */
  readonly baseUrl: string | null;
  /** Where keys are made. */
  readonly keysAt: string | null;
}

const rows: readonly KnownVendor[] = [
  vendor("openai", "OpenAI", "openai", "https://api.openai.com/v1", "https://platform.openai.com/api-keys"),
  vendor(
    "anthropic",
    "Anthropic",
    "anthropic",
    "https://api.anthropic.com",
    "https://console.anthropic.com/settings/keys",
  ),
  vendor(
    "gemini",
    "Google Gemini",
    "gemini",
    "https://generativelanguage.googleapis.com",
    "https://aistudio.google.com/apikey",
  ),
  vendor("azure", "Azure OpenAI", "azure", null, null),
  vendor("cohere", "Cohere", "cohere", "https://api.cohere.com", "https://dashboard.cohere.com/api-keys"),
  vendor("jina", "Jina AI", "jina", "https://api.jina.ai/v1", "https://jina.ai"),
  vendor("qwen", "Qwen (DashScope)", "qwen", "https://dashscope-intl.aliyuncs.com", null),
  vendor("kling", "Kling", "kling", "https://api-singapore.klingai.com", null),
  vendor("jimeng", "Jimeng", "jimeng", "https://visual.volcengineapi.com", null),
  vendor("openai-compatible", "Another that speaks OpenAI's formats", "openai", null, null),
];

/** The vendors that this build can speak to, in the order in which they are offered. */
export const knownVendors: readonly KnownVendor[] = rows.filter(({ provider }) => Object.hasOwn(providers, provider));

function vendor(
  name: string,
  title: string,
  provider: string,
  baseUrl: string | null,
  keysAt: string | null,
): KnownVendor {
  return { name, title, provider, baseUrl, keysAt };
}
