import type { Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import type { TextRequest } from "./request.ts";

/** Returns all instructions. Those in the middle of the dialogue move to the beginning, which is reported as a loss. */
export function allInstructions({ instructions, turns }: TextRequest, unsupported: Unsupported): readonly Part[] {
  const middle = turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  return [...instructions, ...middle.flatMap(({ parts }) => parts)];
}
