import type { JsonRecord } from "../../json/fields.ts";
import { dialogueOf, type Dialogue } from "../dialogue.ts";

/** Reads what a request says of its conversation. */
export function readDialogue(body: JsonRecord): Dialogue {
  return dialogueOf(
    body,
    { instructions: body["system"], turns: body["messages"] },
    ({ role }) => role === "assistant",
  );
}
