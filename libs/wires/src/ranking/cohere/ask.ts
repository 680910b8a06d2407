import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Ask } from "../../kind/ask.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfRanking } from "../hub/ask.ts";
import type { RankingRequest } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

const shape = Compile(bodies.RerankRequest);

/** Checks a rerank request of Cohere's clients. Throws Failure (400) naming the field. */
export function askOfCohereRerank(body: unknown): Ask<RankingRequest> {
  return askOfRanking(readChecked(body, shape, parseRequest));
}
