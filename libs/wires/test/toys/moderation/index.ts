import type { UnstreamedWire } from "../../../src/kind/index.ts";
import type { ModerationAnswer, ModerationRequest } from "../../../src/moderation/index.ts";
import { listIn, usageIn } from "../read.ts";

export const toy = {
  name: "toy",
  vendor: {
    render: ({ items }) => ({ body: { n: items.length }, dropped: [] }),
    parse: ({ bad }) => ({
      id: "",
      results: listIn(bad).map((flagged) => ({ flagged: flagged === true, categories: {}, scores: {} })),
    }),
    usage: usageIn,
  },
} as const satisfies UnstreamedWire<ModerationRequest, ModerationAnswer>;
