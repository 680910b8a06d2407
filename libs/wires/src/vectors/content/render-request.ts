import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { VectorContent, VectorInput, VectorsRequest } from "../hub/request.ts";
import { taskWords } from "./tasks.ts";

interface Target {
  readonly model: string;
}

/** Texts that the vendor takes in one call of :batchEmbedContents. */
export const mostInBatch = 100;

/** The body of :embedContent, for exactly one input. Throws Failure unsupported_parameter for more, and for tokens. */
export function renderSingle(request: VectorsRequest, target: Target): RenderedRequest {
  const [input] = request.inputs;
  if (input === undefined || request.inputs.length > 1)
    throw unsupportedFailure("inputs", "The vendor of this model takes one text in a request.");
  return { body: renderInput(input, request, target), dropped: lost(request) };
}

/** The body of :batchEmbedContents, for at most `mostInBatch` inputs. Throws Failure unsupported_parameter for tokens. */
export function renderBatch(request: VectorsRequest, target: Target): RenderedRequest {
  return {
    body: { requests: request.inputs.map((input) => renderInput(input, request, target)) },
    dropped: lost(request),
  };
}

/** How numbers are written is the gateway's to see to; nothing of it is lost. */
function lost({ own, user }: VectorsRequest): readonly string[] {
  const { dropped } = renderOwn(own, "content-embeddings");
  return user === undefined ? dropped : [...dropped, "user"];
}

function renderInput({ content, task, title }: VectorInput, request: VectorsRequest, { model }: Target): JsonRecord {
  return present({
    model: `models/${model}`,
    content: renderContent(content),
    taskType: task === undefined ? undefined : taskWords[task],
    title,
    outputDimensionality: request.dimensions,
  });
}

function renderContent(content: VectorContent): JsonRecord {
  if (content.kind === "text") return { parts: [{ text: content.text }] };
  if (content.kind === "own" && content.wire === "content-embeddings") return content.value;
  throw unsupportedFailure(
    "inputs",
    `The vendor of this model takes text, not ${content.kind === "tokens" ? "tokens" : "this"}.`,
  );
}
