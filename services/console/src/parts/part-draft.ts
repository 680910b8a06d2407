import { plainNumber } from "../api/plain-number.ts";
import type { Edit } from "../api/types.ts";
import type { PartField } from "./part-fields.ts";

/** Values of a form by path. `rest` contains all other fields as JSON. */
export type PartDraft = Readonly<Record<string, string>>;

type PartObject = Record<string, unknown>;

/** Returns the initial values of a part's form. */
export function makePartDraft(part: unknown, fields: readonly PartField[]): PartDraft {
  const rest = isObject(part) ? structuredClone(part) : {};
  const draft = Object.fromEntries(
    fields.map(({ path, kind }) => [path, fieldText(removeAt(rest, path.split(".")), kind)]),
  );
  // A channel's id has a separate input.
  removeAt(rest, ["id"]);
  return { ...draft, rest: Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, undefined, 2) };
}

/** Returns the part of a form without empty fields; undefined for invalid JSON. */
export function partFromDraft(draft: PartDraft, fields: readonly PartField[]): PartObject | undefined {
  const part = parseObject(draft["rest"] ?? "");
  if (part === undefined) return undefined;
  for (const field of fields) {
    const text = (draft[field.path] ?? "").trim();
    if (text === "") continue;
    if (field.kind === "json") {
      const members = parseObject(text);
      if (members === undefined) return undefined;
      setAt(part, field.path.split("."), members);
      continue;
    }
    if (field.kind === "secret") part["keys"] = [...asList(part["keys"]), text];
    else setAt(part, field.path.split("."), parseFieldText(text, field));
  }
  return part;
}

/** Returns the prefix of paths under which control reports problems of a part. */
export function problemPathPrefix(section: Edit["section"], name: string, channels: readonly unknown[]): string {
  if (section !== "channels") return /^\d+$/.test(name) ? `${section}[${name}].` : `${section}.${name}.`;
  const at = channels.findIndex((channel) => isObject(channel) && channel["id"] === name);
  return `channels[${at === -1 ? channels.length : at}].`;
}

/** Returns whether a path is a field or inside it. */
export function isPathWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

function fieldText(value: unknown, kind: PartField["kind"]): string {
  if (kind === "json") return value === undefined ? "" : JSON.stringify(value, undefined, 2);
  if (Array.isArray(value)) return value.map(String).join("\n");
  if (isObject(value))
    return Object.entries(value)
      .map(([name, text]) => (kind === "headers" ? `${name}: ${String(text)}` : `${name} = ${plainText(text)}`))
      .join("\n");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? plainText(value) : "";
}

function plainText(value: unknown): string {
  return typeof value === "number" ? plainNumber(value) : String(value);
}

function parseFieldText(text: string, { kind }: PartField): unknown {
  if (kind === "number") return Number.isFinite(Number(text)) ? Number(text) : text; // control reports the error
  if (kind === "flag") return text === "true";
  if (kind === "names") return itemsIn(text, /[,\n]/);
  if (kind === "lines") return itemsIn(text, "\n");
  if (kind === "headers")
    return Object.fromEntries(
      itemsIn(text, "\n").map((line) => {
        const [name = "", ...value] = line.split(":");
        return [name.trim(), value.join(":").trim()];
      }),
    );
  if (kind !== "models" || text === "*") return text;
  const items = itemsIn(text, /[,\n]/);
  if (!items.some((item) => item.includes("="))) return items;
  return Object.fromEntries(
    items.map((item) => {
      const [name = "", upstream = name] = item.split("=").map((side) => side.trim());
      return [name, upstream];
    }),
  );
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function itemsIn(text: string, between: RegExp | string): readonly string[] {
  return text
    .split(between)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Removes the value at a path, and objects that become empty. */
function removeAt(members: PartObject, [name = "", ...deeper]: readonly string[]): unknown {
  const value = members[name];
  if (deeper.length > 0 && !isObject(value)) return undefined;
  const removed = deeper.length > 0 && isObject(value) ? removeAt(value, deeper) : value;
  if (deeper.length === 0 || (isObject(value) && Object.keys(value).length === 0))
    Reflect.deleteProperty(members, name);
  return removed;
}

function setAt(members: PartObject, [name = "", ...deeper]: readonly string[], value: unknown): void {
  if (deeper.length === 0) {
    members[name] = value;
    return;
  }
  const before = members[name];
  const inner: PartObject = isObject(before) ? before : {};
  members[name] = inner;
  setAt(inner, deeper, value);
}

/** Returns whether a text is empty or a JSON object. */
export function isJsonObject(json: string): boolean {
  return parseObject(json) !== undefined;
}

function parseObject(json: string): PartObject | undefined {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is PartObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
