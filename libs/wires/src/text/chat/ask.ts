import { bodies, Failure } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Static } from "typebox";
import { wantsCost } from "../../cost/with-cost.ts";
import { isRecord } from "../../json/fields.ts";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { boundsIn, thoughtsBeside, wholeNumber } from "../bounds.ts";
import { mediaOf, measureTypedPart } from "../media.ts";
import { readsBeyond } from "../reads-beyond.ts";
import { askedFeesOf, reliedForFees } from "./fees.ts";

/** The members that decide what a call may do and cost. */
export const relied = Object.keys(bodies.ChatRequest.properties).concat("stream_options", "usage", reliedForFees);

type ChatRequest = Static<typeof bodies.ChatRequest>;
const shape = Compile(bodies.ChatRequest);
const ownBounds = ["max_tokens", "max_completion_tokens"];

/**
 * Checks the fields that the gateway relies on and says what it must know; all else passes untouched. Throws
 * Failure (400) naming the field, and refuses file parts in a stream (interface section 8).
 */
export function readAsk(body: unknown): TextAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const stream = body.stream ?? false;
  if (stream && hasFile(body)) throw new Failure("file_input_not_streamable", undefined, { param: "stream" });
  // The second is not of this wire, but some of its vendors read it.
  const choices = Math.max(body.n ?? 1, wholeNumber("best_of" in body ? body.best_of : undefined));
  const { most, names: boundNames } = boundsIn(body, ownBounds);
  return {
    model: body.model,
    stream,
    includeUsage: wantsUsage(body) || wantsCost(body),
    ...(wantsCost(body) ? { showsCost: true } : {}),
    maxOutputTokens: most === undefined ? undefined : (most + thoughtsBeside(body)) * choices,
    boundNames,
    readsBeyond: readsBeyond(body),
    choices,
    media: mediaOf(body.messages, measureTypedPart),
    fees: askedFeesOf(body),
  };
}

function hasFile({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === "file"));
}

function wantsUsage(body: object): boolean {
  const options = "stream_options" in body ? body.stream_options : undefined;
  return isRecord(options) && options["include_usage"] === true;
}
