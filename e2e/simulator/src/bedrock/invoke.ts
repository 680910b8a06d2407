import { openMessages } from "../anthropic/open.ts";
import { bedrockPlatform } from "../anthropic/tool-types.ts";
import { isRecord, listAt, numberAt, textAt } from "../checks/members.ts";
import { requireShape, Refusal } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { embedAsCohere, embedAsTitan } from "./embed.ts";
import { questionFrom } from "../core/question.ts";
import { rank } from "../core/relevance.ts";
import type { Frame, Streamed } from "../stream.ts";
import type { ParsedRequest } from "../vendor.ts";

const version = "bedrock-2023-05-31";

/** Reads a request in the format of its model. */
export function invoke(body: unknown, model: string, stream: boolean): ParsedRequest {
  if (/(?:^|[./])anthropic\./.test(model)) return invokeClaude(body, model, stream);
  if (/(?:^|[./])(?:cohere|amazon)\.rerank/.test(model)) return rerank(body, model);
  if (/(?:^|[./])cohere\.embed/.test(model)) return embedAsCohere(body, model);
  if (/(?:^|[./])amazon\.titan-embed/.test(model)) return embedAsTitan(body, model);
  throw new Refusal(400, "The provided model identifier is invalid.");
}

/** Reads a request to Claude. The path names the model. The body has the version and the beta features. */
function invokeClaude(body: unknown, model: string, stream: boolean): ParsedRequest {
  if (!isRecord(body)) throw new Refusal(400, "Malformed input request, please reformat your input and try again.");
  const { anthropic_version: anthropicVersion, anthropic_beta: betas, ...request } = body;
  if (anthropicVersion !== version) throw new Refusal(400, `anthropic_version: Input should be '${version}'`);
  for (const name of ["model", "stream"])
    if (Object.hasOwn(request, name)) throw new Refusal(400, `${name}: Extra inputs are not permitted`);
  const headers = Array.isArray(betas) ? { "anthropic-beta": betas.join(",") } : {};
  const { streamed, ...understood } = openMessages({ ...request, model }, headers, stream, bedrockPlatform);
  return { ...understood, streamed: streamed && ((behaviour) => inAmazonFrames(streamed(behaviour))) };
}

/** Encodes events in Base64 in Amazon's frames. */
function inAmazonFrames({ frames }: Streamed): Streamed {
  return {
    framing: "amazon",
    frames: chunksOf(frames),
    error: (message) => ({ event: "modelStreamErrorException", data: JSON.stringify({ message }), isFailure: true }),
  };
}

async function* chunksOf(frames: Streamed["frames"]): AsyncGenerator<Frame> {
  for await (const { data, content, last } of frames)
    yield {
      event: "chunk",
      data: JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abcdefgh" }),
      ...(content === undefined ? {} : { content }),
      ...(last === undefined ? {} : { last }),
    };
}

const amazonShape = shapeOf("{ query: filled, documents: string[1..1000], top_n?: integer(1) }");
const cohereShape = shapeOf(`{
  query: filled, documents: string[1..1000], api_version: integer(2, 2), top_n?: integer(1), max_tokens_per_doc?: integer(1)
}`);

function rerank(body: unknown, model: string): ParsedRequest {
  requireShape(body, model.includes("cohere.") ? cohereShape : amazonShape);
  const documents = listAt(body, "documents").map(String);
  const { words, directive } = questionFrom(model, [textAt(body, "query") ?? ""]);
  const results = rank(words, documents, numberAt(body, "top_n"));
  return {
    directive,
    whole: () => ({ results: results.map(({ index, score }) => ({ index, relevance_score: score })) }),
  };
}
