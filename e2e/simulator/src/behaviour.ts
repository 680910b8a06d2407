import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { jsonAtStart } from "./core/json-at-start.ts";

const count = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const calls = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        arguments: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]),
      }),
      { maxItems: 128, description },
    ),
  );

/** How a simulated vendor answers one request: its faults and shapes, all bounded. `{}` is a good answer. */
export const Behaviour = Type.Object(
  {
    delayMs: count(600_000, "silence before the head"),
    clockOffMs: Type.Optional(
      Type.Integer({
        minimum: -86_400_000,
        maximum: 86_400_000,
        description: "how far the clock of a vendor that checks times is ahead of this machine's",
      }),
    ),
    closeBeforeHead: Type.Optional(Type.Boolean({ description: "the connection is reset instead of answered" })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, description: "answer with this error status" })),
    errorCode: Type.Optional(Type.String({ description: "code in the error body" })),
    errorMessage: Type.Optional(Type.String({ description: "message in the error body" })),
    retryAfter: Type.Optional(Type.String({ description: "value of the retry-after header" })),
    malformed: Type.Optional(Type.Boolean({ description: "200 with something that is no JSON" })),
    text: Type.Optional(Type.String({ description: "the answer's words" })),
    reply: Type.Optional(Type.String({ description: "the same as text" })),
    reasoning: Type.Optional(Type.String({ description: "the answer's thoughts; empty: none" })),
    redactedReasoning: Type.Optional(Type.Boolean({ description: "the thoughts are sealed only" })),
    refusal: Type.Optional(Type.Boolean({ description: "the words are a refusal (chat, responses)" })),
    image: Type.Optional(Type.Boolean({ description: "a picture is part of the answer, or is not" })),
    bodyBytes: count(64 * 1024 * 1024, "length of the answer's words, instead of text"),
    chunks: count(1_000_000, "content chunks of a stream"),
    chunkDelayMs: count(60_000, "silence before each content chunk"),
    cutAfterChunks: count(1_000_000, "the connection is cut after so many content chunks"),
    stallAfterChunks: count(1_000_000, "the stream falls silent after so many content chunks"),
    errorAfterChunks: count(1_000_000, "an error frame after so many content chunks"),
    openWith: Type.Optional(
      Type.Enum(["silence", "garbage", "error", "close"], {
        description: "how a WebSocket begins, and what is all of it",
      }),
    ),
    closeCode: Type.Optional(
      Type.Integer({ minimum: 1000, maximum: 4999, description: "a WebSocket is closed with it instead of cut" }),
    ),
    splitBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1 << 20,
        description: "the stream's bytes are written in pieces of this size",
      }),
    ),
    crlf: Type.Optional(Type.Boolean({ description: "frames end in CRLF" })),
    comments: Type.Optional(Type.Boolean({ description: "a comment before every frame" })),
    noDone: Type.Optional(Type.Boolean({ description: "the stream ends without its terminal frame" })),
    usage: Type.Optional(
      Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())], {
        description: "counts, or the usage object in the vendor's own form; null: none is reported",
      }),
    ),
    finishReason: Type.Optional(Type.String()),
    finish: Type.Optional(Type.String({ description: "the same as finishReason" })),
    toolCalls: calls("answer with these calls"),
    tools: calls("the same as toolCalls"),
    looks: count(1_000_000, "looks after which a video task has ended"),
    taskError: Type.Optional(Type.String({ description: "a video task ends with this failure" })),
    expired: Type.Optional(Type.Boolean({ description: "a finished video is no longer there" })),
    closeAfterAccept: Type.Optional(
      Type.Boolean({ description: "what was asked for is done, and the connection is reset instead of answered" }),
    ),
    repeat: Type.Optional(Type.Boolean({ description: "in a script: this step stands for all that follow" })),
  },
  { $id: "Behaviour", additionalProperties: false },
);
export type Behaviour = Static<typeof Behaviour>;

const shape = Compile(Behaviour);

/** A behaviour, or what is wrong with it. */
export function checkBehaviour(value: unknown): { readonly behaviour: Behaviour } | { readonly wrong: string } {
  if (shape.Check(value)) return { behaviour: value };
  // Which member is not known stands in an error of its own.
  const [first] = shape.Errors(value).filter(({ keyword }) => keyword !== "additionalProperties");
  if (first === undefined) return { wrong: "not a behaviour" };
  const place = first.instancePath.slice(1).replaceAll("/", ".") || "it";
  return { wrong: `${place} ${first.keyword === "boolean" ? "is not a known field" : first.message}` };
}

const opening = /\{\{simulate:\s*/;

/** Where a text's directive stands, and the JSON in it. */
function directivePlace(
  text: string,
): { readonly start: number; readonly end: number; readonly json: string } | undefined {
  const match = opening.exec(text);
  if (match === null) return undefined;
  const at = match.index + match[0].length;
  const json = jsonAtStart(text.slice(at));
  if (json === undefined) return undefined;
  const closing = /^\s*\}\}/.exec(text.slice(at + json.length));
  return closing === null ? undefined : { start: match.index, end: at + json.length + closing[0].length, json };
}

/** The behaviour that a message's words ask for: `{{simulate: {"delayMs": 500}}}`. */
export function directiveIn(text: string): { readonly behaviour: Behaviour } | { readonly wrong: string } | undefined {
  const place = directivePlace(text);
  if (place === undefined) return undefined;
  try {
    return checkBehaviour(JSON.parse(place.json));
  } catch {
    return { wrong: "the directive is not valid JSON" };
  }
}

/** A message without its directive. */
export function withoutDirective(text: string): string {
  const place = directivePlace(text);
  return (place === undefined ? text : text.slice(0, place.start) + text.slice(place.end)).trim();
}
