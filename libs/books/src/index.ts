export { addMovedTotals, type MovedTotal } from "./add-moved-totals.ts";
export { isAway } from "./failure.ts";
export { forgetCalls } from "./forget.ts";
export { measuresOf, unitMeasures, type UnitMeasure } from "./measures.ts";
export { BooksAway, openBooks, type Books, type BooksPlace } from "./open.ts";
export { readCalls, type CallFilter, type CallOrder, type CallPage, type CallPlace } from "./read-calls.ts";
export { readCredits, readHead, readReceipts, type Head } from "./read-receipts.ts";
export {
  readTotals,
  totalsDimensions,
  type TotalsDimension,
  type TotalsQuery,
  type UsageTotal,
} from "./read-totals.ts";
export { isRecordable, recordCalls } from "./record-calls.ts";
export { recordCredits } from "./record-credits.ts";
export { recordTasks } from "./record-tasks.ts";
