import type { Wire } from "../../wire.ts";
import type { RealtimeClient, RealtimeVendor } from "../hub/bridge.ts";
import { GptLiveBridge } from "./pass.ts";

/** Sessions of GPT-Live. They are billed by the second, and have no turns that another wire could express. */
export const gptLive = {
  name: "gpt-live",
  pass: { bridge: (names) => new GptLiveBridge(names) },
} as const satisfies Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>;
