/** The time, given or Redis' own. */
export const clockScript = new URL("clock.lua", import.meta.url);
/** What a hold takes of budgets and gives back to them. */
export const budgetsScript = new URL("money/budgets.lua", import.meta.url);
/** What scripts that move money for good share. */
export const receiptScript = new URL("money/receipt.lua", import.meta.url);
/** What scripts that change a balance for an operator share. */
export const creditScripts: readonly URL[] = [receiptScript, new URL("money/record-credit.lua", import.meta.url)];
/** What scripts that settle a call share. */
export const settlementScripts: readonly URL[] = [
  clockScript,
  receiptScript,
  budgetsScript,
  new URL("money/settlement.lua", import.meta.url),
];
