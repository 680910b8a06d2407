export { shards, shardOf, accountKeys } from "./keys.ts";
export { findBudgets } from "./budgets/account-budgets.ts";
export {
  appliedBudget,
  Budget,
  budgetsOfCaller,
  isOfOrganisation,
  remainingOf,
  makeLimitBudget,
  readBudgets,
  type BudgetUsage,
} from "./budgets/budget.ts";
export { periodAt, periodNames, periodWith, zoneNamed, type BudgetPeriod, type PeriodName } from "./budgets/period.ts";
export {
  budgetsWithoutState,
  budgetVersionOf,
  deleteOrganisationBudget,
  deleteOrganisationBudgets,
  writeBudgetsToRedis,
  type BudgetList,
  type BudgetState,
} from "./budgets/write-budgets.ts";
export { readBudgetUsage } from "./budgets/usage.ts";
export {
  admit,
  type Admission,
  type AdmitRequest,
  type AdmitDecision,
  type RemainingLimit,
  type TokenLimits,
} from "./limits/admit.ts";
export { limitFailure } from "./limits/admit.ts";
export { releaseSeat, renewSeats, type Seat } from "./limits/seats.ts";
export { maxAmount } from "./money/account.ts";
export {
  createAccount,
  findAccount,
  listAccountIds,
  makeOpeningCredit,
  setAccount,
  type Account,
  type AccountOpening,
} from "./money/account.ts";
export {
  applyCredit,
  credit,
  makeCreditEvent,
  findCredit,
  listCredits,
  type Credit,
  type CreditReply,
} from "./money/credit.ts";
export { hold, InsufficientQuota, type HoldRequest } from "./money/hold.ts";
export { claimVerification, countDivergences, listDivergences, storeVerification } from "./money/verify.ts";
export { extendHold, type Extension } from "./money/extend.ts";
export { readRemainingMoney, type RemainingMoney, type SpendingScope } from "./money/remaining.ts";
export { releaseHold, releaseWithRetry, type Release } from "./money/release.ts";
export { readSnapshot, type Snapshot } from "./money/snapshot.ts";
export { verifyAccount, type AccountAnchor, type Verification, type VerifyOptions } from "./money/verify.ts";
export { renewHold, type Renewal } from "./money/renew.ts";
export { retryDuringOutage, settle, type Settlement } from "./money/settle.ts";
export { firstLeaseEnd, countOpenHolds, sweepHolds, type SweepOptions } from "./money/sweep.ts";
export type { OutboxEntry } from "./outbox/publish.ts";
export { openOutbox, type Outbox } from "./outbox/outbox.ts";
export type { OutboxEvent } from "./outbox/publish.ts";
export {
  listCopies,
  removeReadCopies,
  removeCopies,
  readCopies,
  type CopiedEvent,
  type EventCopy,
} from "./outbox/publish.ts";
export { outboxLength, publishEntries, readUnpublished } from "./outbox/publish.ts";
export { advanceTask, type TaskAdvance, type TaskSettlement } from "./tasks/advance.ts";
export {
  findCallback,
  claimCallbacks,
  firstCallbackDue,
  removeCallback,
  retryCallback,
  type Callback,
} from "./tasks/callback.ts";
export { claimTasks, firstTaskDue, countOpenTasks, type TaskKey } from "./tasks/claim.ts";
export { chargeLost, type LostCall } from "./restore/charge.ts";
export { readEpoch, readUnlessLost, writeEpoch, writeCompleteRuns } from "./restore/epoch.ts";
export { removeLate, readLate, type LateCall } from "./restore/late.ts";
export { restoreDeletion, type TaskDeletion } from "./restore/restore-deletion.ts";
export { restoreTask, type LostTask } from "./restore/restore-task.ts";
export { readHeads, restoreAccount, type AccountHead, type LostAccount, type LostBudgets } from "./restore/restore.ts";
export { createTask, type TaskCreation } from "./tasks/create.ts";
export {
  findTask,
  findTasks,
  isTaskKnown,
  listTasks,
  type StoredTask,
  type TaskPage,
  type TaskQuery,
} from "./tasks/find.ts";
export { removeTask } from "./tasks/remove.ts";
export { makeTaskCipher, type TaskCipher } from "./tasks/record.ts";
export { holdLeaseMarginMs, makeTaskEvent, type TaskRecord } from "./tasks/record.ts";
export { contentLimitFailure, openContentQuota, type ContentQuota } from "./content/content.ts";
export { contentScripts } from "./shared-scripts.ts";
export { includesRanges, requireAllowedAddress } from "./tokens/allowed-addresses.ts";
export { callerLimits, limitsIdOf } from "./tokens/caller-limits.ts";
export { checkStillValid, requireUsable } from "./tokens/token.ts";
export { keyDigest, keyHint, isKeyShaped, newKey } from "./tokens/key.ts";
export {
  findSessionSettings,
  newClientSecret,
  type NewClientSecret,
  type SessionSettings,
} from "./tokens/client-secret.ts";
export { writeTokenToRedis } from "./tokens/write-token.ts";
export {
  readTokenDigest,
  findToken,
  findTokenById,
  findUsedToken,
  listTokens,
  readToken,
  makeToken,
  tokensWithDigests,
  withLastUse,
  type Token,
  type KeyBudget,
  type TokenRequest,
} from "./tokens/token.ts";
