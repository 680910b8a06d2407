import type { AuditAction } from "./audit-text.ts";

/** Action in an audit log. The log may contain actions of other versions, which have no sentence in this version. */
export type RecordedAction = AuditAction | (string & { readonly hasFormOfAction: true });

const actionForm = /^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/;
const maxLength = 64;

/** Returns true if a text has the form of an action, such as `token.set`. */
export function isActionName(text: string): text is RecordedAction {
  return text.length <= maxLength && actionForm.test(text);
}
