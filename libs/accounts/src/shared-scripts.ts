const script = (name: string): URL => new URL(name, import.meta.url);

/** The time, given or Redis' own. */
export const clockScript = script("clock.lua");
/** A token's requests and tokens per minute. */
export const minuteScripts: readonly URL[] = [clockScript, script("limits/minute.lua")];
/** An account's money and its receipts. */
export const moneyScripts: readonly URL[] = [script("money/amounts.lua"), script("money/account-state.lua")];
/** Shared by scripts that change a hold: the account, the token's minute, the budgets. */
export const holdScripts: readonly URL[] = [...minuteScripts, ...moneyScripts, script("money/budgets.lua")];
/** Shared by scripts that settle a call. */
export const settlementScripts: readonly URL[] = [...holdScripts, script("money/settlement.lua")];
