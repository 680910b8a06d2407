import { bytesOfTexts, type Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { measurePart } from "../../text/content/media.ts";
import { mediaOf, measureTypedPart, type Media } from "../../text/media.ts";
import type { JsonRecord } from "../../json/fields.ts";
import type { VectorContent, VectorsRequest } from "./request.ts";

/** What admission must know of a request for vectors, whatever its wire. Vectors are no output tokens. */
export function askOfVectors({ request, dropped }: ParsedRequest<VectorsRequest>): Ask<VectorsRequest> {
  const texts = request.inputs.flatMap(({ content, title }) => [
    ...textsOf(content),
    ...(title === undefined ? [] : [title]),
  ]);
  const media = request.inputs.map(({ content }) => measured(content)).reduce(added, { characters: 0, tokens: 0 });
  return {
    model: request.model,
    textBytes: Math.max(0, bytesOfTexts(texts) - media.characters),
    media,
    maxOutputTokens: 0,
    request,
    dropped,
  };
}

function textsOf(content: VectorContent): readonly string[] {
  if (content.kind === "text") return [content.text];
  return content.kind === "own" ? [JSON.stringify(content.value)] : [];
}

/** Measures a part of a content in either wire. */
function measureAny(part: JsonRecord): Media | undefined {
  return measureTypedPart(part) ?? measurePart(part);
}

function measured(content: VectorContent): Media {
  if (content.kind === "tokens") return { characters: 0, tokens: content.tokens.length };
  return content.kind === "own" ? mediaOf([[content.value]], measureAny) : { characters: 0, tokens: 0 };
}

function added(left: Media, right: Media): Media {
  return { characters: left.characters + right.characters, tokens: left.tokens + right.tokens };
}
