import { bodies, validatorOf, type SessionWire, type UpstreamWire } from "@modelgate/contracts";
import type { Static } from "typebox";
import { firstProblem } from "@modelgate/formats/json";
import { vendorWire, type Wire } from "../wire.ts";
import { geminiLive } from "./gemini-live/index.ts";
import { gptLive } from "./gpt-live/index.ts";
import type { RealtimeBridge, RealtimeClient, RealtimeNames, RealtimeVendor } from "./hub/bridge.ts";
import { realtime } from "./openai/index.ts";

export {
  pcmBytesPerSecond,
  vendorsTranscribers,
  type BridgedMessages,
  type ClientEvent,
  type RealtimeBridge,
  type RealtimeNames,
  type Transcriber,
  type TranscriberNames,
} from "./hub/bridge.ts";
export { measureEvent, inspectEvent, type SeenEvent } from "./hub/inspect.ts";
export { goAwayMessage, liveCloseCode, modelOfSetup } from "./gemini-live/client-message.ts";
export { isLiveAudio, liveErrorEvent, modelOfStart } from "./gpt-live/index.ts";
export { errorEvent, eventMessage, eventType, parseEvent, type RealtimeMessage } from "./hub/message.ts";
export { isPlainAudio } from "./openai/index.ts";
export { estimateUnits, type SessionBytes } from "./hub/inspect.ts";

export const wires = {
  realtime,
  "gemini-live": geminiLive,
  "gpt-live": gptLive,
} as const satisfies Readonly<Record<SessionWire, Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>>>;

/** Creates the bridge of a session. Throws Error if the wires cannot be converted into each other. */
export function bridgeBetween(client: SessionWire, vendor: UpstreamWire, names: RealtimeNames): RealtimeBridge {
  const wire: Wire<RealtimeVendor, RealtimeClient, RealtimeVendor> = wires[client];
  if (client === vendor && wire.pass !== undefined) return wire.pass.bridge(names);
  if (wire.client === undefined)
    throw new Error(`sessions of ${client} can only be forwarded to vendors of the same wire`);
  return wire.client.bridge(names, vendorWire<RealtimeVendor>(wires, vendor).vendor.bridge(names));
}

const secretShape = validatorOf(bodies.ClientSecretRequest);

export const clientSecretMembers = Object.keys(bodies.ClientSecretRequest.properties);

export function readClientSecret(value: unknown): Static<typeof bodies.ClientSecretRequest> {
  if (!secretShape.Check(value)) throw firstProblem(secretShape.Errors(value), value);
  return value;
}
