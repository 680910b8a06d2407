const scriptFile = (name: string): URL => new URL(name, import.meta.url);

/** Lua function that returns the caller's time, by default that of Redis' clock. */
export const clockScript = scriptFile("clock.lua");
/** Lua functions for requests and tokens per minute. */
export const minuteScripts: readonly URL[] = [clockScript, scriptFile("limits/minute.lua")];
/** Lua functions for an account's money and receipts. */
export const moneyScripts: readonly URL[] = [scriptFile("money/amounts.lua"), scriptFile("money/account-state.lua")];
/** Lua functions for budgets. They need `moneyScripts`. */
export const budgetScript = scriptFile("budgets/budgets.lua");
/** Lua functions that change a hold. */
export const holdScripts: readonly URL[] = [...minuteScripts, ...moneyScripts, budgetScript];
/** Lua function that finds the unpublished events of a task. */
export const unpublishedScript = scriptFile("tasks/unpublished.lua");
/** Lua functions that settle a call. */
export const settlementScripts: readonly URL[] = [...holdScripts, scriptFile("money/settlement.lua")];
/** Lua function that counts stored content. */
export const contentScripts: readonly URL[] = [clockScript, scriptFile("content/content.lua")];
