import { readText, type Transport } from "@modelgate/channels";
import { Failure, isSendableKey, type ModelKind, type UpstreamWire } from "@modelgate/contracts";
import { cleanWords, providers, type Provider } from "@modelgate/providers";
import { baseUrlProblem } from "../configuration/base-url.ts";
import { field } from "../field.ts";

/** Longest wait for a vendor's list of models, and how much of it is read. */
const listMs = 20_000;
const listBytes = 4 * 1024 * 1024;
/** Most models of a list that are offered. */
const mostModels = 2_000;

/** A model that a vendor says it has. */
export interface ListedModel {
  readonly id: string;
  readonly kind: ModelKind;
  /** US dollars as a configuration writes them, where the vendor's list has prices; null: not known. */
  readonly price: Readonly<Record<string, number>> | null;
  readonly contextTokens: number | null;
}

/** What came of asking a vendor: its models, or what it said instead. */
export interface ListedModels {
  readonly models: readonly ListedModel[];
  readonly say: string | null;
}

/** Who is asked, and with which key. */
export interface ListWish {
  readonly provider: string;
  readonly baseUrl: string;
  readonly key: string;
}

/** The query member for the size of a page of models, by the vendor's first wire. */
const pageSizes: Readonly<Partial<Record<UpstreamWire, string>>> = { content: "pageSize", messages: "limit" };

/** Asks a vendor for its models. Throws Failure invalid_value naming what of the wish is wrong. */
export async function listModels(wish: ListWish, transport: Transport): Promise<ListedModels> {
  const provider = Object.hasOwn(providers, wish.provider) ? providers[wish.provider] : undefined;
  if (provider === undefined) throw wrong("provider", "is not a vendor that this build knows");
  const problem = baseUrlProblem(wish.baseUrl, provider);
  if (problem !== undefined) throw wrong("baseUrl", problem);
  if (!isSendableKey(wish.key)) throw wrong("key", "holds what no header can carry");
  const { keyForm } = provider;
  if (keyForm !== undefined && !keyForm.pattern.test(wish.key))
    throw wrong("key", `is no key of the form ${keyForm.words}`);
  try {
    return await ask(provider, wish, transport);
  } catch (error) {
    return { models: [], say: cleanWords(error instanceof Error ? error.message : String(error)) };
  }
}

async function ask(provider: Provider, { baseUrl, key }: ListWish, transport: Transport): Promise<ListedModels> {
  const wire = provider.wires[0] ?? "chat";
  if (provider.modelsAt === undefined) return { models: [], say: "The vendor lists no models: name them yourself." };
  const url = listAt(baseUrl, provider.modelsAt);
  // Lists come in pages; the wire says which word asks for long ones.
  const size = pageSizes[wire];
  if (size !== undefined) url.searchParams.set(size, "1000");
  const request = provider.request({ act: "file", baseUrl, key, wire, nowMs: Date.now(), url });
  const signal = AbortSignal.timeout(listMs);
  const answer = await transport.send({ ...request, timeoutMs: listMs }, signal);
  const said = await readText(answer, listBytes);
  if (answer.status >= 300)
    return { models: [], say: `The vendor answered ${answer.status}: ${cleanWords(said.slice(0, 500))}` };
  const models = modelsIn(JSON.parse(said));
  return { models, say: models.length > 0 ? null : "The vendor's list has no models: name them yourself." };
}

/** Where a vendor's list is; a base URL that ends in a version has it already. */
function listAt(baseUrl: string, path: string): URL {
  const base = baseUrl.replace(/\/+$/, "");
  const version = /\/v\d\w*$/.exec(base)?.[0] ?? "";
  const url = new URL(`${base}${version !== "" && path.startsWith("/v") ? path.replace(/^\/v\d\w*/, "") : path}`);
  return url;
}

/** The models of a list, in the form of any vendor: under `data` or `models`, by `id` or `name`. */
export function modelsIn(list: unknown): readonly ListedModel[] {
  const rows = [field(list, "data"), field(list, "models"), list].find(Array.isArray) ?? [];
  const found = rows.flatMap((row: unknown) => {
    const written = field(row, "id") ?? field(row, "name");
    if (typeof written !== "string" || written === "") return [];
    const id = written.replace(/^models\//, "");
    return [{ id, kind: kindOf(id, row), price: priceIn(row), contextTokens: contextIn(row) }];
  });
  const unique = new Map(found.map((model) => [model.id, model]));
  return [...unique.values()].toSorted((one, other) => one.id.localeCompare(other.id)).slice(0, mostModels);
}

/** What a model's name says that it is for; chat where it says nothing. */
const kinds: readonly (readonly [pattern: RegExp, kind: ModelKind])[] = [
  [/embed/i, "embedding"],
  [/rerank/i, "rerank"],
  [/moderation/i, "moderation"],
  [/realtime|-live/i, "realtime"],
  [/whisper|transcri|scribe/i, "transcription"],
  [/tts|speech/i, "speech"],
  [/image|dall-e|imagen|flux|stable-diffusion/i, "image"],
  [/sora|veo|video|kling|wan\d/i, "video"],
  [/instruct$|davinci|babbage/i, "completion"],
];

function kindOf(id: string, row: unknown): ModelKind {
  const methods = field(row, "supportedGenerationMethods");
  if (Array.isArray(methods) && methods.includes("embedContent")) return "embedding";
  return kinds.find(([pattern]) => pattern.test(id))?.[1] ?? "chat";
}

/** Prices per token, as aggregators write them beside each model, as a configuration has them: per million. */
function priceIn(row: unknown): ListedModel["price"] {
  const pricing = field(row, "pricing");
  const dollars = (name: string): number | undefined => {
    const each = Number(field(pricing, name));
    return Number.isFinite(each) && each > 0 ? Number((each * 1_000_000).toPrecision(9)) : undefined;
  };
  const price = { input: dollars("prompt"), output: dollars("completion"), cachedInput: dollars("input_cache_read") };
  const known = Object.entries(price).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

function contextIn(row: unknown): number | null {
  const tokens = [field(row, "context_length"), field(row, "context_window"), field(row, "inputTokenLimit")].find(
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0,
  );
  return typeof tokens === "number" ? tokens : null;
}

function wrong(param: string, say: string): Failure {
  return new Failure("invalid_value", `${param} ${say}.`, { param });
}
