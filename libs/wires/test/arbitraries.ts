import fc from "fast-check";
import { Failure, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Choice, TextAnswer } from "../src/text/hub/answer.ts";
import type { Part, Signature, Source } from "../src/text/hub/part.ts";
import type { TextRequest, TextWireName, Turn } from "../src/text/hub/request.ts";

/** Text of the neutral form. All generators in this file draw only values that survive a round trip through a wire. */
export const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/);
export const id = fc.stringMatching(/^call_[a-z0-9]{8}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"));

/** Generates objects in which each member may be missing. */
export const record = (model: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(model, { requiredKeys: [] });

export const json: fc.Arbitrary<JsonRecord> = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })
  // JSON cannot express negative zero.
  .map((value) => JSON.parse(JSON.stringify(value)));

export const signatureWith = (wire: TextWireName, kind: string): fc.Arbitrary<Signature> =>
  base64.map((value) => ({ wire, kind, value }));

export const imageBytes: fc.Arbitrary<Source> = fc.record({
  kind: fc.constant("base64"),
  mediaType: fc.constantFrom("image/png", "image/jpeg"),
  data: base64,
});
export const fileBytes: fc.Arbitrary<Source> = fc.record({
  kind: fc.constant("base64"),
  mediaType: fc.constantFrom("application/pdf", "text/plain"),
  data: base64,
});

export const textPart: fc.Arbitrary<Part> = word.map((text) => ({ kind: "text", text }));
export const jsonText = json.map((value) => JSON.stringify(value));

/** Joins adjacent turns of one role, because wires divide turns differently. */
export function merged(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn["role"]; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}

/** Generates a conversation with calls and their results. */
export const dialogue = (
  userPart: fc.Arbitrary<Part>,
  modelPart: fc.Arbitrary<Part>,
  call: fc.Arbitrary<Extract<Part, { kind: "tool-call" }>>,
  resultParts: fc.Arbitrary<Extract<Part, { kind: "tool-result" }>["parts"]>,
): fc.Arbitrary<readonly Turn[]> =>
  fc
    .array(
      fc.record({
        user: fc.array(userPart, { minLength: 1, maxLength: 3 }),
        model: fc.array(modelPart, { maxLength: 3 }),
        calls: fc.array(fc.tuple(call, resultParts), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((rounds) => {
      let count = 0;
      return rounds.flatMap(({ user, model, calls }): Turn[] => {
        const numberedCalls = calls.map(([part, parts]) => ({ part: { ...part, id: `${part.id}${count++}` }, parts }));
        const answers = numberedCalls.map(({ part, parts }) => ({
          kind: "tool-result" as const,
          callId: part.id,
          name: part.name,
          parts,
          ...(part.custom === true ? { custom: true } : {}),
        }));
        const modelParts: Part[] = [...model, ...numberedCalls.map(({ part }) => part)];
        return [
          { role: "user", parts: user },
          ...(modelParts.length > 0 ? [{ role: "assistant" as const, parts: modelParts }] : []),
          ...(answers.length > 0 ? [{ role: "user" as const, parts: answers }] : []),
        ];
      });
    });

export const functionTool = fc
  .record(
    {
      name,
      description: word,
      parameters: fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(name, fc.record({ type: fc.constantFrom("string", "number") }), {
          minKeys: 1,
          maxKeys: 2,
          noNullPrototype: true,
        }),
      }),
    },
    { requiredKeys: ["name"] },
  )
  .map((tool) => ({ kind: "function" as const, ...tool }));

export const functionCall: fc.Arbitrary<Extract<Part, { kind: "tool-call" }>> = fc.record({
  kind: fc.constant("tool-call"),
  id,
  name,
  arguments: jsonText,
});

export const customCall = functionCall.map((call) => ({ ...call, custom: true }));

/** Image without `detail`, whose type can be detected from its bytes. */
export const plainImage: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("image"), source: imageBytes });

export const detailedImage: fc.Arbitrary<Part> = fc.oneof(
  plainImage,
  fc.record({ kind: fc.constant("image" as const), source: imageBytes, detail: fc.constantFrom("low", "high") }),
);

export const refusal: fc.Arbitrary<Part> = word.map((text) => ({ kind: "refusal", text }));

export function numbered(parts: readonly Part[]): readonly Part[] {
  return parts.map((part, index) => ("id" in part ? { ...part, id: `${part.id}${index}` } : part));
}

/** Wires with refusal parts end with "refused" instead of "stop". */
export function endedByRefusal(whole: TextAnswer): TextAnswer {
  const [choice] = whole.choices;
  const refused = choice?.parts.some(({ kind }) => kind === "refusal") === true && choice.finish === "stop";
  return refused && choice !== undefined ? { ...whole, choices: [{ ...choice, finish: "refused" }] } : whole;
}

/** Generates the usage of a vendor that reports cached and reasoning tokens. */
export const units: fc.Arbitrary<Units> = fc
  .record({ input: fc.integer({ min: 1, max: 9999 }), cached: fc.nat(999), output: fc.nat(999), thoughts: fc.nat(99) })
  .map(({ input, cached, output, thoughts }) => ({
    inputTokens: input,
    outputTokens: output + thoughts,
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(thoughts > 0 ? { reasoningTokens: thoughts } : {}),
  }));

export const sampling = { temperature: fc.constantFrom(0, 0.5, 1), topP: fc.constantFrom(0.1, 1) };

export const answer = (parts: fc.Arbitrary<readonly Part[]>, finish: fc.Arbitrary<Choice["finish"]>) =>
  fc
    .record({ parts, finish, usage: fc.option(units, { nil: undefined }) })
    .map(({ parts, finish, usage }): TextAnswer => ({
      id: "resp_abc",
      model: "mine",
      createdAt: 0,
      choices: [
        {
          parts,
          finish: parts.some(({ kind }) => kind === "tool-call") && finish === "stop" ? "tool-calls" : finish,
        },
      ],
      ...(usage === undefined ? {} : { usage }),
    }));

export const request = (
  turns: fc.Arbitrary<readonly Turn[]>,
  fields: fc.Arbitrary<Partial<TextRequest>>,
): fc.Arbitrary<TextRequest> =>
  fc
    .record({ turns, fields, instructions: fc.array(word, { maxLength: 2 }), stream: fc.boolean() })
    .map(({ turns, fields, instructions, stream }) => ({
      model: "theirs",
      stream,
      instructions: instructions.map((text) => ({ kind: "text" as const, text })),
      turns,
      ...fields,
    }));

export function failureOf(call: () => unknown): Failure {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}
