export type { Conversation, WireRoute } from "@modelgate/channels";
export { HeldMoney, holdMoney, type HoldDeps } from "./money/held-money.ts";
export {
  costOfUnits,
  makeUsageDraft,
  type BilledCall,
  type CallPricing,
  type UsageRecord,
} from "./money/usage-draft.ts";
export type { RelayDeps } from "./deps.ts";
export { refreshCaller } from "./refresh-caller.ts";
export { privateHostsVariable, relayVariables, type RelayEnv, type RelayLimits } from "./env.ts";
export { CallFees, isTierPriced, isToolPriced, priceOrNone, type FeesOptions } from "./money/fees.ts";
export type { Call, ServingModel } from "./call.ts";
export { notSent, type Outcome } from "./outcome.ts";
export type { FinalAnswer, CallKind, Forwarded, Plan } from "./kind.ts";
export { attemptVendors } from "./attempt.ts";
export { openRelay, type ServiceRelay } from "./open-relay.ts";
export { unlimitedJson, checkJson, isLargeJson, parseJson, renderJson, reparseJson } from "./bodies/read-json.ts";
export { parseBody, readJson, type JsonBody, type JsonLimits } from "./bodies/read-json.ts";
export { resolveServingModel, runCall } from "./run-call.ts";
export { openSettlements, type Settlements } from "./money/settlements.ts";
export type {
  AnswerReader,
  Exchange,
  JobMoney,
  StartedTask,
  TaskReader,
  VendorLink,
  CompleteAnswer,
  CompleteAnswerReader,
} from "./answers/exchange.ts";
export { taskReader } from "./answers/finish-task.ts";
export {
  exchangeWith,
  usageOfAll,
  type ConvertedCall,
  type NonEmptyList,
  type VendorAnswer,
} from "./answers/exchange-with.ts";
export { byteFraming } from "./answers/stream-reader.ts";
export { PassTranslator, type PassMode } from "./answers/pass-translator.ts";
export {
  eventStream,
  isEventStream,
  streamFailure,
  type UpstreamHead,
  type FrameReading,
  type StreamAnswerReader,
  type StreamTranslator,
} from "./answers/stream-reader.ts";
export type { Measure, Metered, TextCost, UsageBound } from "./money/measure.ts";
export { Meter, meterStream, meterCompleteAnswer } from "./money/meter.ts";
export { costliestTokens, estimateTokens, maxHeldOutput, type Expectation } from "./money/expect.ts";
export type { RequestSize } from "./money/measure.ts";
export type { PendingStream } from "./pending-stream.ts";
export { countTokens } from "./money/tokenizer.ts";
export { renderSupported } from "./answers/unsupported.ts";
export { boundOfHeld, capUnits, maxBilledImages } from "./money/usage-bound.ts";
export { isSupported, queryVendor, type VendorQuery } from "./query-vendor.ts";
export { parseAnswer, parseAnyAnswer, readAnswer } from "./answers/read-answer.ts";
export {
  admitVendorIds,
  noVendorIds,
  refuseVendorIds,
  refuseVendorIdsInTurns,
  type AdmittedIds,
} from "./vendor-stores/admit.ts";
export { formAsBody } from "./vendor-stores/form-as-body.ts";
