import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { failureOf } from "./failure.ts";

/** What the chunks of this wire and of completions say that they are. */
const objects = ["chat.completion", "text_completion"];

/** Whether a stream can begin with an event: a chunk of an answer, no error and no other shape. */
export function begins(event: JsonRecord): boolean {
  if (failureOf(event) !== undefined) return false;
  const { object, usage } = event;
  const choices = event["choices"] ?? undefined;
  // Some vendors say who answers, or what was used, in a chunk without choices.
  if (choices === undefined)
    return isRecord(usage) || (typeof object === "string" && objects.some((word) => object.startsWith(word)));
  return Array.isArray(choices) && choices.every(isRecord);
}
