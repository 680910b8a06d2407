import { Failure, type ModelKind, withoutUndefined, bodies } from "@modelgate/contracts";
import { missingFailure, readQueryInteger, bodyReader } from "@modelgate/formats/json";

export interface ListedModel {
  readonly name: string;
  readonly kind: ModelKind;
  readonly ownedBy: string;
  /** Maximum number of tokens of input and output together. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Prices in US dollars as decimal text, by OpenRouter's names. `second` and `character` are our additions. */
  readonly pricing?: Readonly<Record<string, string>> | undefined;
}

type ListBody = Readonly<Record<string, unknown>>;

/** Creation date that the lists show for every model, in Unix seconds. */
const createdSeconds = 1_735_689_600;

const createdText = "2025-01-01T00:00:00Z";

export interface ModelList {
  list(models: readonly ListedModel[], query: URLSearchParams): ListBody;
  one(model: ListedModel): ListBody;
}

const geminiMethods: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ["generateContent", "streamGenerateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
  image: ["generateContent"],
};

/** Parameters that the gateway accepts in calls of a kind. A vendor may not support all of them. */
const parametersByKind: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: (
    "frequency_penalty include_reasoning logit_bias logprobs max_completion_tokens max_tokens min_p parallel_tool_calls " +
    "presence_penalty reasoning reasoning_effort response_format seed stop structured_outputs temperature tool_choice " +
    "tools top_k top_logprobs top_p verbosity web_search_options"
  ).split(" "),
  completion:
    "best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop temperature top_p".split(
      " ",
    ),
  embedding: ["dimensions", "encoding_format"],
  image: ["background", "n", "output_format", "quality", "response_format", "size"],
  speech: ["instructions", "response_format", "speed", "voice"],
  transcription: ["language", "prompt", "response_format", "temperature", "timestamp_granularities"],
};

/** OpenAI's format, without pages. `kind` is our addition; the fields after it are OpenRouter's. */
const openaiList: ModelList = {
  list: (models) => ({ object: "list", data: models.map((model) => openaiList.one(model)) }),
  one: ({ name, kind, ownedBy, contextTokens, maxOutputTokens, pricing }) =>
    withoutUndefined({
      id: name,
      object: "model",
      created: createdSeconds,
      owned_by: ownedBy,
      kind,
      context_length: contextTokens,
      pricing,
      supported_parameters: parametersByKind[kind],
      top_provider:
        maxOutputTokens === undefined
          ? undefined
          : withoutUndefined({ context_length: contextTokens, max_completion_tokens: maxOutputTokens }),
    }),
};

/** Anthropic's format: pages by `limit` (1 to 1000, default 20), `after_id` and `before_id`. */
const anthropicList: ModelList = {
  list(models, query) {
    const limit = readQueryInteger(query, "limit", { fallback: 20, max: 1_000 });
    const { page, more } = selectPage(models, limit, query.get("after_id"), query.get("before_id"));
    return {
      data: page.map((model) => anthropicList.one(model)),
      has_more: more,
      first_id: page[0]?.name ?? null,
      last_id: page.at(-1)?.name ?? null,
    };
  },
  one: ({ name, contextTokens, maxOutputTokens }) =>
    withoutUndefined({
      type: "model",
      id: name,
      display_name: name,
      created_at: createdText,
      max_input_tokens: contextTokens,
      max_tokens: maxOutputTokens,
    }),
};

function selectPage(
  models: readonly ListedModel[],
  limit: number,
  after: string | null,
  before: string | null,
): { page: readonly ListedModel[]; more: boolean } {
  if (before !== null) {
    const end = requireIndex(models, before, "before_id");
    return { page: models.slice(Math.max(0, end - limit), end), more: end > limit };
  }
  const start = after === null ? 0 : requireIndex(models, after, "after_id") + 1;
  return { page: models.slice(start, start + limit), more: models.length > start + limit };
}

function requireIndex(models: readonly ListedModel[], name: string, param: string): number {
  const index = models.findIndex((model) => model.name === name);
  if (index < 0) throw new Failure("invalid_value", `${param} is not a model of this list.`, { param });
  return index;
}

/** Gemini's format: pages by `pageSize` (1 to 1000, default 50) and `pageToken`. */
const geminiList: ModelList = {
  list(models, query) {
    const size = readQueryInteger(query, "pageSize", { fallback: 50, max: 1_000 });
    const start = readQueryInteger(query, "pageToken", { fallback: 0, max: Number.MAX_SAFE_INTEGER, min: 0 });
    const next = start + size;
    return {
      models: models.slice(start, next).map((model) => geminiList.one(model)),
      ...(next < models.length ? { nextPageToken: String(next) } : {}),
    };
  },
  one: ({ name, kind, contextTokens, maxOutputTokens }) =>
    withoutUndefined({
      name: `models/${name}`,
      displayName: name,
      inputTokenLimit: contextTokens,
      outputTokenLimit: maxOutputTokens,
      supportedGenerationMethods: geminiMethods[kind] ?? [],
    }),
};

/** Ollama's format. Models are not on this machine, so they have no size and no quantization. */
const ollamaList: ModelList = {
  list: (models) => ({ models: models.map((model) => ollamaList.one(model)) }),
  one: ({ name, ownedBy }) => ({
    name,
    model: name,
    modified_at: createdText,
    size: 0,
    digest: "",
    details: {
      parent_model: "",
      format: "",
      family: ownedBy,
      families: [ownedBy],
      parameter_size: "",
      quantization_level: "",
    },
  }),
};

export const modelLists = { common: openaiList, alpha: anthropicList, gamma: geminiList, ollama: ollamaList } as const;

const ollamaCapabilities: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ["completion", "tools", "vision", "thinking"],
  embedding: ["embedding"],
};

/** Renders the answer of /api/show. Texts that the gateway does not have, such as the template, are empty. */
export function showOllamaModel(model: ListedModel): Readonly<Record<string, unknown>> {
  const { kind, ownedBy, contextTokens } = model;
  const { details } = modelLists.ollama.one(model);
  return {
    modelfile: "",
    parameters: "",
    template: "",
    license: "",
    modified_at: createdText,
    details,
    model_info: withoutUndefined({
      "general.architecture": ownedBy,
      [`${ownedBy}.context_length`]: contextTokens,
    }),
    capabilities: ollamaCapabilities[kind] ?? [],
  };
}

const parseShowRequest = bodyReader(bodies.OllamaShowRequest);

export function modelOfShowRequest(value: unknown): string {
  const body = parseShowRequest(value);
  const name = body.model ?? body.name;
  if (name !== undefined) return name;
  throw missingFailure("model");
}
