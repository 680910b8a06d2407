export { changeAccount } from "./accounts/account-state.ts";
export {
  acceptMissingReceipts,
  adoptAccount,
  bookAccount,
  bookCredit,
  readBrokenChains,
  readCreditsOf,
  findAccounts,
  markAccountsWritten,
  readAccountPages,
  readPendingCredits,
  readAccountsToWrite,
  removeUnappliedCredit,
  type AdoptedAccount,
  type BookedAccount,
  type NewAccount,
} from "./accounts/account.ts";
export { bookAudit, readAudit, type AuditEntry } from "./accounts/audit.ts";
export {
  changeBookedBudgets,
  markBudgetsWritten,
  readBudgetsOf,
  readBudgetsToWrite,
  type BookedBudgets,
} from "./accounts/budgets.ts";
export { chainLateAudit, verifyAudit, type AuditHead, type AuditVerification } from "./accounts/audit-chain.ts";
export { setMarkOnce, readMark } from "./accounts/marks.ts";
export { findBranches, findNewestChain, type ChainedEvent, type Branches } from "./accounts/orphans.ts";
export { readRestorations, writeRestoration, type Restoration } from "./accounts/restorations.ts";
export {
  adoptToken,
  bookToken,
  changeBookedToken,
  deleteBookedToken,
  markTokenWritten,
  rotateBookedToken,
} from "./accounts/tokens.ts";
export {
  readExpiringTokens,
  readTokensOf,
  readTokensWithRotation,
  readTokensToWrite,
  type BookedToken,
} from "./accounts/read-tokens.ts";
export {
  encryptedTables,
  replaceEncrypted,
  type EncryptedTable,
  type Replacement,
} from "./operators/replace-encrypted.ts";
export {
  saveConfiguration,
  listConfigurations,
  readConfiguration,
  readVendorKeys,
  type BookedConfiguration,
  type NewConfiguration,
  type EncryptedVendorKey,
} from "./operators/configurations.ts";
export {
  bookOperator,
  bookOperatorKey,
  changeOperator,
  deleteOperatorKey,
  listOperators,
  readOperator,
  readOperatorKeys,
  type BookedOperator,
  type BookedOperatorKey,
  type OperatorAudit,
  type OperatorRecord,
} from "./operators/operators.ts";
export { changeOrganisationBudgets } from "./operators/change-budgets.ts";
export { bookOrganisation, bookTeam, changeMembership, readOrganisations } from "./operators/organisations.ts";
export { deleteTeamOrOrganisation, renameTeamOrOrganisation } from "./operators/teams.ts";
export {
  auditAnchor,
  readLostAnchors,
  createAnchorSigner,
  readAnchor,
  readAnchors,
  signAnchorsAgain,
  storeFirstAnchors,
  storeAnchor,
  wasReplaced,
  type Anchor,
  type AnchorSigner,
} from "./anchors.ts";
export {
  deleteOldAlerts,
  endAlert,
  readAlertPeriods,
  readOpenAlerts,
  recordAlerts,
  type NewAlert,
} from "./alerts/alerts.ts";
export { readAlerts, type AlertFilter, type DeliveredAlert } from "./alerts/read-alerts.ts";
export {
  bookAlertTarget,
  deleteAlertTarget,
  findAlertTarget,
  readAlertTargets,
  type EncryptedTarget,
} from "./alerts/alert-targets.ts";
export {
  claimDeliveries,
  finishDelivery,
  nextDeliveryDue,
  retryDeliveries,
  type ClaimedDelivery,
} from "./alerts/alert-deliveries.ts";
export { addMovedTotals, type MovedTotal } from "./add-moved-totals.ts";
export { readFirstByteTimes, type FirstByteGroup, type FirstBytesQuery } from "./first-bytes.ts";
export { isUnavailable, isInvalidData, isStatementTimeout } from "./failure.ts";
export { correctHead } from "./heads.ts";
export { deleteOldCalls, deleteOldRefusals, readStoredFrom } from "./forget.ts";
export { isLabelName, labelsOf, type Label, type LabelName } from "./labels.ts";
export { hasCall } from "./read-calls.ts";
export { measuresOf, unitMeasures, type UnitMeasure } from "./measures.ts";
export { BooksUnavailable, openBooks, type Books, type BooksAddress } from "./open.ts";
export { readCalls, type CallFilter, type CallOrder, type CallPage } from "./read-calls.ts";
export type { CallPosition } from "./read-positions.ts";
export { readCredits, readLatestReceipt, readReceipts, type LatestReceipt } from "./read-receipts.ts";
export {
  findAccountsToRefund,
  markRefunded,
  readSecondSettlements,
  readSettlementsToRefund,
  type SecondSettlement,
} from "./other-receipts.ts";
export { readTotals } from "./read-totals.ts";
export { reinstateReceipts } from "./reinstate.ts";
export { sumColumns, sumName, type SumColumn } from "./sums.ts";
export { isTotalsDimension, type TotalsDimension, type TotalsQuery, type UsageTotal } from "./totals-query.ts";
export { readRefused, recordRefused, type CountedRefusal, type RefusedFilter } from "./refused-calls.ts";
export { isRecordable, recordCalls } from "./record-calls.ts";
export { verifyTotals } from "./verify-totals.ts";
export { recordCredits } from "./record-credits.ts";
export { readTasks, type TaskFilter, type TaskLogPage } from "./read-tasks.ts";
export { readFetchableTasks, recordTasks, type BookedTask } from "./record-tasks.ts";
