export { addMovedTotals, type MovedTotal } from "./add-moved-totals.ts";
export { isAway } from "./failure.ts";
export { forgetCalls } from "./forget.ts";
export { labelsOf, type Label, type LabelName } from "./labels.ts";
export { measuresOf, unitMeasures, type UnitMeasure } from "./measures.ts";
export { BooksAway, openBooks, type Books, type BooksPlace } from "./open.ts";
export { readCalls, type CallFilter, type CallOrder, type CallPage, type CallPlace } from "./read-calls.ts";
export { readCredits, readHead, readReceipts, type Head } from "./read-receipts.ts";
export { readTotals } from "./read-totals.ts";
export {
  isTotalsDimension,
  totalsDimensions,
  type TotalsDimension,
  type TotalsQuery,
  type UsageTotal,
} from "./totals-query.ts";
export { isRecordable, recordCalls } from "./record-calls.ts";
export { recordCredits } from "./record-credits.ts";
export { recordTasks } from "./record-tasks.ts";
