import { type Fields, isRecord, own } from "../../json/fields.ts";
import type { Citation, Part, TokenProbability } from "./part.ts";
import type { JsonObject } from "./request.ts";

/** Parts that one message or tool output may have. */
export const maxParts = 4_096;

/** Reads one part, by its type. */
export type ReadPart = (part: Fields) => Part;

/** A message's content, or a tool's output: text, or parts, each read by its type. Throws Failure (400) for others. */
export function contentOf(of: Fields, name: string, readers: Readonly<Record<string, ReadPart>>): readonly Part[] {
  const content = of.raw(name);
  if (content === undefined) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return of.each(name, maxParts).map((part) => {
    const type = part.needText("type");
    const read = own(readers, type);
    if (read === undefined) throw part.wrong("type", `one of ${Object.keys(readers).join(", ")}`);
    return read(part);
  });
}

/** What a wire says beside its texts, put onto them: citations onto the last, probabilities onto the first. */
export function withSources(
  parts: readonly Part[],
  citations: readonly Citation[],
  logProbabilities: readonly TokenProbability[],
): readonly Part[] {
  const first = parts.findIndex(({ kind }) => kind === "text");
  const last = parts.findLastIndex(({ kind }) => kind === "text");
  return parts.map((part, index) => {
    if (part.kind !== "text") return part;
    return {
      ...part,
      ...(index === last && citations.length > 0 ? { citations } : {}),
      ...(index === first && logProbabilities.length > 0 ? { logProbabilities } : {}),
    };
  });
}

/** Log probabilities of a text or a delta, as the chat and responses wires spell them alike; what is malformed is passed over. */
export function parseLogProbabilities(value: unknown): readonly TokenProbability[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const probability = parseProbability(each);
    if (probability === undefined || !isRecord(each)) return [];
    const alternatives: unknown = each["top_logprobs"];
    return [
      {
        ...probability,
        alternatives: Array.isArray(alternatives) ? alternatives.flatMap((one) => parseProbability(one) ?? []) : [],
      },
    ];
  });
}

function parseProbability(value: unknown): Omit<TokenProbability, "alternatives"> | undefined {
  if (!isRecord(value) || typeof value["token"] !== "string" || typeof value["logprob"] !== "number") return undefined;
  const bytes: unknown = value["bytes"];
  return {
    token: value["token"],
    logProbability: value["logprob"],
    ...(Array.isArray(bytes) ? { bytes: bytes.filter((byte) => typeof byte === "number") } : {}),
  };
}

/** The same for a client; a token's bytes are its own where the vendor gave none. */
export function logProbability({ alternatives, ...chosen }: TokenProbability): JsonObject {
  return { ...oneProbability(chosen), top_logprobs: alternatives.map(oneProbability) };
}

function oneProbability({ token, logProbability, bytes }: Omit<TokenProbability, "alternatives">): JsonObject {
  return { token, logprob: logProbability, bytes: bytes ?? [...Buffer.from(token)] };
}
