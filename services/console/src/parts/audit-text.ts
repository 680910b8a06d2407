import type { AuditEntry } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { say, sayWord } from "../texts/say.ts";

/** Members that the gateway writes for itself, and those that a sentence names already. */
const unshown = new Set(["id", "accountId", "digest", "key", "within", "ofMember", "name", "createdAt", "hint"]);
const money = /(?:^|\.)(?:nanos|perDay|perMonth|\w+Nanos)$/;

/** Returns the sentence of an audit entry: what somebody changed, and how. */
export function auditText({ action, before, after }: Pick<AuditEntry, "action" | "before" | "after">): string {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const value = (member: string): string => shown(member, now.get(member) ?? old.get(member));
  const name = value("name") || value("id");
  const changes = changesBetween(old, now);
  switch (action) {
    case "account.create":
      return say("Created the account with {amount}", { amount: value("balanceNanos") });
    case "credit.top-up":
      return say("Added {amount}: {reason}", { amount: value("nanos"), reason: value("reason") });
    case "credit.correction":
      return say("Corrected the balance by {amount}: {reason}", { amount: value("nanos"), reason: value("reason") });
    case "credit.refused":
      return say("Withdrew a credit of {amount}: {reason}", { amount: value("nanos"), reason: value("why") });
    case "token.create":
      return say("Created the key {name} in the group {group}", { name, group: value("group") });
    case "token.disable":
      return say("Disabled the key {name}", { name });
    case "token.enable":
      return say("Enabled the key {name}", { name });
    case "token.expire":
      return say("Set the key {name} to expire at {time}", { name, time: value("expiresAt") });
    case "token.set":
      return say("Changed the key {name}: {changes}", { name, changes });
    case "operator.create":
      return say("Created the operator {name} with the role {role}", { name, role: value("role") });
    case "operator.change":
      return say("Changed the operator {name}: {changes}", { name, changes });
    case "operator-key.create":
      return say("Created the automation key {name} with the role {role}", { name, role: value("role") });
    case "operator-key.delete":
      return say("Deleted the automation key {name}", { name });
    case "configuration.save":
      return say("Saved version {version} of the configuration. {note}", {
        version: value("version"),
        note: value("note"),
      }).trim();
    default:
      return `${sayWord(action.replaceAll(/[.-]/g, " "))}: ${changes}`;
  }
}

/** Returns the changed members with their values: `group: default → team, budget per day: $1.00`. */
function changesBetween(old: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): string {
  const members = [...new Set([...old.keys(), ...now.keys()])].filter((member) => !unshown.has(member));
  const changed = members.flatMap((member) => {
    const [was, is] = [shown(member, old.get(member)), shown(member, now.get(member))];
    if (was === is) return [];
    const change = was === "" ? is : `${was} → ${is === "" ? say("none") : is}`;
    return [`${sayWord(member.replaceAll(".", " "))}: ${change}`];
  });
  return changed.join(", ");
}

/** Returns the members of a record that are not records themselves, by their paths. */
function leavesOf(value: unknown, path = ""): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [...leavesOf(member, path === "" ? name : `${path}.${name}`)]),
  );
}

function shown(member: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (money.test(member) && typeof value === "string" && /^-?\d+$/.test(value)) return exactUsd(value);
  return Array.isArray(value) ? value.join(", ") : String(value);
}
