export type { Conversation } from "@modelgate/channels";
export { Bill, holdOrForget, type BillDeps, type Priced } from "./bill.ts";
export { tellDropped } from "./deliver.ts";
export type { RelayDeps } from "./deps.ts";
export { relayVariables, type RelayEnv, type RelayLimits } from "./env.ts";
export { CallFees } from "./fees.ts";
export { hasChoice } from "./has-choice.ts";
export type { CallPlan } from "./plan.ts";
export { openRelay, type OpenRelay } from "./open-relay.ts";
export { priced } from "./priced.ts";
export { checkJson, parseJson, renderJson, reparseJson } from "./large-json.ts";
export { checked, readJson, type JsonBody, type JsonLimits } from "./read-json.ts";
export { runCall } from "./run-call.ts";
export { openSettlements, type Settlements } from "./settlements.ts";
export { eventStream } from "./exchange.ts";
export type {
  AnswerForm,
  Carried,
  CarriedAnswer,
  Exchange,
  ReadAnswer,
  StreamCarrier,
  VendorLink,
} from "./exchange.ts";
export type { Measure, Metered } from "./measure.ts";
export { Produced } from "./produced.ts";
export type { Answered, Forwarded } from "./plan.ts";
export { dearestTokens, wholeOutput, type Expectation, type RequestSize } from "./expect.ts";
export type { Waiting } from "./waiting.ts";
export { countTokens, estimateTokens, loadTokenizer } from "./tokens.ts";
export { tellLosses } from "./losses.ts";
export { boundOfHeld, capUnits, mostBilledImages, type UsageBound } from "./usage-bound.ts";
export { tellWay } from "./tell-way.ts";
export { isSpoken, lookUp } from "./look-up.ts";
export { parseAnswer, parseAnyAnswer } from "./whole-answer.ts";
export { admitVendorIds, refuseVendorIds, refuseVendorIdsInTurns, type AdmittedIds } from "./vendor-stores/admit.ts";
export { vendorHosts } from "./vendor-stores/vendor-hosts.ts";
