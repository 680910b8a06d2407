import type { AnswerCall } from "../call.ts";
import { claudeBody, wholeBody } from "../claude-body.ts";

/** The version of the messages wire that Vertex speaks. */
const anthropicVersion = JSON.stringify("vertex-2023-10-16");

/** The body of a request; the model stands in its address, but where tokens are counted. */
export function bodyOf(call: AnswerCall): Buffer {
  if (call.wire === "messages") return claudeBody(call, { anthropic_version: anthropicVersion }, ["model"]);
  return wholeBody(call.body);
}

/** What of a messages client's head goes on: its beta features. The version is in the body. */
export function headersOf({ wire, headers = {} }: AnswerCall): Readonly<Record<string, string>> {
  if (wire !== "messages" && wire !== "count-messages") return headers;
  const { "anthropic-version": _version, ...more } = headers;
  return more;
}
