import type { RealtimeWire } from "@modelgate/contracts";
import type { RealtimeBridge, RealtimeNames } from "./bridge.ts";
import { geminiLiveBridge } from "./gemini-live/bridge.ts";
import { openaiBridge } from "./openai/bridge.ts";

/** A session's bridge, by the wire that its vendor speaks. */
export const realtimeBridges: Readonly<Record<RealtimeWire, (names: RealtimeNames) => RealtimeBridge>> = {
  realtime: openaiBridge,
  "gemini-live": geminiLiveBridge,
};
