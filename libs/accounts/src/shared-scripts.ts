const script = (name: string): URL => new URL(name, import.meta.url);

/** Lua function that returns the time: a given one, or that of Redis' clock. */
export const clockScript = script("clock.lua");
/** Lua functions for the requests and tokens per minute of an API key. */
export const minuteScripts: readonly URL[] = [clockScript, script("limits/minute.lua")];
/** Lua functions for an account's money and receipts. */
export const moneyScripts: readonly URL[] = [script("money/amounts.lua"), script("money/account-state.lua")];
/** Lua functions that change a hold: money, tokens per minute and budgets. */
export const holdScripts: readonly URL[] = [...minuteScripts, ...moneyScripts, script("money/budgets.lua")];
/** Lua functions that settle a call. */
export const settlementScripts: readonly URL[] = [...holdScripts, script("money/settlement.lua")];
