import type { AuditAction } from "./audit-text.ts";

/** Action in an audit log. An action of another version has no sentence in this one. */
export type RecordedAction = AuditAction | (string & { readonly hasFormOfAction: true });

const actionForm = /^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/;
const maxLength = 64;

/** Returns true if a text has the form of an action, such as `token.set`. */
export function isActionName(text: string): text is RecordedAction {
  return text.length <= maxLength && actionForm.test(text);
}
