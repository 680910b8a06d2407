// Copied from libs/contracts/src/audit-text.ts: node services/console/generate.ts

import { plainNumber } from "./plain-number.ts";

/** Sentences of the audit by action. A name in braces stands for a value of the entry. */
export const auditSentences = {
  "account.create": "Created the account with {amount}",
  "account.set": "Changed the account: {changes}",
  "credit.opening": "Opened the balance with {amount}: {reason}",
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
  "organisation.create": "Created the organisation {name}",
  "organisation.set": "Renamed the organisation {organisation} to {name}",
  "organisation.delete": "Deleted the organisation {organisation}",
  "team.create": "Created the team {name} in the organisation {organisation}",
  "team.set": "Renamed the team {team} to {name}",
  "team.delete": "Deleted the team {team} of the organisation {organisation}",
  "membership.set": "Set the role of {person} in {team} to {role}",
  "alert-target.create": "Added the alert target {name}, which sends to {address}",
  "alert-target.delete": "Deleted the alert target {name}",
  "channel.disable": "Disabled the channel or key {name}: {reason}",
  "channel.enable": "Enabled the channel or key {name}",
  "operator.create": "Created the operator {name} with the role {role}",
  "operator.change": "Changed the operator {name}: {changes}",
  "operator-key.create": "Created the automation key {name} with the role {role}",
  "operator-key.delete": "Deleted the automation key {name}",
  "configuration.save": "Saved version {version} of the configuration. {note}",
} as const;

/** Action that the audit records. */
export type AuditAction = keyof typeof auditSentences;

/** Sentence of an action of another version. */
const otherSentence = "Recorded the action {action}: {changes}";

/** Texts for a field that had no value before, and for one that had a value. */
const changeTexts = ["{field} {now}", "{field} from {old} to {now}"] as const;

type AuditPhrase = (typeof auditSentences)[AuditAction] | typeof otherSentence | (typeof changeTexts)[number];

/** Language of the sentences. */
export interface AuditLanguage {
  /** Returns a text with values for the names in braces. */
  readonly text: (phrase: AuditPhrase, values: Readonly<Record<string, string>>) => string;
  /** Translates the name of a field, or another single term. */
  readonly word: (word: string) => string;
  /** Formats nano-dollars. */
  readonly money: (nanos: string) => string;
}

interface AuditValues {
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const hiddenFields: ReadonlySet<string> = new Set([
  "id",
  "accountId",
  "digest",
  "key",
  "ofMember",
  "createdAt",
  "hint",
]);
const labels: Readonly<Record<string, string>> = {
  nanos: "amount",
  balanceNanos: "balance",
  rolloverNanos: "rollover",
};
/** Fields whose values are terms, which are translated. Only the scope `account` is a term; others contain names. */
const termField = /^(?:mode|password|period|role)$/;
const moneyField = /(?:^|\.)(?:nanos|perDay|perMonth|\w+Nanos)$/;

/** Returns true if a text is an action of this version. */
function isAuditAction(action: string): action is AuditAction {
  return Object.hasOwn(auditSentences, action);
}

/** Returns the sentence of an audit entry. For an action of another version, it has the action's name and changes. */
export function auditText({ action, before, after }: AuditValues, language: AuditLanguage): string {
  const [old, now] = [leafValues(before), leafValues(after)];
  const value = (...members: readonly string[]): string =>
    members.map((each) => formatValue(each, now.get(each) ?? old.get(each), language)).find((text) => text !== "") ??
    "";
  const changes = changesBetween(old, now, language);
  const sentence = language.text(isAuditAction(action) ? auditSentences[action] : otherSentence, {
    action,
    amount: value("nanos", "balanceNanos"),
    reason: value("reason", "why"),
    name: value("name", "id"),
    group: value("group"),
    time: value("expiresAt"),
    organisation: value("organisation"),
    team: value("team", "organisation"),
    person: value("person"),
    role: value("role") || language.word("none"),
    address: value("address"),
    version: value("version"),
    note: value("note"),
    changes,
  });
  return changes === "" ? sentence.replace(/[:：]? *$/, "") : sentence.trim();
}

/** Returns changed fields, such as `group from default to team; budget per day $1.00`. */
function changesBetween(
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  language: AuditLanguage,
): string {
  const changed = [...new Set([...old.keys(), ...now.keys()])].flatMap((member) => {
    const [was, is] = [formatValue(member, old.get(member), language), formatValue(member, now.get(member), language)];
    if (was === is || isHidden(member, was)) return [];
    const values = {
      field: language.word((labels[member] ?? member).replaceAll(".", " ")),
      old: was,
      now: is || language.word("none"),
    };
    return [language.text(changeTexts[was === "" ? 0 : 1], values)];
  });
  return changed.join("; ");
}

/** Returns true if a change of a field is not listed. A first name is not listed, because the sentence contains it. */
function isHidden(member: string, was: string): boolean {
  return hiddenFields.has(member) || /^within(?:\.|$)/.test(member) || (member === "name" && was === "");
}

/** Returns the fields of nested records by path. */
function leafValues(value: unknown, path = ""): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [...leafValues(member, path === "" ? name : `${path}.${name}`)]),
  );
}

function formatValue(member: string, value: unknown, language: AuditLanguage): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return language.word(value ? "yes" : "no");
  if (Array.isArray(value)) return value.map((each) => formatValue(member, each, language)).join(", ");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, each]) => `${language.word(name)} ${formatValue(name, each, language)}`)
      .join(" ");
  if (typeof value === "number") return plainNumber(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (termField.test(member) || (member === "scope" && text === "account")) return language.word(text);
  return moneyField.test(member) && /^-?\d+$/.test(text) ? language.money(text) : text;
}
