import { endUserOf } from "@modelgate/contracts";
import { isRecord } from "./fields.ts";

/**
 * The end user that a request names, for the books: `safety_identifier`, else `user`, as OpenAI's endpoints spell it;
 * `metadata.user_id` in messages.
 */
export function endUserIn(spelling: "openai" | "messages", body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  if (spelling === "openai") return endUserOf(body["safety_identifier"]) ?? endUserOf(body["user"]);
  const { metadata } = body;
  return isRecord(metadata) ? endUserOf(metadata["user_id"]) : undefined;
}
