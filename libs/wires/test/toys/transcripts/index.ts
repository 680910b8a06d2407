import type { TranscriptsVendor } from "../../../src/transcripts/index.ts";
import type { Wire } from "../../../src/wire.ts";
import { usageIn } from "../read.ts";

/** The body of a request is the file. */
export const toy = {
  name: "toy",
  vendor: {
    render: ({ language }) => ({ kind: "bytes", query: { tongue: language ?? "any" }, dropped: [] }),
    parse: ({ words }) => ({ text: String(words), segments: undefined }),
    usage: usageIn,
  },
} as const satisfies Wire<TranscriptsVendor>;
