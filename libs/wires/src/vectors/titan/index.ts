import { withoutUndefined } from "@modelgate/contracts";
import { type UnstreamedWire, renderAdditionalMembers } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Rendered, Target } from "../../wire.ts";
import { optionalFieldsOf, plainTexts, type VectorsRequest } from "../hub/request.ts";
import { floatsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";

/** Models of the first version, whose vectors have a fixed length. */
const fixedLengthModels = /titan-embed-(?:text-v1|g1)/;

/** Amazon's text embeddings, one text per request. */
export const titan = {
  name: "titan-embeddings",
  vendor: {
    maxInputs: () => 1,
    render: renderRequest,
    parse: ({ embedding }) => ({ vectors: [{ floats: floatsIn(embedding) }] }),
    usage({ inputTextTokenCount }) {
      const inputTokens = parseCount(inputTextTokenCount);
      return inputTokens === undefined ? undefined : { inputTokens };
    },
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function renderRequest(request: VectorsRequest, { model }: Target): Rendered {
  const [inputText, ...others] = plainTexts(request);
  if (inputText === undefined || others.length > 0)
    throw unsupportedFailure("inputs", "The vendor of this model accepts one text per request.");
  const { dimensions } = request;
  if (dimensions !== undefined && fixedLengthModels.test(model)) throw unsupportedFailure("dimensions");
  const { dropped } = renderAdditionalMembers(request.additional, "titan-embeddings", optionalFieldsOf(request));
  return { body: withoutUndefined({ inputText, dimensions }), dropped };
}
