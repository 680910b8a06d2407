import { rankingWires, type Price } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { costliestTokens, estimateTokens, readJson, type Measure, type RequestSize } from "@modelgate/relay";
import type { UnstreamedVendor } from "@modelgate/wires/kind";
import { countSearches, measureInput, wires, type RankingAnswer, type RankingRequest } from "@modelgate/wires/ranking";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { UnstreamedKind } from "../unstreamed-kind.ts";
import { withStoreUse } from "../vendor-ids.ts";

/** POST /v1/rerank. */
export function rerank(deps: Deps): EndpointHandler {
  return rankingHandler(deps, wires["jina-rerank"]);
}

/** POST /v2/rerank, of Cohere's clients. */
export function cohereRerank(deps: Deps): EndpointHandler {
  return rankingHandler(deps, wires["cohere-rerank"]);
}

function rankingHandler(deps: Deps, clientWire: (typeof wires)[keyof typeof wires]): EndpointHandler {
  const { client } = clientWire;
  const kind = new UnstreamedKind<RankingRequest, RankingAnswer, UnstreamedVendor<RankingRequest, RankingAnswer>>({
    wire: clientWire,
    // The client's wire comes first.
    wires: rankingWires.toSorted((left, right) => Number(right === clientWire.name) - Number(left === clientWire.name)),
    vendorOf: (name) => vendorWire(wires, name).vendor,
    measureInput,
    measure: (request, size, price) => measureOf(countSearches(request), size, price),
  });
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      withStoreUse(deps, plainDialect, (value) => client.read(value)),
      client.inspectedMembers,
    );
    await kind.run(deps, call, body);
  };
}

/** Returns the measure of a ranking: tokens and search units, as the vendor reports them. */
function measureOf(
  searches: ReturnType<typeof countSearches>,
  { textBytes, mediaTokens }: RequestSize,
  price: Price,
): Measure {
  const inputTokens = estimateTokens(textBytes) + mediaTokens;
  return {
    upper: { ...costliestTokens({ input: textBytes + mediaTokens, output: 0 }, price), requests: searches.max },
    floor: { inputTokens, requests: searches.usual },
    meter: (reported) =>
      Promise.resolve({
        units: { requests: searches.usual, ...(reported ?? { inputTokens }) },
        estimated: reported === undefined,
      }),
  };
}
