import type { UnstreamedWire } from "../../../src/kind/index.ts";
import type { RankingAnswer, RankingRequest } from "../../../src/ranking/hub/index.ts";
import { listIn, usageIn } from "../read.ts";

export const toy = {
  name: "toy",
  vendor: {
    render: ({ query, documents }) => ({ body: { q: query, of: documents }, dropped: [] }),
    parse: ({ order }) => ({
      id: "",
      results: listIn(order).map((index, at) => ({ index: Number(index), score: 1 / (at + 1) })),
    }),
    usage: usageIn,
  },
} as const satisfies UnstreamedWire<RankingRequest, RankingAnswer>;
