import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { jsonAtStart } from "./core/requested-calls.ts";

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

/** Behaviour of a simulated vendor in one request. The README describes each member. */
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
    reasoning: word,
    redactedReasoning: flag,
    refusal: flag,
    image: flag,
    bodyBytes: count(64 * 1024 * 1024),
    chunks: count(),
    chunkDelayMs: count(60_000),
    cutAfterChunks: count(),
    stallAfterChunks: count(),
    waitFor: word,
    errorAfterChunks: count(),
    openWith: Type.Optional(Type.Enum(["silence", "garbage", "error", "close"])),
    closeCode: count(4_999, 1_000),
    splitBytes: count(1 << 20, 1),
    crlf: flag,
    comments: flag,
    noDone: flag,
    usage: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())])),
    finish: word,
    toolCalls: calls,
    polls: count(),
    taskError: word,
    expired: flag,
    closeAfterAccept: flag,
    repeat: flag,
  },
  { $id: "Behaviour", additionalProperties: false },
);
export type Behaviour = Static<typeof Behaviour>;

const shape = Compile(Behaviour);

/** Checks a behaviour. Returns the first mistake if there is one. */
export function checkBehaviour(value: unknown): { readonly behaviour: Behaviour } | { readonly wrong: string } {
  if (shape.Check(value)) return { behaviour: value };
  // For an unknown member, `Errors` also has an error at the path of that member, which is clearer.
  const [first] = shape.Errors(value).filter(({ keyword }) => keyword !== "additionalProperties");
  if (first === undefined) return { wrong: "not a behaviour" };
  const place = first.instancePath.slice(1).replaceAll("/", ".") || "it";
  return { wrong: `${place} ${first.keyword === "boolean" ? "is not a known field" : first.message}` };
}

const opening = /\{\{simulate:\s*/;

/** Returns the position and the JSON of the directive in a text. */
function findDirective(
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

/** Reads the directive in a message, such as `{{simulate: {"delayMs": 500}}}`. */
export function directiveIn(text: string): { readonly behaviour: Behaviour } | { readonly wrong: string } | undefined {
  const directive = findDirective(text);
  if (directive === undefined) return undefined;
  try {
    return checkBehaviour(JSON.parse(directive.json));
  } catch {
    return { wrong: "the directive is not valid JSON" };
  }
}

/** Returns a message without its directive. */
export function withoutDirective(text: string): string {
  const directive = findDirective(text);
  return (directive === undefined ? text : text.slice(0, directive.start) + text.slice(directive.end)).trim();
}
