import { Failure, present, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { WholeWire } from "../../kind/index.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { countOf } from "../../text/hub/counts.ts";
import { Unsupported } from "../../text/hub/field-support.ts";
import type { Rendered } from "../../wire.ts";
import { taskWords } from "../content/request.ts";
import { floatsIn, memberIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";
import { plainTexts, type VectorsRequest } from "../hub/request.ts";

/** Maximum of texts in one request: one for Gemini. */
const [maxTexts, maxOfGemini] = [250, 1];

/** Embeddings of Google Cloud's Vertex AI (:predict). */
export const predict = {
  name: "predict-embeddings",
  vendor: {
    maxInputs: (model) => (model.startsWith("gemini-") ? maxOfGemini : maxTexts),
    render: renderRequest,
    parse: (body) => ({
      model: "",
      vectors: predictionsIn(body).map((each) => ({ floats: floatsIn(memberIn(each["embeddings"], "values")) })),
      ...present({ usage: readUsage(body) }),
    }),
    usage: readUsage,
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function renderRequest(request: VectorsRequest): Rendered {
  const texts = plainTexts(request);
  const unsupported = new Unsupported();
  for (const name of renderOwn(request.own, "predict-embeddings").dropped) unsupported.note(name);
  unsupported.noteIf("user", request.user);
  const instances = request.inputs.map(({ task, title }, at) =>
    present({ content: texts[at], task_type: task === undefined ? undefined : taskWords[task], title }),
  );
  const { dimensions } = request;
  const body = present({ instances, parameters: dimensions && { outputDimensionality: dimensions } });
  return { body, dropped: unsupported.words };
}

/** The vendor counts each text. */
function readUsage(body: JsonRecord): Units | undefined {
  const counts = predictionsIn(body).map((each) =>
    countOf(memberIn(memberIn(each["embeddings"], "statistics"), "token_count")),
  );
  const known = counts.filter((count) => count !== undefined);
  return known.length < counts.length ? undefined : { inputTokens: known.reduce((sum, count) => sum + count, 0) };
}

function predictionsIn({ predictions }: JsonRecord): readonly JsonRecord[] {
  if (Array.isArray(predictions) && predictions.length > 0 && predictions.every(isRecord)) return predictions;
  throw new Failure("upstream_error", "The vendor's answer has no vector.");
}
