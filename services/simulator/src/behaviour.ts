import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";

const count = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

/** How a simulated vendor answers one request: its faults and shapes, all bounded. `{}` is a good answer. */
export const Behaviour = Type.Object(
  {
    delayMs: count(600_000, "silence before the head"),
    closeBeforeHead: Type.Optional(Type.Boolean({ description: "the connection is reset instead of answered" })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, description: "answer with this error status" })),
    errorCode: Type.Optional(Type.String({ description: "code in the error body" })),
    errorMessage: Type.Optional(Type.String({ description: "message in the error body" })),
    retryAfter: Type.Optional(Type.String({ description: "value of the retry-after header" })),
    malformed: Type.Optional(Type.Boolean({ description: "200 with something that is no JSON" })),
    text: Type.Optional(Type.String({ description: "the answer's words" })),
    bodyBytes: count(64 * 1024 * 1024, "length of the answer's words, instead of text"),
    chunks: count(1_000_000, "content chunks of a stream"),
    chunkDelayMs: count(60_000, "silence before each content chunk"),
    cutAfterChunks: count(1_000_000, "the connection is cut after so many content chunks"),
    stallAfterChunks: count(1_000_000, "the stream falls silent after so many content chunks"),
    errorAfterChunks: count(1_000_000, "an error frame after so many content chunks"),
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
        description: "the usage object; null: none is reported",
      }),
    ),
    finishReason: Type.Optional(Type.String()),
    toolCalls: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), arguments: Type.String() }), {
        maxItems: 128,
        description: "answer with these calls",
      }),
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
  const [first] = shape.Errors(value).filter(({ keyword }) => keyword !== "boolean");
  return { wrong: first === undefined ? "not a behaviour" : `${first.instancePath} ${first.message}` };
}

const directive = /\{\{simulate:\s*(\{[\s\S]*?\})\s*\}\}/;

/** The behaviour that a message's words ask for: `{{simulate: {"delayMs": 500}}}`. */
export function directiveIn(text: string): { readonly behaviour: Behaviour } | { readonly wrong: string } | undefined {
  const match = directive.exec(text);
  if (match === null) return undefined;
  try {
    return checkBehaviour(JSON.parse(match[1] ?? ""));
  } catch {
    return { wrong: "the directive is not valid JSON" };
  }
}

/** A message without its directive. */
export function withoutDirective(text: string): string {
  return text.replace(directive, "").trim();
}
