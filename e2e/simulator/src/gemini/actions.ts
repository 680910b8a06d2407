import { listAt, memberOf, numberAt } from "../checks/members.ts";
import { demand, Refusal } from "../checks/refusal.ts";
import { decide } from "../core/answer.ts";
import { questionFrom } from "../core/question.ts";
import { vectorOf } from "../core/vector.ts";
import type { Understood } from "../vendor.ts";
import { readGenerate, wordsOf } from "./read.ts";
import { renderGenerated, streamGenerated } from "./render.ts";
import { batchEmbedShape, countShape, embedShape } from "./shape.ts";

/** `generateContent`; with the query of an address that streams, `streamGenerateContent`. The body is in camelCase. */
export function openGenerate(body: unknown, model: string, streamQuery?: URLSearchParams): Understood {
  const asked = readGenerate(body, model);
  const framing = streamQuery?.get("alt") === "sse" ? "crlf" : "array";
  return {
    directive: asked.question.directive,
    whole: (behaviour) => renderGenerated(asked, decide(asked.question, behaviour), behaviour),
    streamed:
      streamQuery && ((behaviour) => streamGenerated(asked, decide(asked.question, behaviour), behaviour, framing)),
  };
}

/** `countTokens`: of contents alone, or of a whole request. */
export function countTokens(body: unknown, model: string): Understood {
  demand(body, countShape);
  const request = memberOf(body, "generateContentRequest") ?? undefined;
  const contents = listAt(request ?? body, "contents");
  if (contents.length === 0)
    throw new Refusal(400, "There are no contents.", { path: ["contents"], problem: "missing" });
  const said = [wordsOf(memberOf(request, "systemInstruction")), ...contents.map(wordsOf)];
  const { promptTokens, directive } = questionFrom(model, said);
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
    wordsOf(memberOf(request, "content")),
    numberAt(request, "outputDimensionality") ?? defaultDimensions,
  ),
});

/** `embedContent`. */
export function embedContent(body: unknown, model: string): Understood {
  demand(body, embedShape);
  const { directive } = questionFrom(model, [wordsOf(memberOf(body, "content"))]);
  return { directive, whole: () => ({ embedding: vectorFor(body) }) };
}

/** `batchEmbedContents`. */
export function batchEmbedContents(body: unknown, model: string): Understood {
  demand(body, batchEmbedShape);
  const requests = listAt(body, "requests");
  const { directive } = questionFrom(model, [wordsOf(memberOf(requests.at(-1), "content"))]);
  return { directive, whole: () => ({ embeddings: requests.map(vectorFor) }) };
}
