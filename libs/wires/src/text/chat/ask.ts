import { bodies, Failure } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Static } from "typebox";
import { firstProblem } from "../../json/problem.ts";
import { mediaOf, type Media } from "./media.ts";

/** All that admission and the pass-through gears need to know of a chat request. */
export interface ChatAsk {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants the usage chunk at a stream's end. */
  readonly includeUsage: boolean;
  /** Most output tokens over all choices; undefined where the client set no bound. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  readonly media: Media;
}

/** The members that decide what a call may do and cost. */
export const reliedOfChat = Object.keys(bodies.ChatRequest.properties).concat("stream_options");

type ChatRequest = Static<typeof bodies.ChatRequest>;
const shape = Compile(bodies.ChatRequest);

/**
 * Checks the fields that the gateway relies on and says what it must know; all else passes untouched. Throws
 * Failure (400) naming the field, and refuses file parts in a stream (interface section 8).
 */
export function askOfChat(body: unknown): ChatAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const stream = body.stream ?? false;
  if (stream && hasFile(body)) throw new Failure("file_input_not_streamable", undefined, { param: "stream" });
  const choices = body.n ?? 1;
  const most = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  return {
    model: body.model,
    stream,
    includeUsage: wantsUsage(body),
    maxOutputTokens: most === undefined ? undefined : most * choices,
    choices,
    media: mediaOf(body.messages.map(({ content }) => content)),
  };
}

function hasFile({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === "file"));
}

function wantsUsage(body: object): boolean {
  if (!("stream_options" in body)) return false;
  const options = body.stream_options;
  return (
    typeof options === "object" && options !== null && "include_usage" in options && options.include_usage === true
  );
}
