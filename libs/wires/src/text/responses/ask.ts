import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { boundsIn } from "../bounds.ts";
import { followersMembers } from "../hub/followers-members.ts";
import { mediaOf, measureTypedPart } from "../media.ts";
import { readsBeyond } from "../reads-beyond.ts";
import { wantsCost } from "../../cost/with-cost.ts";
import { askedFeesOf, reliedForFees } from "./fees.ts";

/** What the responses endpoint must know of a request beyond what every text call needs. */
export interface ResponsesAsk extends TextAsk {
  readonly previousId: string | undefined;
  /** Whether the response may be referred to later. */
  readonly store: boolean;
  /** The last item asks for a compaction at the end of this turn. */
  readonly compacts: boolean;
}

/** The members that decide what a call may do and cost. */
export const relied = Object.keys(bodies.ResponsesRequest.properties).concat("background", "usage", reliedForFees);

const shape = Compile(bodies.ResponsesRequest);

/** Checks the fields that the gateway relies on. Throws Failure (400) naming the field. */
export function readAsk(body: unknown): ResponsesAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const { most, names: boundNames } = boundsIn(body, ["max_output_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: true,
    ...(wantsCost(body) ? { showsCost: true } : {}),
    maxOutputTokens: most,
    boundNames,
    foreignNames: Object.keys(body).filter((name) => name !== "reasoning" && followersMembers.has(name)),
    readsBeyond: readsBeyond(body),
    choices: 1,
    media: mediaOf(body.input, measureTypedPart),
    fees: askedFeesOf(body),
    previousId: body.previous_response_id ?? undefined,
    store: body.store ?? true,
    compacts: Array.isArray(body.input) && body.input.at(-1)?.["type"] === "compaction_trigger",
  };
}
