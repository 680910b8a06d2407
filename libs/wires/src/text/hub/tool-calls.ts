import { createHash } from "node:crypto";
import { isRecord, memberOf, parseJson, type JsonRecord } from "@modelgate/formats/json";
import type { ToolCallPart } from "./part.ts";
import type { Tool } from "./request.ts";

/** Member for arguments that are not a JSON object. */
const rawArgumentsMember = "_raw";

/** Parses a call's arguments. Text that is not a JSON object becomes the member `_raw`. */
export function parseArguments({ arguments: text, custom }: Pick<ToolCallPart, "arguments" | "custom">): JsonRecord {
  if (custom === true) return wrapCustom(text);
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isRecord(value) ? value : { [rawArgumentsMember]: text };
}

/** Returns a call's arguments as JSON text. Some vendors send an empty text for none. */
export function argumentsText(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "{}" : text;
}

export function renderArguments(args: unknown): string {
  if (isRecord(args) && Object.keys(args).length === 1 && typeof args[rawArgumentsMember] === "string")
    return args[rawArgumentsMember];
  return JSON.stringify(args ?? {});
}

/** Creates an id from the path of a call. The same conversation always gets the same ids. */
export function callId(...path: readonly (string | number)[]): string {
  return `call_${createHash("sha256").update(JSON.stringify(path)).digest("hex").slice(0, 24)}`;
}

/** Pairs results with calls: by id, or else by the tool's name in the order of the calls. */
export class CallPairs {
  readonly #names = new Map<string, string>();
  readonly #pending: { readonly id: string; readonly name: string }[] = [];

  called(id: string, name: string): void {
    this.#names.set(id, name);
    this.#pending.push({ id, name });
  }

  /** Removes the pending call that a result answers, and returns its id. Returns `id` if there is no such call. */
  answered(id: string | undefined, name: string): string | undefined {
    const byId = id === undefined ? undefined : this.remove(id, undefined);
    return (byId ?? this.remove(undefined, name))?.id ?? id;
  }

  /** Removes and returns a pending call: the call with this id, or else the oldest one with this name. */
  remove(id: string | undefined, name: string | undefined): { readonly id: string; readonly name: string } | undefined {
    const index = this.#pending.findIndex((call) =>
      id === undefined ? name === undefined || call.name === name : call.id === id,
    );
    return index < 0 ? undefined : this.#pending.splice(index, 1)[0];
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }
}

/** Schema of a free-text tool on a wire that has only functions. */
export const customParameters: JsonRecord = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** Wraps free text as arguments of a function. */
export function wrapCustom(text: string): JsonRecord {
  return { input: text };
}

/** Returns the free text that `wrapCustom` wrapped, "" for no arguments, and any other arguments unchanged. */
export function unwrapCustom(json: string): string {
  if (argumentsText(json) === "{}") return "";
  const input = memberOf(parseJson(json), "input");
  return typeof input === "string" ? input : json;
}

export function customNames(tools: readonly Tool[] | undefined): ReadonlySet<string> {
  return new Set(tools?.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
}
