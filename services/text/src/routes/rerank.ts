import { rankingWires, type Price } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { checked, dearestTokens, estimateTokens, readJson, type Measure, type RequestSize } from "@modelgate/relay";
import { kindExchange } from "../exchanges/kind.ts";
import {
  askOfCohereRerank,
  askOfRerank,
  cohereCodec,
  jinaCodec,
  reliedOfRerank,
  searchesOf,
} from "@modelgate/wires/ranking";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import type { Deps } from "../deps.ts";
import { runKind } from "../kind-call.ts";
import { withStoreUse } from "../vendor-ids.ts";

/** POST /v1/rerank (interface endpoint 10). */
export function rerank(deps: Deps): EndpointHandler {
  return ranking(deps, jinaCodec, askOfRerank);
}

/** POST /v2/rerank, of Cohere's clients. */
export function cohereRerank(deps: Deps): EndpointHandler {
  return ranking(deps, cohereCodec, askOfCohereRerank);
}

function ranking(deps: Deps, client: typeof jinaCodec, look: typeof askOfRerank): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, checked(withStoreUse(deps, plainDialect, look), reliedOfRerank));
    await runKind(deps, call, {
      ask: body.seen,
      body: body.bytes,
      // The client's own wire is best.
      wires: rankingWires.toSorted((left, right) => Number(right === client.wire) - Number(left === client.wire)),
      measure: (size, price) => measureOf(searchesOf(body.seen.request), size, price),
      exchange: (wire, asked, upstreamModel) =>
        kindExchange(asked, client, wire === "cohere-rerank" ? cohereCodec : jinaCodec, upstreamModel),
    });
  };
}

/**
 * Ranking is paid for by its tokens, and by the searches that it counts as: as its vendor reports them, else one for a
 * hundred documents.
 */
function measureOf(
  searches: ReturnType<typeof searchesOf>,
  { textBytes, mediaTokens }: RequestSize,
  price: Price,
): Measure {
  const inputTokens = estimateTokens(textBytes) + mediaTokens;
  return {
    upper: { ...dearestTokens({ input: textBytes + mediaTokens, output: 0 }, price), requests: searches.most },
    floor: { inputTokens, requests: searches.usual },
    meter: (reported) =>
      Promise.resolve({
        units: { requests: searches.usual, ...(reported ?? { inputTokens }) },
        estimated: reported === undefined,
      }),
  };
}
