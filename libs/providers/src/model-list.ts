import type { UpstreamWire } from "@modelgate/contracts";
import type { Provider } from "./provider.ts";
import type { VendorRequest } from "./request.ts";

/** Maximum number of models in one list, and maximum characters of a name. */
const [maxModels, maxNameCharacters] = [2_000, 200];
/** Query parameters for the page size of a model list, by the vendor's first wire. */
const pageSizeParameters: Readonly<Partial<Record<UpstreamWire, string>>> = { content: "pageSize", messages: "limit" };
const maxPageSize = "1000";

/** A model of a vendor's list. */
export interface ListedModel {
  readonly name: string;
  /** Prices in US dollars in the configuration's format. */
  readonly price: Readonly<Record<string, number>> | null;
  readonly contextTokens: number | null;
}

/** Builds the request for a vendor's list of models; undefined if the vendor has no list. */
export function modelListRequest(
  provider: Provider,
  { baseUrl, key, nowMs }: { readonly baseUrl: string; readonly key: string; readonly nowMs: number },
): VendorRequest | undefined {
  const { modelsAt, wires } = provider;
  const [wire] = wires;
  if (modelsAt === undefined || wire === undefined) return undefined;
  const answerCall = {
    act: "answer",
    baseUrl,
    key,
    nowMs,
    wire,
    model: "m",
    stream: false,
    body: Buffer.alloc(0),
  } as const;
  const { headers } = provider.request(answerCall);
  const { "content-type": _, ...rest } = headers;
  const url = listAt(baseUrl.replace(/\/+$/, ""), modelsAt);
  const size = pageSizeParameters[wire];
  if (size !== undefined) url.searchParams.set(size, maxPageSize);
  return { url, method: "GET", headers: rest };
}

/** Returns the address of a model list. If the base URL ends in a version, the version of the path is removed. */
function listAt(base: string, path: string): URL {
  return new URL(base + (/\/v\d\w*$/.test(base) ? path.replace(/^\/v\d\w*/, "") : path));
}

/** Parses a vendor's list of models: an array, or an object with an array. Returns undefined for anything else. */
export function parseModels(list: unknown): readonly ListedModel[] | undefined {
  const rows = Array.isArray(list)
    ? list
    : Object.values(isObject(list) ? list : {}).find((member) => Array.isArray(member));
  if (!Array.isArray(rows)) return undefined;
  const models = rows.flatMap((row: unknown) => (isObject(row) ? parseModel(row) : []));
  return [...new Map(models.map((model) => [model.name, model])).values()].slice(0, maxModels);
}

type ModelRow = Readonly<Record<string, unknown>>;

/**
 * Parses one model of a list. The id of Cloudflare's models is not a name, and models of Gemini and Databricks have no
 * id.
 */
function parseModel(row: ModelRow): readonly ListedModel[] {
  const { id, name, model } = row;
  const isNamed = typeof name === "string" && name.startsWith("@");
  const listedName = [isNamed ? name : id, name, model].find((value) => typeof value === "string");
  if (typeof listedName !== "string") return [];
  const plain = listedName.replace(/^models\//, "");
  if (plain === "" || plain.length > maxNameCharacters || plain !== plain.trim() || /\p{Cc}/u.test(plain)) return [];
  return [{ name: plain, price: priceIn(row), contextTokens: contextIn(row) }];
}

/**
 * Reads the prices of a model. Aggregators such as OpenRouter list prices per token; the configuration has prices per
 * million tokens.
 */
function priceIn({ pricing }: ModelRow): ListedModel["price"] {
  if (!isObject(pricing)) return null;
  const names = { input: "prompt", output: "completion", cachedInput: "input_cache_read" };
  const price = Object.entries(names).flatMap(([unit, vendorField]) => {
    const dollarsPerToken = Number(pricing[vendorField]);
    return dollarsPerToken > 0 && Number.isFinite(dollarsPerToken)
      ? [[unit, Number((dollarsPerToken * 1_000_000).toPrecision(9))] as const]
      : [];
  });
  return price.length === 0 ? null : Object.fromEntries(price);
}

function contextIn(row: ModelRow): number | null {
  const tokens = [row["context_length"], row["context_window"], row["inputTokenLimit"]].find(
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0,
  );
  return typeof tokens === "number" ? tokens : null;
}

function isObject(value: unknown): value is ModelRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
