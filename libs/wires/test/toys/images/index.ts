import type { ImagesVendor } from "../../../src/images/index.ts";
import type { Wire } from "../../../src/wire.ts";

export const toy = {
  name: "toy",
  vendor: {
    render: ({ prompt }) => ({ body: { draw: prompt }, dropped: [] }),
    parse: ({ at }) => ({ images: [{ url: String(at) }] }),
  },
} as const satisfies Wire<ImagesVendor>;
