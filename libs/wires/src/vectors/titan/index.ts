import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { WholeWire } from "../../kind/index.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { countOf } from "../../text/hub/counts.ts";
import { unsupportedFailure, Unsupported } from "../../text/hub/field-support.ts";
import type { Rendered, Target } from "../../wire.ts";
import { floatsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";
import { plainTexts, type VectorsRequest } from "../hub/request.ts";

/** The first version has vectors of one length only. */
const ofOneLength = /titan-embed-(?:text-v1|g1)/;

/** Amazon's own text embeddings by InvokeModel: one text a request. */
export const titan = {
  name: "titan-embeddings",
  vendor: {
    maxInputs: () => 1,
    render: renderRequest,
    parse: (body) => {
      const usage = readUsage(body);
      return { model: "", vectors: [{ floats: floatsIn(body["embedding"]) }], ...present({ usage }) };
    },
    usage: readUsage,
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function renderRequest(request: VectorsRequest, { model }: Target): Rendered {
  const [inputText, ...others] = plainTexts(request);
  if (inputText === undefined || others.length > 0)
    throw unsupportedFailure("inputs", "The vendor of this model takes one text in a request.");
  const { dimensions, own, user } = request;
  if (dimensions !== undefined && ofOneLength.test(model)) throw unsupportedFailure("dimensions");
  const unsupported = new Unsupported();
  for (const name of renderOwn(own, "titan-embeddings").dropped) unsupported.note(name);
  for (const { task, title } of request.inputs) {
    unsupported.noteIf("task", task);
    unsupported.noteIf("title", title);
  }
  unsupported.noteIf("user", user);
  return { body: present({ inputText, dimensions }), dropped: unsupported.words };
}

function readUsage({ inputTextTokenCount }: JsonRecord) {
  const inputTokens = countOf(inputTextTokenCount);
  return inputTokens === undefined ? undefined : { inputTokens };
}
