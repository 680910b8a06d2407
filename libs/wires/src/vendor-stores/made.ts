import { isRecord, type JsonRecord } from "../json/fields.ts";
import { isWhole } from "./items.ts";
import type { VendorId } from "./vendor-id.ts";

/** Something that a vendor made in its store while it answered. */
export type MadeId = Pick<VendorId, "store" | "id">;

/** Wires whose answers name things that their vendor made in its store. */
export type MakingWire = "chat" | "responses" | "messages";

/** Most things of one answer that are returned. */
const mostMade = 1_000;

/**
 * What a vendor made in its store, as a whole answer or an event of a stream names it: containers, files that code
 * wrote, spoken answers, items of responses. Only places that the vendor itself fills are looked at: what a model or a
 * tool wrote may name anything.
 * @param kept whether the response stays in the vendor's store with all of its items
 */
export function madeIn(wire: MakingWire, answer: JsonRecord, kept = true): readonly MadeId[] {
  const made = readers[wire](answer, kept).filter(({ id }) => id !== "");
  return made.length > mostMade ? made.slice(0, mostMade) : made;
}

/** Whether an answer's bytes may name such things; most do not, and need not be parsed. */
export function mayNameMade(wire: MakingWire, bytes: Buffer | string): boolean {
  return needles[wire].some((needle) => bytes.includes(needle));
}

const needles: Readonly<Record<MakingWire, readonly string[]>> = {
  chat: ['"audio"'],
  responses: [
    '"container_id"',
    '"web_search_call"',
    '"file_search_call"',
    '"code_interpreter_call"',
    '"image_generation_call"',
    '"tool_search_call"',
    '"shell_call"',
    '"mcp_',
  ],
  messages: ['"container"', '"file_id"'],
};

/** Whether a request asks for an answer in which its vendor makes something. */
export function asksToMake(wire: MakingWire, body: unknown): boolean {
  if (!isRecord(body)) return false;
  if (wire === "chat") return isRecord(body["audio"]);
  if (wire === "responses") return true;
  const tools = body["tools"];
  const isVendors = (tool: unknown): boolean => isRecord(tool) && !["custom", undefined, null].includes(typeIn(tool));
  return (body["container"] ?? undefined) !== undefined || (Array.isArray(tools) && tools.some(isVendors));
}

function typeIn({ type }: JsonRecord): string | undefined | null {
  return typeof type === "string" ? type : undefined;
}

const readers: Readonly<Record<MakingWire, (answer: JsonRecord, kept: boolean) => readonly MadeId[]>> = {
  chat: ({ choices }) =>
    records(choices).flatMap(({ message, delta }) => {
      const audio = memberOf(message ?? delta, "audio");
      return named("audio", memberOf(audio, "id"));
    }),
  responses: ({ output }, kept) => records(output).flatMap((item) => madeByItem(item, kept)),
  messages: (answer) => {
    const message = isRecord(answer["message"]) ? answer["message"] : answer;
    const blocks = [...records(message["content"]), answer["content_block"]].filter(isRecord);
    return [
      ...named("container", memberOf(message["container"], "id")),
      ...named("container", memberOf(memberOf(answer["delta"], "container"), "id")),
      ...blocks.filter(isFromCode).flatMap((block) => filesIn(block["content"])),
    ];
  },
};

/** Whether answers of a wire may name things that their vendor made in its store. */
export function isMakingWire(wire: string): wire is MakingWire {
  return Object.hasOwn(readers, wire);
}

function madeByItem(item: JsonRecord, kept: boolean): readonly MadeId[] {
  const annotations = records(item["content"]).flatMap(({ annotations: found }) => records(found));
  return [
    ...(kept || !isWhole(item) ? named("item", item["id"]) : []),
    ...named("container", item["container_id"]),
    ...named("container", memberOf(item["environment"], "container_id")),
    ...annotations.filter(({ type }) => type === "container_file_citation" || type === "file_path").flatMap(citedFile),
  ];
}

function citedFile(annotation: JsonRecord): readonly MadeId[] {
  return [...named("container", annotation["container_id"]), ...named("file", annotation["file_id"])];
}

/** Results of the vendor's code execution; a result of any other tool is not the vendor's own word. */
function isFromCode({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("code_execution_tool_result");
}

/** `content` is a result whose own `content` lists the files that were written. */
function filesIn(result: unknown): readonly MadeId[] {
  return records(memberOf(result, "content")).flatMap((output) => named("file", output["file_id"]));
}

function named(store: MadeId["store"], id: unknown): readonly MadeId[] {
  return typeof id === "string" ? [{ store, id }] : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function records(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
