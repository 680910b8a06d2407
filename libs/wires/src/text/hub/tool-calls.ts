import { createHash } from "node:crypto";
import { isRecord, memberOf, parseJson, type JsonRecord } from "@modelgate/formats/json";
import type { ToolCallPart } from "./part.ts";
import type { Tool } from "./request.ts";

/** Member that holds arguments which are not a JSON object, on wires that require an object. */
const rawArgumentsMember = "_raw";

/** Parses a call's arguments as an object; text that is not a JSON object becomes the member `_raw` unchanged. */
export function parseArguments({ arguments: text, custom }: Pick<ToolCallPart, "arguments" | "custom">): JsonRecord {
  if (custom === true) return wrapCustom(text);
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isRecord(value) ? value : { [rawArgumentsMember]: text };
}

export function renderArguments(args: unknown): string {
  if (isRecord(args) && Object.keys(args).length === 1 && typeof args[rawArgumentsMember] === "string")
    return args[rawArgumentsMember];
  return JSON.stringify(args ?? {});
}

/** Creates an id for a call that has none, from its path: equal whenever the conversation is read. */
export function callId(...path: readonly (string | number)[]): string {
  return `call_${createHash("sha256").update(JSON.stringify(path)).digest("hex").slice(0, 24)}`;
}

/** Pairs results with calls: by id, else by tool name and order. */
export class CallPairs {
  readonly #names = new Map<string, string>();
  readonly #pending: { readonly id: string; readonly name: string }[] = [];

  called(id: string, name: string): void {
    this.#names.set(id, name);
    this.#pending.push({ id, name });
  }

  /** Returns the id of the pending call that a result answers; `id` unchanged if there is no such call. */
  answered(id: string | undefined, name: string): string | undefined {
    const byId = id === undefined ? undefined : this.take(id, undefined);
    return (byId ?? this.take(undefined, name))?.id ?? id;
  }

  /** Removes and returns the pending call with this id; without an id, the oldest call, of this name if it is given. */
  take(id: string | undefined, name: string | undefined): { readonly id: string; readonly name: string } | undefined {
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

/** Wraps free text as arguments of the function that represents a free-text tool. */
export function wrapCustom(text: string): JsonRecord {
  return { input: text };
}

/** Unwraps the free text from arguments that `wrapCustom` made; any other arguments are returned unchanged. */
export function unwrapCustom(json: string): string {
  const input = memberOf(parseJson(json), "input");
  return typeof input === "string" ? input : json;
}

export function customNames(tools: readonly Tool[] | undefined): ReadonlySet<string> {
  return new Set(tools?.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
}
