import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { boundsIn } from "../bounds.ts";
import { mediaOf } from "../media.ts";
import { measurePart } from "./media.ts";
import { readsBeyond } from "../reads-beyond.ts";
import { wantsCost } from "../../cost/with-cost.ts";
import { askedFeesOf, reliedForFees } from "./fees.ts";

/** The members that decide what a call may do and cost. */
export const relied = Object.keys(bodies.MessagesRequest.properties).concat("usage", reliedForFees);

const request = Compile(bodies.MessagesRequest);
const counted = Compile(bodies.CountMessageTokensRequest);

/** Checks the fields that the gateway relies on. Throws Failure (400) naming the field. */
export function readAsk(body: unknown): TextAsk {
  if (!request.Check(body)) throw firstProblem(request.Errors(body), body);
  const { most, names: boundNames } = boundsIn(body, ["max_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: true,
    ...(wantsCost(body) ? { showsCost: true } : {}),
    maxOutputTokens: most,
    boundNames,
    readsBeyond: readsBeyond(body),
    choices: 1,
    media: mediaOf(body.messages, measurePart),
    fees: askedFeesOf(body),
  };
}

/** The same of a request whose tokens are only counted. */
export function askOfMessageCount(body: unknown): TextAsk {
  if (!counted.Check(body)) throw firstProblem(counted.Errors(body), body);
  return {
    model: body.model,
    stream: false,
    includeUsage: true,
    maxOutputTokens: 0,
    boundNames: [],
    readsBeyond: false,
    choices: 1,
    media: mediaOf(body.messages, measurePart),
  };
}
