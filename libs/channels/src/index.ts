export type { Affinity, Conversation } from "./affinity.ts";
export { AttemptsFailed, type Attempted, type AttemptPlan, type Tried } from "./attempt-plan.ts";
export type { AttemptLimits, Attempts } from "./attempt.ts";
export { connectSocket } from "./connect.ts";
export { openChannels, type Channels } from "./channels.ts";
export { readSeats } from "./gate.ts";
export { hostOf } from "./host-of.ts";
export { modelPlaceOf, placeOf, type Way } from "./pick.ts";
export { Refused } from "./refused.ts";
export { readText } from "./read-text.ts";
export { NotFetched } from "./remote/not-fetched.ts";
export { hostsIn } from "./remote/pinned-address.ts";
export {
  openRemoteFiles,
  type RemoteAsk,
  type RemoteFile,
  type RemoteFiles,
  type RemoteLimits,
} from "./remote/remote-files.ts";
export {
  openRemoteStreams,
  type RemoteStream,
  type RemoteStreamAsk,
  type RemoteStreams,
} from "./remote/remote-streams.ts";
export {
  putBackTakenOut,
  readChannelStates,
  switchChannel,
  type ChannelStates,
  type CoolDown,
  type Switched,
} from "./state.ts";
export { openTransport, type Transport } from "./transport.ts";
export type { BodySink, UpstreamAnswer, UpstreamRequest } from "./upstream.ts";
export { providerNameOf } from "./provider-name.ts";
