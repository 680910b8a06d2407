import type { AuditAction } from "./audit-text.ts";

/** Name of an action of another version, which has no sentence in this one. */
export type OtherAction = string & { readonly hasFormOfAction: true };

const actionForm = /^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/;
const maxLength = 64;

/** Returns true if a text has the form of an action, such as `token.set`. */
export function isActionName(text: string): text is AuditAction | OtherAction {
  return text.length <= maxLength && actionForm.test(text);
}
