import type { AuditEntry } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { say, sayWord, type TextKey } from "../texts/say.ts";

const hiddenFields = new Set(["id", "accountId", "digest", "key", "within", "ofMember", "name", "createdAt", "hint"]);
const moneyField = /(?:^|\.)(?:nanos|perDay|perMonth|\w+Nanos)$/;

const sentences: Readonly<Record<string, TextKey>> = {
  "account.create": "Created the account with {amount}",
  "credit.top-up": "Added {amount}: {reason}",
  "credit.correction": "Corrected the balance by {amount}: {reason}",
  "credit.refused": "Withdrew a credit of {amount}: {reason}",
  "token.create": "Created the key {name} in the group {group}",
  "token.set": "Changed the key {name}: {changes}",
  "token.disable": "Disabled the key {name}",
  "token.enable": "Enabled the key {name}",
  "token.expire": "Set the key {name} to expire at {time}",
  "token.rotate": "Rotated the key {name}",
  "token.delete": "Deleted the key {name}",
  "budget.create": "Created the budget {name}: {changes}",
  "budget.set": "Changed the budget {name}: {changes}",
  "budget.delete": "Deleted the budget {name}",
  "operator.create": "Created the operator {name} with the role {role}",
  "operator.change": "Changed the operator {name}: {changes}",
  "operator-key.create": "Created the automation key {name} with the role {role}",
  "operator-key.delete": "Deleted the automation key {name}",
  "configuration.save": "Saved version {version} of the configuration. {note}",
};

/** Returns the sentence of an audit entry with its values. */
export function auditText({ action, before, after }: Pick<AuditEntry, "action" | "before" | "after">): string {
  const [old, now] = [leafValues(before), leafValues(after)];
  const value = (...members: readonly string[]): string =>
    members.map((member) => formatValue(member, now.get(member) ?? old.get(member))).find((text) => text !== "") ?? "";
  const changes = changesBetween(old, now);
  const sentence = sentences[action];
  if (sentence === undefined) return `${sayWord(action.replaceAll(/[.-]/g, " "))}: ${changes}`;
  return say(sentence, {
    amount: value("nanos", "balanceNanos"),
    reason: value("reason", "why"),
    name: value("name", "id"),
    group: value("group"),
    time: value("expiresAt"),
    role: value("role"),
    version: value("version"),
    note: value("note"),
    changes,
  }).trim();
}

/** Returns changed fields, such as `group: default → team, budget per day: $1.00`. */
function changesBetween(old: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): string {
  const members = [...new Set([...old.keys(), ...now.keys()])].filter((member) => !hiddenFields.has(member));
  const changed = members.flatMap((member) => {
    const [was, is] = [formatValue(member, old.get(member)), formatValue(member, now.get(member))];
    if (was === is) return [];
    const change = was === "" ? is : `${was} → ${is === "" ? say("none") : is}`;
    return [`${sayWord(member.replaceAll(".", " "))}: ${change}`];
  });
  return changed.join(", ");
}

/** Returns the fields of nested records by path. */
function leafValues(value: unknown, path = ""): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [...leafValues(member, path === "" ? name : `${path}.${name}`)]),
  );
}

function formatValue(member: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (moneyField.test(member) && typeof value === "string" && /^-?\d+$/.test(value)) return exactUsd(value);
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
