import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import { type UnstreamedWire, renderAdditionalMembers } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import type { Rendered } from "../../wire.ts";
import { taskTypes } from "../content/index.ts";
import { plainTexts, type VectorsRequest } from "../hub/request.ts";
import { floatsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";

/** Maximum number of texts in one request: of most models, and of Gemini's models. */
const [maxTexts, maxOfGemini] = [250, 1];

/** Embeddings of Google Cloud's Vertex AI (:predict). */
export const predict = {
  name: "predict-embeddings",
  vendor: {
    maxInputs: (model) => (model.startsWith("gemini-") ? maxOfGemini : maxTexts),
    render: renderRequest,
    parse: (body) => ({
      vectors: predictionsIn(body).map((each) => ({ floats: floatsIn(memberOf(each["embeddings"], "values")) })),
    }),
    usage: readUsage,
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function renderRequest(request: VectorsRequest): Rendered {
  const { inputs, dimensions, additional, user } = request;
  const texts = plainTexts(request);
  const instances = inputs.map(({ task, title }, index) =>
    withoutUndefined({ content: texts[index], task_type: task === undefined ? undefined : taskTypes[task], title }),
  );
  const body = withoutUndefined({ instances, parameters: dimensions && { outputDimensionality: dimensions } });
  return { body, dropped: renderAdditionalMembers(additional, "predict-embeddings", { user }).dropped };
}

function readUsage(body: JsonRecord): Units | undefined {
  const counts = predictionsIn(body).map((each) =>
    parseCount(memberOf(memberOf(each["embeddings"], "statistics"), "token_count")),
  );
  const reported = counts.filter((count) => count !== undefined);
  return reported.length < counts.length ? undefined : { inputTokens: reported.reduce((sum, count) => sum + count, 0) };
}

function predictionsIn({ predictions }: JsonRecord): readonly JsonRecord[] {
  if (Array.isArray(predictions) && predictions.length > 0 && predictions.every(isRecord)) return predictions;
  throw new Failure("upstream_error", "The vendor's answer has no vector.");
}
