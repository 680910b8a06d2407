const script = (name: string): URL => new URL(name, import.meta.url);

/** The time, given or Redis' own. */
export const clockScript = script("clock.lua");
/** A token's requests and tokens per minute. */
export const minuteScripts: readonly URL[] = [clockScript, script("limits/minute.lua")];
/** An account's money, read and written whole. */
export const moneyScripts: readonly URL[] = [script("money/amounts.lua"), script("money/account-state.lua")];
/** What scripts that change a hold share: the account, the token's minute, the budgets. */
export const holdScripts: readonly URL[] = [...minuteScripts, ...moneyScripts, script("money/budgets.lua")];
/** What scripts that move money for good share. */
const receiptScript = script("money/receipt.lua");
/** What scripts that change a balance for an operator share. */
export const creditScripts: readonly URL[] = [...moneyScripts, receiptScript, script("money/record-credit.lua")];
/** What the script that charges a lost call needs. */
export const chargeScripts: readonly URL[] = [...holdScripts, receiptScript];
/** What scripts that settle a call share. */
export const settlementScripts: readonly URL[] = [...chargeScripts, script("money/settlement.lua")];
