import { present, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { countOf } from "../../text/hub/counts.ts";
import { Unsupported } from "../../text/hub/unsupported.ts";
import type { AnswerHeaders, VectorsVendorCodec } from "../hub/codec.ts";
import { commonTask, plainTexts } from "../hub/plain-texts.ts";
import type { VectorsRequest, VectorTask } from "../hub/request.ts";
import { memberIn, vectorsIn } from "../hub/vendor-vectors.ts";

/** Texts that the vendor takes in one request. */
const mostTexts = 96;
/** The header in which Amazon says what a model of others read. */
const countHeader = "x-amzn-bedrock-input-token-count";

/** What vectors may be for, in the vendor's words; one must be named. */
const usual = "search_document";
const words: Readonly<Partial<Record<VectorTask, string>>> = {
  query: "search_query",
  document: usual,
  classification: "classification",
  clustering: "clustering",
};

/** Cohere's embeddings (POST /v2/embed), and the same by InvokeModel on Bedrock, where the head has the usage. */
export const cohereEmbeddings: VectorsVendorCodec = {
  wire: "cohere-embeddings",
  mostInputs: () => mostTexts,
  renderRequest,
  parseAnswer(body, headers) {
    const { embeddings } = body;
    const vectors = vectorsIn(Array.isArray(embeddings) ? embeddings : memberIn(embeddings, "float"));
    return { model: "", vectors, ...present({ usage: readUsage(body, headers) }) };
  },
  readUsage,
};

function renderRequest(request: VectorsRequest, { model }: { readonly model: string }): RenderedRequest {
  const task = commonTask(request);
  const unsupported = new Unsupported();
  for (const name of renderOwn(request.own, "cohere-embeddings").dropped) unsupported.note(name);
  for (const { task: each, title } of request.inputs) {
    if (each !== task || (each !== undefined && words[each] === undefined)) unsupported.noteIf("task", each);
    unsupported.noteIf("title", title);
  }
  unsupported.noteIf("user", request.user);
  const body = present({
    model,
    texts: plainTexts(request),
    input_type: (task === undefined ? undefined : words[task]) ?? usual,
    embedding_types: ["float"],
    output_dimension: request.dimensions,
  });
  return { body, dropped: unsupported.words };
}

function readUsage({ meta }: JsonRecord, headers: AnswerHeaders): Units | undefined {
  const inHead = Number(headers[countHeader] ?? Number.NaN);
  const inputTokens =
    countOf(memberIn(memberIn(meta, "billed_units"), "input_tokens")) ??
    (Number.isSafeInteger(inHead) && inHead >= 0 ? inHead : undefined);
  return inputTokens === undefined ? undefined : { inputTokens };
}
