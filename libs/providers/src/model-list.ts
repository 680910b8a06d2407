import type { Provider } from "./provider.ts";
import type { VendorRequest } from "./request.ts";

/** Most models that are taken from one list, and longest name of one. */
const [mostModels, longestName] = [2_000, 200];

/** Asks a vendor for its models, as it is asked for an answer; undefined where it lists none. */
export function modelListRequest(
  provider: Provider,
  { baseUrl, key, nowMs }: { readonly baseUrl: string; readonly key: string; readonly nowMs: number },
): VendorRequest | undefined {
  const { modelsAt, wires } = provider;
  const [wire] = wires;
  if (modelsAt === undefined || wire === undefined) return undefined;
  const usual = { act: "answer", baseUrl, key, nowMs, wire, model: "m", stream: false, body: Buffer.alloc(0) } as const;
  const { headers } = provider.request(usual);
  const { "content-type": _, ...asked } = headers;
  return { url: new URL(baseUrl.replace(/\/+$/, "") + modelsAt), method: "GET", headers: asked };
}

/** The names in a vendor's list of models, in any of the shapes that vendors have; undefined for anything else. */
export function modelsIn(list: unknown): readonly string[] | undefined {
  const rows = Array.isArray(list)
    ? list
    : Object.values(isObject(list) ? list : {}).find((member) => Array.isArray(member));
  if (!Array.isArray(rows)) return undefined;
  const names = rows.flatMap((row: unknown) => (isObject(row) ? nameOf(row) : []));
  return [...new Set(names)].slice(0, mostModels);
}

/** By `id`, or by `name` where the id is no name (Cloudflare) or there is none (Gemini, Databricks). */
function nameOf({ id, name, model }: Readonly<Record<string, unknown>>): readonly string[] {
  const isNamed = typeof name === "string" && name.startsWith("@");
  const found = [isNamed ? name : id, name, model].find((word) => typeof word === "string");
  if (typeof found !== "string") return [];
  const plain = found.replace(/^models\//, "");
  return plain === "" || plain.length > longestName || plain !== plain.trim() || /\p{Cc}/u.test(plain) ? [] : [plain];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
