import { contentStores } from "../../text/content/media.ts";
import type { Wire } from "../../wire.ts";
import type { RealtimeClient, RealtimeVendor } from "../hub/bridge.ts";
import { LiveBridge } from "./client-bridge.ts";
import { LivePassBridge } from "./pass.ts";
import { GeminiLiveBridge } from "./vendor-bridge.ts";

/** Sessions of Gemini's Live API. Members are spelled as in the content wire. */
export const geminiLive = {
  name: "gemini-live",
  vendor: { bridge: (names) => new GeminiLiveBridge(names) },
  client: { bridge: (names, inner) => new LiveBridge(inner, names), stores: contentStores },
  pass: { bridge: (names) => new LivePassBridge(names) },
} as const satisfies Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>;
