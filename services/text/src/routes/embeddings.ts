import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { readJson, usageOfAll, type NonEmptyList } from "@modelgate/relay";
import { readEndUser } from "@modelgate/formats/json";
import { withoutUndefined, vectorsWires } from "@modelgate/contracts";
import type { UnstreamedClient } from "@modelgate/wires/kind";
import {
  measureInput,
  wires,
  type VectorsAnswer,
  type VectorsRequest,
  type VectorsVendor,
} from "@modelgate/wires/vectors";
import { wires as textWires } from "@modelgate/wires/text";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire, type RequestPath } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { UnstreamedKind } from "../unstreamed-kind.ts";
import { withStoreUse } from "../vendor-ids.ts";
import { modelIn } from "./generate-content.ts";

/** POST /v1/embeddings, and POST /v1/engines/{model}/embeddings. */
export function embeddings(deps: Deps): EndpointHandler {
  return embeddingsHandler(deps, wires.embeddings, ({ params }) => ({ model: params["model"] }));
}

/** POST /v1beta/models/{model}:embedContent. */
export function embedContent(deps: Deps): EndpointHandler {
  return embeddingsHandler(deps, wires["embed-content"], (call) => ({ model: modelIn(call) }));
}

/** POST /v1beta/models/{model}:batchEmbedContents. */
export function batchEmbedContents(deps: Deps): EndpointHandler {
  return embeddingsHandler(deps, wires["content-embeddings"], (call) => ({ model: modelIn(call) }));
}

/** POST /v2/embed, of Cohere's clients. */
export function cohereEmbed(deps: Deps): EndpointHandler {
  return embeddingsHandler(deps, wires["cohere-embeddings"]);
}

/** POST /api/embed, of Ollama's clients. */
export function ollamaEmbed(deps: Deps): EndpointHandler {
  return embeddingsHandler(deps, wires["ollama-embed"]);
}

/** A wire for embeddings that clients use. */
type VectorsClientWire = {
  readonly name: string;
  readonly client: UnstreamedClient<VectorsRequest, VectorsAnswer>;
};

function embeddingsHandler(
  deps: Deps,
  wire: VectorsClientWire,
  pathOf: (call: ServiceCall) => RequestPath = () => ({}),
): EndpointHandler {
  const { client } = wire;
  const isContent = wire.name === "content-embeddings" || wire.name === "embed-content";
  const kind = new UnstreamedKind<VectorsRequest, VectorsAnswer, VectorsVendor>({
    wire,
    wires: isContent ? contentFirst : vectorsWires,
    vendorOf: (name) => vendorWire<VectorsVendor>(wires, name).vendor,
    batches: { split: splitInputs, join: joinAnswers },
    measureInput,
  });
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      withStoreUse(deps, isContent ? textWires.content.client.stores : plainDialect, (value) => ({
        ...client.read(value, pathOf(call)),
        endUser: isContent ? undefined : readEndUser(value),
      })),
      client.inspectedMembers,
    );
    await kind.run(deps, call, body);
  };
}

/** Wires of vendors, best first for clients of the Gemini wire. */
const contentFirst = [...vectorsWires].sort(
  (left, right) => Number(right === "content-embeddings") - Number(left === "content-embeddings"),
);

/** Splits the inputs into requests that the vendor accepts. */
function splitInputs(request: VectorsRequest, vendor: VectorsVendor, model: string): NonEmptyList<VectorsRequest> {
  const { inputs } = request;
  const maxInputs = vendor.maxInputs(model);
  const [first, ...more] = Array.from({ length: Math.ceil(inputs.length / maxInputs) }, (_, index) => ({
    ...request,
    inputs: inputs.slice(index * maxInputs, (index + 1) * maxInputs),
  }));
  return [first ?? request, ...more];
}

function joinAnswers(answers: NonEmptyList<VectorsAnswer>): VectorsAnswer {
  return withoutUndefined({ vectors: answers.flatMap(({ vectors }) => vectors), usage: usageOfAll(answers) });
}
