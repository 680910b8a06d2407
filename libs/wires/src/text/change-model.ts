import type { TextWire } from "./hub/request.ts";
import { renameAt } from "./pass-json.ts";

/** A request's body under the vendor's name of the model; the content wire has it in the path. */
export function changeModel(body: Buffer, wire: TextWire, model: string): Buffer {
  return wire === "content" ? body : renameAt(body, ["model"], model);
}
