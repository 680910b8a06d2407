import { isRecord } from "../../json/fields.ts";
import type { TokenProbability } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

type Chosen = Omit<TokenProbability, "alternatives">;

/** `logprobsResult` of a candidate; what is malformed is passed over. */
export function parseProbabilities(result: unknown): readonly TokenProbability[] {
  if (!isRecord(result) || !Array.isArray(result["chosenCandidates"])) return [];
  const chosen: readonly unknown[] = result["chosenCandidates"];
  const tops: unknown = result["topCandidates"];
  return chosen.flatMap((each, index) => {
    const read = parseOne(each);
    const top: unknown = Array.isArray(tops) ? tops[index] : undefined;
    const candidates: unknown = isRecord(top) ? top["candidates"] : undefined;
    const alternatives = Array.isArray(candidates) ? candidates.flatMap((one) => parseOne(one) ?? []) : [];
    return read === undefined ? [] : [{ ...read, alternatives }];
  });
}

function parseOne(value: unknown): Chosen | undefined {
  if (!isRecord(value) || typeof value["token"] !== "string") return undefined;
  const probability = value["logProbability"];
  return { token: value["token"], logProbability: typeof probability === "number" ? probability : 0 };
}

/** Probabilities as `logprobsResult`; tokens' bytes have no place in it. */
export function renderProbabilities(all: readonly TokenProbability[]): JsonObject | undefined {
  if (all.length === 0) return undefined;
  return {
    topCandidates: all.map(({ alternatives }) => ({ candidates: alternatives.map(renderOne) })),
    chosenCandidates: all.map(renderOne),
  };
}

function renderOne({ token, logProbability }: Chosen): JsonObject {
  return { token, logProbability };
}
