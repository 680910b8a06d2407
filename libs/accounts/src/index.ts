export { shards, shardOf, keys as accountKeys } from "./keys.ts";
export {
  admit,
  type Admission,
  type AdmitRequest,
  type Decision,
  type Remaining,
  type TokenLimits,
} from "./limits/admit.ts";
export { leave, renewSeats, type Seat } from "./limits/seats.ts";
export { createAccount, findAccount, listAccountIds, type Account } from "./money/account.ts";
export { credit, listCredits, type Credit, type CreditEntry, type CreditReply } from "./money/credit.ts";
export { hold, type HoldRequest } from "./money/hold.ts";
export { extendHold, type Extension } from "./money/extend.ts";
export { releaseHold, type Release } from "./money/release.ts";
export { renewHold, type Renewal } from "./money/renew.ts";
export { settle, settleSurely, type OutboxEntry, type Settlement } from "./money/settle.ts";
export { openHolds, sweepHolds } from "./money/sweep.ts";
export { openOutbox, type Outbox } from "./outbox/outbox.ts";
export { outboxLength, publishEntries, readLeftovers } from "./outbox/publish.ts";
export { digestOf, isKeyShaped, newKey } from "./tokens/key.ts";
export {
  changeToken,
  createToken,
  findToken,
  findTokenById,
  listTokens,
  putToken,
  type Token,
  type TokenWish,
} from "./tokens/token.ts";
export {
  mostDays,
  readTotals,
  usageDimensions,
  type UsageDimension,
  type UsageQuery,
  type UsageTotal,
} from "./usage/read.ts";
export { recordUsage, type UsageRetention } from "./usage/record.ts";
