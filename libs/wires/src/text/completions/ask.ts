import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { wantsCost } from "../../cost/with-cost.ts";
import { isRecord } from "../../json/fields.ts";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { boundsIn } from "../bounds.ts";
import { askedFeesOf, reliedForFees } from "../chat/fees.ts";

/** The members that decide what a call may do and cost. */
export const relied = Object.keys(bodies.CompletionsRequest.properties).concat(
  "stream_options",
  "usage",
  reliedForFees,
);

const shape = Compile(bodies.CompletionsRequest);

/**
 * Checks the fields that the gateway relies on and says what it must know; all else passes untouched. Every prompt is
 * answered `best_of` times, or `n` times. Throws Failure (400) naming the field.
 */
export function readAsk(body: unknown): TextAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const choices = Math.max(body.n ?? 1, body.best_of ?? 1) * promptsIn(body.prompt);
  const { most, names: boundNames } = boundsIn(body, ["max_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: wantsUsage(body) || wantsCost(body),
    ...(wantsCost(body) ? { showsCost: true } : {}),
    maxOutputTokens: most === undefined ? undefined : most * choices,
    boundNames,
    readsBeyond: false,
    choices,
    media: { characters: 0, tokens: 0 },
    fees: askedFeesOf(body),
  };
}

/** An array of numbers is one prompt in tokens. */
function promptsIn(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== "number" ? Math.max(1, prompt.length) : 1;
}

function wantsUsage(body: object): boolean {
  const options = "stream_options" in body ? body.stream_options : undefined;
  return isRecord(options) && options["include_usage"] === true;
}
