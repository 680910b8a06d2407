import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Ask } from "../../kind/ask.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfRanking } from "../hub/ask.ts";
import type { RankingRequest } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfRerank = Object.keys(bodies.RerankRequest.properties);

const shape = Compile(bodies.RerankRequest);

/** Checks a rerank request and says what the gateway must know. Throws Failure (400) naming the field. */
export function askOfRerank(body: unknown): Ask<RankingRequest> {
  return askOfRanking(readChecked(body, shape, parseRequest));
}
