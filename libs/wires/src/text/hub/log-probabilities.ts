import { isRecord } from "../../json/fields.ts";
import type { TokenProbability } from "./part.ts";
import type { JsonObject } from "./request.ts";

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
