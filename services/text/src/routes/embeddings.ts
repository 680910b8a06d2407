import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { endUserIn } from "@modelgate/wires/json";
import { vectorsWires, type UpstreamWire, type VectorsWire } from "@modelgate/contracts";
import { vectorsExchange } from "../exchanges/vectors.ts";
import type { Ask } from "@modelgate/wires/kind";
import {
  askOfBatchEmbedContents,
  askOfCohereEmbed,
  askOfEmbedContent,
  askOfEmbeddings,
  askOfOllamaEmbed,
  cohereEmbedCodec,
  ollamaEmbedCodec,
  reliedOfCohereEmbed,
  reliedOfOllamaEmbed,
  batchEmbedContentsCodec,
  embedContentCodec,
  embeddingsCodec,
  reliedOfContentEmbeddings,
  reliedOfEmbeddings,
  type ClientVectorsCodec,
  type VectorsRequest,
} from "@modelgate/wires/vectors";
import { textCodecs } from "@modelgate/wires/text";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import type { Deps } from "../deps.ts";
import { runKind } from "../kind-call.ts";
import { withStoreUse } from "../vendor-ids.ts";
import { modelIn } from "./generate-content.ts";

/** POST /v1/embeddings, and POST /v1/engines/{model}/embeddings (interface endpoints 8 and 9). */
export function embeddings(deps: Deps): EndpointHandler {
  return vectors(deps, embeddingsCodec, reliedOfEmbeddings, (value, { params }) =>
    askOfEmbeddings(value, { model: params["model"] }),
  );
}

/** POST /v1beta/models/{model}:embedContent. */
export function embedContent(deps: Deps): EndpointHandler {
  return vectors(deps, embedContentCodec, reliedOfContentEmbeddings, (value, call) =>
    askOfEmbedContent(value, { model: modelIn(call) }),
  );
}

/** POST /v1beta/models/{model}:batchEmbedContents. */
export function batchEmbedContents(deps: Deps): EndpointHandler {
  return vectors(deps, batchEmbedContentsCodec, reliedOfContentEmbeddings, (value, call) =>
    askOfBatchEmbedContents(value, { model: modelIn(call) }),
  );
}

/** POST /v2/embed, of Cohere's clients. */
export function cohereEmbed(deps: Deps): EndpointHandler {
  return vectors(deps, cohereEmbedCodec, reliedOfCohereEmbed, askOfCohereEmbed);
}

/** POST /api/embed, of Ollama's clients. */
export function ollamaEmbed(deps: Deps): EndpointHandler {
  return vectors(deps, ollamaEmbedCodec, reliedOfOllamaEmbed, askOfOllamaEmbed);
}

function vectors(
  deps: Deps,
  client: ClientVectorsCodec,
  relied: readonly string[],
  inspect: (value: unknown, call: ServiceCall) => Ask<VectorsRequest>,
): EndpointHandler {
  const isContent = client.wire === "content-embeddings";
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      checked(
        withStoreUse(deps, isContent ? textCodecs.content.client.stores : plainDialect, (value) => ({
          ...inspect(value, call),
          endUser: isContent ? undefined : endUserIn(value),
        })),
        relied,
      ),
    );
    await runKind(deps, call, {
      ask: body.seen,
      body: body.bytes,
      endUser: body.seen.endUser,
      wires: isContent ? contentFirst : vectorsWires,
      exchange: (wire, asked, upstreamModel) => vectorsExchange(asked, client, vectorsWireOf(wire), upstreamModel),
    });
  };
}

/** The wires of vendors, best first for clients of the content wire. */
const contentFirst = [...vectorsWires].sort(
  (left, right) => Number(right === "content-embeddings") - Number(left === "content-embeddings"),
);

function vectorsWireOf(wire: UpstreamWire): VectorsWire {
  const found = vectorsWires.find((each) => each === wire);
  if (found === undefined) throw new Error(`${wire} is not a wire of vectors`);
  return found;
}
