export type { Affinity, Conversation } from "./affinity.ts";
export {
  AttemptsFailed,
  type OpenAttempt,
  type AttemptPlan,
  type SendState,
  type WireRoute,
  type AttemptReport,
} from "./attempt-plan.ts";
export type { AttemptLimits, Attempts } from "./attempt.ts";
export { countCappedUsage, readCappedUsage } from "./state.ts";
export { prepareChannelRequest } from "./channel-request.ts";
export { connectSocket } from "./connect.ts";
export { isBlockedAddress } from "./blocked-address.ts";
export { openChannels, type Channels } from "./channels.ts";
export { ProxyFailed } from "./proxy.ts";
export { readSeats } from "./gate.ts";
export {
  channelKeyIdOf,
  isWithin,
  keyModelScopeOf,
  modelScopeOf,
  parseCooldownName,
  type ChannelScope,
} from "./channel-scope.ts";
export type { Route } from "./channel-scope.ts";
export { VendorRefusal } from "./refused.ts";
export { readText, readUpTo } from "./refused.ts";
export { NotFetched } from "./remote/not-fetched.ts";
export { parseHosts, resolvePinnedAddress, remoteRules, type RemoteRules } from "./remote/pinned-address.ts";
export {
  mayBeImage,
  openRemoteFiles,
  unlessAborted,
  type RemoteFileRequest,
  type RemoteFile,
  type RemoteFiles,
  type RemoteLimits,
} from "./remote/remote-files.ts";
export {
  openRemoteStreams,
  type RemoteStream,
  type RemoteStreamRequest,
  type RemoteStreams,
} from "./remote/remote-streams.ts";
export { countShortCooldown, readShortCooldowns, shortCooldownMs } from "./short-cooldowns.ts";
export {
  endModelCooldowns,
  endKeyRefusals,
  readChannelStates,
  startModelCooldown,
  switchChannel,
  type ChannelStates,
  type Cooldown,
  type SwitchOff,
} from "./state.ts";
export { openTransport, type Transport } from "./transport.ts";
export type { BodySink, SocketAnswer, UpstreamAnswer, UpstreamRequest } from "./attempt-plan.ts";
export { providerNameOf } from "./channel-metrics.ts";
export { vendorOf, type Vendor } from "./supported-wires.ts";
