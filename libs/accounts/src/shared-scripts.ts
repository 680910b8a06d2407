const script = (name: string): URL => new URL(name, import.meta.url);

/** Script function for the time: a given one, or Redis' clock. */
export const clockScript = script("clock.lua");
/** Script functions for an API key's requests and tokens per minute. */
export const minuteScripts: readonly URL[] = [clockScript, script("limits/minute.lua")];
/** Script functions for an account's money and its receipts. */
export const moneyScripts: readonly URL[] = [script("money/amounts.lua"), script("money/account-state.lua")];
/** Script functions for changing a hold: the account, the key's minute, the budgets. */
export const holdScripts: readonly URL[] = [...minuteScripts, ...moneyScripts, script("money/budgets.lua")];
/** Script functions for settling a call. */
export const settlementScripts: readonly URL[] = [...holdScripts, script("money/settlement.lua")];
