import type { RealtimeBridge, RealtimeNames } from "./bridge.ts";
import { openaiBridge } from "./openai/bridge.ts";

/** A wire that a vendor's sessions are spoken in. */
export type RealtimeWire = "realtime";

/** A session's bridge, by the wire that its vendor speaks. */
export const realtimeBridges: Readonly<Record<RealtimeWire, (names: RealtimeNames) => RealtimeBridge>> = {
  realtime: openaiBridge,
};

/** The wires that a session can be served through, best first. */
export const realtimeWires: readonly RealtimeWire[] = ["realtime"];
