// Wires of realtime sessions.
export { isPlainAudio } from "./openai/plain-audio.ts";
export {
  vendorsTranscribers,
  type Bridged,
  type ClientEvent,
  type RealtimeBridge,
  type RealtimeNames,
  type Transcriber,
  type TranscriberNames,
} from "./bridge.ts";
export { liveBridges, realtimeBridges } from "./bridges.ts";
export { liveStores, realtimeStores } from "./stores.ts";
export { errorEvent } from "./error-event.ts";
export { eventType, inputOf, inspectEvent, parseEvent, type SeenEvent } from "./inspect.ts";
export type { RealtimeMessage } from "./message.ts";
export { roughUnits, type Passed } from "./usage.ts";
export { askOfClientSecret, reliedOfClientSecrets } from "./client-secret.ts";
export { eventMessage } from "./message.ts";
export { goAwayMessage, liveCloseCode } from "./live/close-code.ts";
export { modelOfSetup } from "./live/model-name.ts";
