import { withoutUndefined } from "@modelgate/contracts";
import { type Fields, isRecord, ownEntry, splitWords } from "@modelgate/formats/json";
import { parseCitation, parseContentParts, readAudio, type ReadPart, parseLogProbabilities } from "../hub/content.ts";
import type { Part, ReasoningPart, Citation, FilePart, Source, Signature } from "../hub/part.ts";
import { signatureFromClient, placeholderSignature } from "../hub/signatures.ts";
import { parseBreakpoint } from "../hub/prompt-cache.ts";
import { mediaTypeOfName, readDataUrl, sourceFromUrl } from "../hub/sources.ts";
import { argumentsText } from "../hub/tool-calls.ts";
import { qualifiedName } from "./tools.ts";

type ReadItem = (item: Fields) => readonly Part[];

const maxReasoningTexts = 4_096;

const modelItems: Readonly<Record<string, ReadItem>> = {
  message: readMessage,
  function_call: (item) => readCall(item, "arguments"),
  custom_tool_call: (item) => readCall(item, "input"),
  reasoning: readReasoning,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  image_generation_call: readImageCall,
};

/** Types of items of tools that the vendor runs, and of clients' replies to them. */
const vendorItems: ReadonlySet<string> = new Set(
  splitWords(`
    web_search_call file_search_call code_interpreter_call computer_call computer_call_output local_shell_call
    local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools
    mcp_call mcp_approval_request mcp_approval_response tool_search_call tool_search_output
    tool_search_call_output program program_output multi_agent_call multi_agent_call_output context_compaction
  `),
);

/** Parses an item of the model or of a vendor's tool; undefined for any other type. */
export function parseModelItem(item: Fields, type: string): readonly Part[] | undefined {
  if (vendorItems.has(type)) return [{ kind: "vendor", wire: "responses", value: item.whole() }];
  const read = ownEntry(modelItems, type);
  return read?.(item);
}

function readMessage(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status", "role");
  return parseContent(item, "content");
}

function readCall(item: Fields, member: "arguments" | "input"): readonly Part[] {
  item.ignore("type", "id", "status");
  const id = item.needText("call_id");
  const name = qualifiedName(item.text("namespace"), item.needText("name"));
  const call = { kind: "tool-call", id, name } as const;
  if (member === "input") return [{ ...call, arguments: item.text(member) ?? "", custom: true }];
  return [{ ...call, arguments: argumentsText(item.text(member)) }];
}

/** Reads a reasoning item. Its summary and content become two parts with one id. */
function readReasoning(item: Fields): readonly Part[] {
  item.ignore("type", "status");
  const id = item.text("id");
  const signature = parseSignature(item);
  const idMember = id === undefined ? {} : { id };
  const parts: ReasoningPart[] = [
    { text: reasoningTextOf(item, "summary"), summary: true },
    { text: reasoningTextOf(item, "content"), summary: false },
  ]
    .filter(({ text }) => text !== "")
    .map((part) => ({ kind: "reasoning", ...part, ...idMember }));
  const last = parts.pop() ?? { kind: "reasoning", text: "", ...idMember };
  return [...parts, withoutUndefined({ ...last, signature })];
}

function reasoningTextOf(item: Fields, name: string): string {
  return item
    .each(name, maxReasoningTexts)
    .map((part) => {
      part.ignore("type");
      return part.needText("text");
    })
    .join("\n\n");
}

function readCompaction(item: Fields): readonly Part[] {
  item.ignore("type", "created_by");
  const id = item.text("id");
  const signature = vendorSignature(item.needText("encrypted_content"));
  return [withoutUndefined({ kind: "compaction", id, signature })];
}

function readImageCall(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status", "revised_prompt", "background", "quality", "size", "action");
  const format = item.text("output_format") ?? "png";
  const data = item.text("result");
  if (data === undefined) return [];
  return [{ kind: "image", source: { kind: "base64", mediaType: `image/${format}`, data } }];
}

export function parseContent(fields: Fields, name: string): readonly Part[] {
  return parseContentParts(fields, name, readers);
}

const readText: ReadPart = (part) =>
  withoutUndefined({ kind: "text", text: part.needText("text"), cache: parseBreakpoint(part) });

const readers: Readonly<Record<string, ReadPart>> = {
  input_text: readText,
  // Some tools of reasoning models, and older clients, use these types for text.
  text: readText,
  output_text: readOutputText,
  refusal: (part) => ({ kind: "refusal", text: part.needText("refusal") }),
  input_image: readImage,
  input_file: readFile,
  input_audio: readAudio,
};

function readOutputText(part: Fields): Part {
  const citations = (part.list("annotations") ?? []).flatMap((value) => parseAnnotation(value));
  const logProbabilities = parseLogProbabilities(part.raw("logprobs"));
  return {
    kind: "text",
    text: part.needText("text"),
    ...(citations.length > 0 ? { citations } : {}),
    ...(logProbabilities.length > 0 ? { logProbabilities } : {}),
  };
}

/** Parses an annotation, and stores its complete value in `own`, for vendors and clients of this wire. */
export function parseAnnotation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, title, filename, start_index: start, end_index: end } = value;
  return [parseCitation("responses", value, { url, title: typeof title === "string" ? title : filename, start, end })];
}

function readImage(part: Fields): Part {
  const detail = part.text("detail");
  const url = part.text("image_url");
  const id = part.text("file_id");
  const source = url === undefined ? fileId(part, id, "image_url") : sourceFromUrl(url);
  const cache = parseBreakpoint(part);
  return withoutUndefined({ kind: "image", source, detail: detail === "auto" ? undefined : detail, cache });
}

function readFile(part: Fields): FilePart {
  const name = part.text("filename");
  const data = part.text("file_data");
  const url = part.text("file_url");
  const id = part.text("file_id");
  const options = withoutUndefined({ name, cache: parseBreakpoint(part) });
  if (data !== undefined) return { kind: "file", source: dataSource(data, name), ...options };
  if (url !== undefined) return { kind: "file", source: sourceFromUrl(url), ...options };
  return { kind: "file", source: fileId(part, id, "file_data"), ...options };
}

function dataSource(data: string, name: string | undefined): Source {
  const dataUrl = readDataUrl(data);
  if (dataUrl !== undefined) return { kind: "base64", ...dataUrl };
  return { kind: "base64", mediaType: mediaTypeOfName(name ?? "") ?? "application/pdf", data };
}

function fileId(part: Fields, id: string | undefined, missing: string): Source {
  return { kind: "file-id", wire: "responses", id: id ?? part.needText(missing) };
}

/** Kind of signature that vendors of this wire create. */
const kind = "encrypted_content";

function parseSignature(item: Fields): Signature | undefined {
  const text = item.text("encrypted_content");
  return text === undefined || text === placeholderSignature ? undefined : signatureFromClient(text, "responses", kind);
}

/** Wraps the encrypted content of a vendor of this wire as its signature. */
export function vendorSignature(value: string): Signature {
  return { wire: "responses", kind, value };
}
