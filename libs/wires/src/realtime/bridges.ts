import type { RealtimeBridge, RealtimeNames } from "./bridge.ts";
import { geminiLiveBridge } from "./gemini-live/bridge.ts";
import { openaiBridge } from "./openai/bridge.ts";

/** The wires that a session can be served through, best first. */
export const realtimeWires = ["realtime", "gemini-live"] as const;

/** A wire that a vendor's sessions are spoken in. */
export type RealtimeWire = (typeof realtimeWires)[number];

/** A session's bridge, by the wire that its vendor speaks. */
export const realtimeBridges: Readonly<Record<RealtimeWire, (names: RealtimeNames) => RealtimeBridge>> = {
  realtime: openaiBridge,
  "gemini-live": geminiLiveBridge,
};
