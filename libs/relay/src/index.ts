<<<<<<< HEAD
export type { Conversation } from "@modelgate/channels";
export { Bill, holdOrForget, type Priced } from "./bill.ts";
=======
export { Bill, holdOrForget, type BillDeps, type Priced } from "./bill.ts";
>>>>>>> 60c0c9fbae61b7db1cd297d0aa1995216891efb9
export { tellDropped } from "./deliver.ts";
export type { RelayDeps, RelayLimits } from "./deps.ts";
export type { CallPlan } from "./plan.ts";
export { openRelay, relayVariables, type OpenRelay } from "./open-relay.ts";
export { priced } from "./priced.ts";
export { checked, readJson, type JsonBody, type JsonLimits } from "./read-json.ts";
export { runCall } from "./run-call.ts";
export { openSettlements, type Settlements } from "./settlements.ts";
export type { AnswerForm, Carried, CarriedAnswer, Exchange, StreamCarrier, VendorLink } from "./exchange.ts";
export type { Measure, Metered } from "./measure.ts";
export { Produced } from "./produced.ts";
export type { Answered, Forwarded } from "./plan.ts";
export type { Expectation, RequestSize } from "./expect.ts";
export { SpokenWires } from "./spoken-wires.ts";
export { textExchanges, waitingIn, type TextCall } from "./text/exchange.ts";
export { countTokens, estimateTokens } from "./tokens.ts";
export { PassStream } from "./text/pass-stream.ts";
export { ConvertStream } from "./text/convert-stream.ts";
export { kindExchange, wholeExchange, type KindCall } from "./kind/exchange.ts";
export { tellLosses } from "./losses.ts";
export { isSpoken, lookUp } from "./look-up.ts";
