import type { VideoVendor } from "../../../src/video/index.ts";
import type { Wire } from "../../../src/wire.ts";

export const toy = {
  name: "toy",
  vendor: {
    defaultSeconds: 3,
    render: ({ prompt, seconds = 3 }) => ({ body: { film: prompt, seconds }, dropped: [], seconds, lines: 720 }),
    started: ({ ticket }) => String(ticket),
    parse: ({ film }) => (typeof film === "string" ? { kind: "finished", result: { url: film } } : { kind: "unknown" }),
  },
} as const satisfies Wire<VideoVendor>;
