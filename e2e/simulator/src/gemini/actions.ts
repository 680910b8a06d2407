import { listAt, memberOf, numberAt } from "../checks/members.ts";
import { requireShape, Refusal } from "../checks/refusal.ts";
import { answerFor } from "../core/answer.ts";
import { questionFrom } from "../core/question.ts";
import { vectorOf } from "../core/vector.ts";
import type { ParsedRequest } from "../vendor.ts";
import { readGenerate, textOf } from "./read.ts";
import { renderGenerated, streamGenerated } from "./render.ts";
import { batchEmbedShape, countShape, embedShape } from "./shape.ts";

/** Reads a request in camelCase: to `generateContent`, or with `streamQuery` to `streamGenerateContent`. */
export function openGenerate(body: unknown, model: string, streamQuery?: URLSearchParams): ParsedRequest {
  const parsed = readGenerate(body, model);
  const framing = streamQuery?.get("alt") === "sse" ? "crlf" : "array";
  return {
    directive: parsed.question.directive,
    whole: (behaviour) => renderGenerated(parsed, answerFor(parsed.question, behaviour), behaviour),
    streamed:
      streamQuery &&
      ((behaviour) => streamGenerated(parsed, answerFor(parsed.question, behaviour), behaviour, framing)),
  };
}

/** Parses a `countTokens` request with contents or with a complete request. */
export function countTokens(body: unknown, model: string): ParsedRequest {
  requireShape(body, countShape);
  const request = memberOf(body, "generateContentRequest") ?? undefined;
  const contents = listAt(request ?? body, "contents");
  if (contents.length === 0)
    throw new Refusal(400, "There are no contents.", { path: ["contents"], problem: "missing" });
  const texts = [textOf(memberOf(request, "systemInstruction")), ...contents.map(textOf)];
  const { promptTokens, directive } = questionFrom(model, texts);
  return {
    directive,
    whole: () => ({
      totalTokens: promptTokens,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokens }],
    }),
  };
}

const defaultDimensions = 3_072;

const vectorFor = (request: unknown): object => ({
  values: vectorOf(
    textOf(memberOf(request, "content")),
    numberAt(request, "outputDimensionality") ?? defaultDimensions,
  ),
});

/** Parses an embedding request for one content. */
export function embedContent(body: unknown, model: string): ParsedRequest {
  requireShape(body, embedShape);
  const { directive } = questionFrom(model, [textOf(memberOf(body, "content"))]);
  return { directive, whole: () => ({ embedding: vectorFor(body) }) };
}

/** Parses an embedding request for several contents. A directive is read only from the last content. */
export function batchEmbedContents(body: unknown, model: string): ParsedRequest {
  requireShape(body, batchEmbedShape);
  const requests = listAt(body, "requests");
  const { directive } = questionFrom(model, [textOf(memberOf(requests.at(-1), "content"))]);
  return { directive, whole: () => ({ embeddings: requests.map(vectorFor) }) };
}
