import type { RankingWire } from "@modelgate/contracts";
import type { UnstreamedWire } from "../kind/index.ts";
import { cohere } from "./cohere/index.ts";
import type { RankingAnswer, RankingRequest } from "./hub/index.ts";
import { jina } from "./jina/index.ts";

export { countSearches, measureInput, type RankingAnswer, type RankingRequest } from "./hub/index.ts";

export const wires = {
  "jina-rerank": jina,
  "cohere-rerank": cohere,
} as const satisfies Readonly<Record<RankingWire, UnstreamedWire<RankingRequest, RankingAnswer>>>;
