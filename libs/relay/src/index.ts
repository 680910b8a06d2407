export type { RelayDeps, RelayLimits } from "./deps.ts";
export type { CallPlan } from "./plan.ts";
export { openRenewals, type Renewals } from "./renewals.ts";
export { runCall } from "./run-call.ts";
export { openSettlements, type Settlements } from "./settlements.ts";
