export type { Conversation } from "@modelgate/channels";
export { HeldMoney, holdMoney, type HoldDeps } from "./money/held-money.ts";
export {
  costOfUnits,
  notSent,
  usageDraft,
  type BilledCall,
  type CallEnd,
  type Priced,
  type SentCall,
  type UsageRecord,
} from "./money/usage-draft.ts";
export type { RelayDeps } from "./deps.ts";
export { privateHostsVariable, relayVariables, type RelayEnv, type RelayLimits } from "./env.ts";
export { CallFees } from "./money/fees.ts";
export type { CallPlan, PlannedCall, RelayedCall, VendorCall } from "./call/plan.ts";
export { openRelay, type OpenRelay } from "./open-relay.ts";
export { priced, type PricedModel } from "./money/priced.ts";
export { checkJson, parseJson, renderJson, reparseJson } from "./bodies/large-json.ts";
export { checked, parseBody, readJson, type JsonBody, type JsonLimits } from "./bodies/read-json.ts";
export { runCall } from "./call/run-call.ts";
export { openSettlements, type Settlements } from "./money/settlements.ts";
export type {
  AnswerReader,
  Exchange,
  StartedTask,
  TaskReader,
  VendorLink,
  WholeAnswer,
  WholeReader,
} from "./answers/exchange.ts";
export { byteFraming } from "./answers/framing.ts";
export { PassTranslator, type PassMode } from "./answers/pass-translator.ts";
export {
  eventStream,
  isEventStream,
  requireStreamOf,
  type AnswerHead,
  type FrameReading,
  type StreamReader,
  type StreamTranslator,
} from "./answers/stream-reader.ts";
export type { CallCost, Measure, Metered } from "./money/measure.ts";
export type { Answered, Forwarded } from "./call/plan.ts";
export { dearestTokens, wholeOutput, type Expectation } from "./money/expect.ts";
export type { RequestSize } from "./money/request-size.ts";
export type { Waiting } from "./call/waiting.ts";
export { countTokens, estimateTokens } from "./money/tokens.ts";
export { renderSupported } from "./answers/unsupported.ts";
export { boundOfHeld, capUnits, mostBilledImages, type UsageBound } from "./money/usage-bound.ts";
export { reportDropped, reportRoute } from "./call/report-route.ts";
export { isSupported, queryVendor } from "./call/query-vendor.ts";
export { parseAnswer, parseAnyAnswer, readAnswer } from "./answers/whole-answer.ts";
export { admitVendorIds, refuseVendorIds, refuseVendorIdsInTurns, type AdmittedIds } from "./vendor-stores/admit.ts";
export { vendorHosts } from "./vendor-stores/vendor-hosts.ts";
