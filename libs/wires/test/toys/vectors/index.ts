import type { UnstreamedWire } from "../../../src/kind/index.ts";
import type { VectorsAnswer, VectorsRequest, VectorsVendor } from "../../../src/vectors/index.ts";
import { listIn, usageIn } from "../read.ts";

/** A request has at most two texts. */
export const toy = {
  name: "toy",
  vendor: {
    maxInputs: () => 2,
    render: ({ inputs }, { model }) => ({ body: { who: model, n: inputs.length }, dropped: [] }),
    parse: ({ points }) => ({ vectors: listIn(points).map((each) => ({ floats: [Number(each)] })) }),
    usage: usageIn,
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;
