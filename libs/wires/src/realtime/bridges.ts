import type { RealtimeWire } from "@modelgate/contracts";
import type { RealtimeBridge, RealtimeNames } from "./bridge.ts";
import { geminiLiveBridge } from "./gemini-live/bridge.ts";
import { liveBridgeOver } from "./live/bridge.ts";
import { livePassBridge } from "./live/pass-bridge.ts";
import { openaiBridge } from "./openai/bridge.ts";

type Bridges = Readonly<Record<RealtimeWire, (names: RealtimeNames) => RealtimeBridge>>;

/** A session's bridge, by the wire that its vendor speaks, for clients of the realtime format. */
export const realtimeBridges: Bridges = {
  realtime: openaiBridge,
  "gemini-live": geminiLiveBridge,
};

/** The same for clients of the live format. */
export const liveBridges: Bridges = {
  realtime: (names) => liveBridgeOver(openaiBridge(names), names),
  "gemini-live": livePassBridge,
};
