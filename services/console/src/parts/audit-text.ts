import { auditText as auditTextIn } from "../api/audit-text.ts";
import type { AuditEntry } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { translate, translateTerm } from "../texts/translate.ts";

/** Returns the sentence of an audit entry in the current language. */
export function auditText(entry: Pick<AuditEntry, "action" | "before" | "after">): string {
  return auditTextIn(entry, { text: translate, word: translateTerm, money: exactUsd });
}
