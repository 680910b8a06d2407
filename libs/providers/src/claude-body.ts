import { Failure } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/wires/json";
import type { AnswerCall } from "./call.ts";

/**
 * A request of the messages wire for a cloud that serves Claude: the model is in its address, and the version in the body.
 * All else stays as it came.
 */
export function claudeBody(
  { body }: Pick<AnswerCall, "body">,
  members: Readonly<Record<string, string>>,
  left: readonly string[],
): Buffer {
  return spliceMembers(withoutMembers(wholeBody(body), left), members);
}

/** A body that can be signed and changed. Throws Failure upstream_error for one that is sent as it comes. */
export function wholeBody(body: AnswerCall["body"]): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new Failure("upstream_error", "The vendor of this model does not accept uploads.");
}
