import type { SpeechVendor } from "../../../src/speech/index.ts";
import type { Wire } from "../../../src/wire.ts";
import { usageIn } from "../read.ts";

/** The vendor answers with samples in JSON. */
export const toy = {
  name: "toy",
  vendor: {
    render: ({ input }) => ({ body: { speak: input }, dropped: ["speed"], query: { fast: "1" } }),
    parse: (body) => ({
      samples: Buffer.from(String(body["sound"])),
      rate: 8_000,
      usage: { ...usageIn(body), outputAudioTokens: 7 },
    }),
  },
} as const satisfies Wire<SpeechVendor>;
