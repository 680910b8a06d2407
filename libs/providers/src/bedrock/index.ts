import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { addressOf, addressProblem } from "./address.ts";
import { bodyOf } from "./body.ts";
import { chainKey } from "./credentials.ts";
import { failureOf } from "./failures.ts";
import { invokedStream } from "./reframe.ts";
import { sign } from "./sign.ts";
import type { Provider } from "../provider.ts";
import { requestTo } from "../request.ts";

/** Amazon Bedrock: models of many vendors. The address contains the region. */
export const bedrock: Provider = {
  name: "bedrock",
  title: "Amazon Bedrock",
  baseUrl: "https://bedrock-runtime.${AWS_REGION}.amazonaws.com",
  defaultKey: chainKey,
  pricesAs: "aws",
  wires: ["messages", "converse", "cohere-rerank", "cohere-embeddings", "titan-embeddings"],
  wiresAt: (_, model) => wiresOfModel(model),
  baseUrlQuery: true,
  addressProblem,
  request(call) {
    if (call.act !== "answer")
      throw new Failure("upstream_error", "The vendor of this model has no tasks or sessions.");
    // No header or query of the client is sent. Bedrock reads the names of betas only in the body (`bodyOf`).
    const plain = { ...call, body: bodyOf(call), headers: undefined, query: undefined };
    return requestTo(addressOf(call), plain, call.stream ? { accept: "*/*" } : {});
  },
  sign,
  reframing: (wire) => (wire === "messages" ? invokedStream : undefined),
  failureOf,
};

/** Wires by model name. A name is `anthropic.claude-…`, a profile (`us.…`), or an ARN. */
const wiresByModelPattern: readonly (readonly [RegExp, readonly UpstreamWire[]])[] = [
  // The messages wire is first, because it can express all fields of Claude's clients.
  [/(?:^|[./])anthropic\./, ["messages", "converse"]],
  [/(?:^|[./])(?:cohere|amazon)\.rerank/, ["cohere-rerank"]],
  [/(?:^|[./])cohere\.embed/, ["cohere-embeddings"]],
  [/(?:^|[./])amazon\.titan-embed-(?:text|g1)/, ["titan-embeddings"]],
];

/** The ARN of a profile does not contain the name of the model's vendor. */
const defaultWires: readonly UpstreamWire[] = ["converse"];

function wiresOfModel(model: string): readonly UpstreamWire[] {
  return wiresByModelPattern.find(([pattern]) => pattern.test(model))?.[1] ?? defaultWires;
}
