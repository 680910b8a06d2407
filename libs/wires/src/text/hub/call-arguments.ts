import { isRecord } from "../../json/fields.ts";
import { wrapCustom } from "./custom.ts";
import type { ToolCallPart } from "./part.ts";
import type { JsonObject } from "./request.ts";

/** The member for arguments that are not a JSON object, on wires that want an object. */
const rawName = "_raw";

/** Parses a call's arguments as an object; other text travels as it is, under one name. */
export function argsOf({ arguments: text, custom }: Pick<ToolCallPart, "arguments" | "custom">): JsonObject {
  if (custom === true) return wrapCustom(text);
  if (text.trim() === "") return {};
  const value = parsed(text);
  return isRecord(value) ? value : { [rawName]: text };
}

/** The JSON text of a call's arguments. */
export function argumentsOf(args: unknown): string {
  if (isRecord(args) && Object.keys(args).length === 1 && typeof args[rawName] === "string") return args[rawName];
  return JSON.stringify(args ?? {});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
