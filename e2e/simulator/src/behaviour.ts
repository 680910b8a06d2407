import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { jsonAtStart } from "./core/asked-calls.ts";

const count = (maximum = 1_000_000, minimum = 0) => Type.Optional(Type.Integer({ minimum, maximum }));
const flag = Type.Optional(Type.Boolean());
const word = Type.Optional(Type.String());
const calls = Type.Optional(
  Type.Array(
    Type.Object({
      name: Type.String(),
      arguments: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]),
    }),
    { maxItems: 128 },
  ),
);
const dayMs = 86_400_000;

/**
 * Form of a simulated vendor's answer to one request: its faults and shapes, all bounded; `{}` is a good answer. The README
 * says what each member does.
 */
export const Behaviour = Type.Object(
  {
    delayMs: count(600_000),
    clockOffMs: count(dayMs, -dayMs),
    closeBeforeHead: flag,
    status: count(599, 400),
    errorCode: word,
    errorMessage: word,
    retryAfter: word,
    malformed: flag,
    text: word,
    reply: word,
    reasoning: word,
    redactedReasoning: flag,
    refusal: flag,
    image: flag,
    bodyBytes: count(64 * 1024 * 1024),
    chunks: count(),
    chunkDelayMs: count(60_000),
    cutAfterChunks: count(),
    stallAfterChunks: count(),
    errorAfterChunks: count(),
    openWith: Type.Optional(Type.Enum(["silence", "garbage", "error", "close"])),
    closeCode: count(4_999, 1_000),
    splitBytes: count(1 << 20, 1),
    crlf: flag,
    comments: flag,
    noDone: flag,
    usage: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())])),
    finishReason: word,
    finish: word,
    toolCalls: calls,
    tools: calls,
    looks: count(),
    taskError: word,
    expired: flag,
    closeAfterAccept: flag,
    repeat: flag,
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
