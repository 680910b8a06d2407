import type { JsonRecord } from "../../json/fields.ts";
import { dialogueOf, type Dialogue } from "../dialogue.ts";

/** Reads what a request says of its conversation. */
export function readDialogue(body: JsonRecord): Dialogue {
  const instructions = body["systemInstruction"] ?? body["system_instruction"];
  return dialogueOf(body, { instructions, turns: body["contents"] }, ({ role }) => role === "model");
}
