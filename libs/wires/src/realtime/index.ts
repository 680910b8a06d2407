import { bodies, type RealtimeWire } from "@modelgate/contracts";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { firstProblem } from "../json/problem.ts";
import { stores as contentStores } from "../text/content/media.ts";
import type { StoreDialect } from "../vendor-stores/members.ts";
import { vendorWire, type Wire } from "../wire.ts";
import type { RealtimeBridge, RealtimeNames } from "./bridge.ts";
import { GeminiLiveBridge } from "./gemini-live/bridge.ts";
import { LiveBridge } from "./live/bridge.ts";
import { LivePassBridge } from "./live/pass-bridge.ts";
import { OpenaiBridge } from "./openai/bridge.ts";

export {
  vendorsTranscribers,
  type Bridged,
  type ClientEvent,
  type RealtimeBridge,
  type RealtimeNames,
  type Transcriber,
  type TranscriberNames,
} from "./bridge.ts";
export { inputOf, inspectEvent, type SeenEvent } from "./inspect.ts";
export { goAwayMessage, liveCloseCode, modelOfSetup } from "./live/message.ts";
export { errorEvent, eventMessage, eventType, parseEvent, type RealtimeMessage } from "./message.ts";
export { isPlainAudio } from "./openai/bridge.ts";
export { roughUnits, type SessionBytes } from "./usage.ts";

interface RealtimeVendor {
  /** Creates the bridge of a session whose client speaks the realtime format. */
  bridge(names: RealtimeNames): RealtimeBridge;
}

interface RealtimeClient {
  /** Adapts a bridge of the realtime format to this wire. */
  over(bridge: RealtimeBridge, names: RealtimeNames): RealtimeBridge;
  /** Spelling of members that name objects in a vendor's store. */
  readonly stores: StoreDialect;
}

/** Bridge of a session whose client and vendor both speak a wire other than the realtime format. */
interface RealtimePass {
  bridge(names: RealtimeNames): RealtimeBridge;
}

/** The session wires. */
export const wires = {
  realtime: {
    name: "realtime",
    vendor: { bridge: (names) => new OpenaiBridge(names) },
    client: {
      over: (bridge) => bridge,
      stores: { opaque: ["parameters", "schema", "json_schema", "metadata", "arguments"] },
    },
  },
  "gemini-live": {
    name: "gemini-live",
    vendor: { bridge: (names) => new GeminiLiveBridge(names) },
    // Members are spelled as in the content wire.
    client: { over: (bridge, names) => new LiveBridge(bridge, names), stores: contentStores },
    pass: { bridge: (names) => new LivePassBridge(names) },
  },
} as const satisfies Readonly<Record<RealtimeWire, Wire<RealtimeVendor, RealtimeClient, RealtimePass>>>;

/** Creates the bridge of a session between a client and a vendor of any wire. */
export function bridgeBetween(client: RealtimeWire, vendor: string, names: RealtimeNames): RealtimeBridge {
  const wire: Wire<RealtimeVendor, RealtimeClient, RealtimePass> = wires[client];
  if (client === vendor && wire.pass !== undefined) return wire.pass.bridge(names);
  return wires[client].client.over(vendorWire<RealtimeVendor>(wires, vendor).vendor.bridge(names), names);
}

const secretShape = Compile(bodies.ClientSecretRequest);

/** Members of a request for a short-lived key that decide what the key permits. */
export const clientSecretMembers = Object.keys(bodies.ClientSecretRequest.properties);

/** Checks a request for a short-lived key. Throws Failure (400) naming the field. */
export function readClientSecret(value: unknown): Static<typeof bodies.ClientSecretRequest> {
  if (!secretShape.Check(value)) throw firstProblem(secretShape.Errors(value), value);
  return value;
}
