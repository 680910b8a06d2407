import { asRecord, isRecord, type Fields, type JsonRecord, parseJson } from "@modelgate/formats/json";
import type { Part, Source, ToolResultPart, Signature } from "../hub/part.ts";
import { signatureForClient, signatureFromClient } from "../hub/signatures.ts";
import { sourceFromGoogleUri, normalizeMediaType, mediaTypeOfName } from "../hub/sources.ts";
import { renderArguments, callId, type CallPairs } from "../hub/tool-calls.ts";

/** Maximum number of images in one tool result. */
const maxResultParts = 1_024;

interface PartContext {
  readonly calls: CallPairs;
  /** Path from which missing ids of calls are derived. */
  readonly path: readonly (string | number)[];
}

type ReadContentPart = (part: Fields, context: PartContext) => Part;

const partReaders: Readonly<Record<string, ReadContentPart>> = {
  functionCall: readCall,
  functionResponse: readResponse,
  inlineData: (part) => {
    const blob = part.needFields("inlineData");
    const mediaType = normalizeMediaType(blob.needText("mimeType"));
    return withSignature(mediaPart({ kind: "base64", mediaType, data: blob.needText("data") }, mediaType), part);
  },
  fileData: readFile,
  executableCode: readVendor,
  codeExecutionResult: readVendor,
  toolCall: readVendor,
  toolResponse: readVendor,
};

/** Parses a part, whose kind is the name of its member. */
export function parsePart(part: Fields, context: PartContext): Part {
  const name = Object.keys(partReaders).find((each) => part.has(each));
  const read = name === undefined ? undefined : partReaders[name];
  if (read !== undefined) {
    part.ignore("thought");
    return read(part, context);
  }
  const text = part.text("text") ?? "";
  const signature = parseSignature(part);
  const signed = signature === undefined ? {} : { signature };
  return part.flag("thought") === true ? { kind: "reasoning", text, ...signed } : { kind: "text", text, ...signed };
}

function withSignature(part: Part, fields: Fields): Part {
  const signature = parseSignature(fields);
  return signature === undefined || part.kind !== "image" ? part : { ...part, signature };
}

function readCall(part: Fields, { calls, path }: PartContext): Part {
  const call = part.needFields("functionCall");
  const name = call.needText("name");
  const id = call.text("id") ?? callId(...path, name);
  calls.called(id, name);
  const signature = parseSignature(part);
  const parsed = { kind: "tool-call", id, name, arguments: renderArguments(call.record("args")) } as const;
  return signature === undefined ? parsed : { ...parsed, signature };
}

function readResponse(part: Fields, { calls, path }: PartContext): ToolResultPart {
  part.ignore("thoughtSignature");
  const response = part.needFields("functionResponse");
  const clientId = response.text("id");
  const name = response.text("name") ?? (clientId === undefined ? undefined : calls.nameOf(clientId)) ?? "";
  const { text, isError } = parseFunctionResponse(response.record("response") ?? {});
  const images = response.each("parts", maxResultParts).map((each) => resultMedia(each));
  return {
    kind: "tool-result",
    callId: calls.answered(clientId, name) ?? callId(...path, name),
    ...(name === "" ? {} : { name }),
    parts: [{ kind: "text", text }, ...images],
    ...(isError ? { isError } : {}),
  };
}

function resultMedia(part: Fields): ToolResultPart["parts"][number] {
  const blob = part.needFields(part.has("inlineData") ? "inlineData" : "fileData");
  const mediaType = mediaTypeIn(blob);
  const uri = blob.text("fileUri");
  const source: Source =
    uri === undefined
      ? { kind: "base64", mediaType: mediaType ?? "", data: blob.needText("data") }
      : sourceFromGoogleUri(uri, mediaType, "content");
  const read = mediaPart(source, mediaType);
  if (read.kind === "image" || read.kind === "file") return read;
  throw part.unsupported("inlineData");
}

function mediaTypeIn(media: Fields): string | undefined {
  const mediaType = media.text("mimeType");
  return mediaType === undefined ? undefined : normalizeMediaType(mediaType);
}

function readFile(part: Fields): Part {
  const file = part.needFields("fileData");
  const uri = file.needText("fileUri");
  const mediaType = mediaTypeIn(file);
  return withSignature(
    mediaPart(sourceFromGoogleUri(uri, mediaType, "content"), mediaType ?? mediaTypeOfName(uri)),
    part,
  );
}

function mediaPart(source: Source, mediaType = ""): Part {
  const [family] = mediaType.split("/");
  if (family === "image" || family === "audio" || family === "video") return { kind: family, source };
  return { kind: "file", source };
}

function readVendor(part: Fields): Part {
  const value = part.whole();
  return { kind: "vendor", wire: "content", value: asRecord(value) };
}

const wrapperMembers: ReadonlySet<string> = new Set(["output", "result", "error"]);

/** Renders the result of a tool as an object, which this wire requires. */
export function renderToolResponse(text: string, isError: boolean): JsonRecord {
  if (isError) return { error: text };
  const value = parseJson(text) ?? undefined;
  if (value === undefined || typeof value === "string") return { output: text };
  return isRecord(value) && !isWrappedResponse(value) ? value : { result: value };
}

function parseFunctionResponse(response: JsonRecord): { readonly text: string; readonly isError: boolean } {
  if (!isWrappedResponse(response)) return { text: JSON.stringify(response), isError: false };
  const { output, result, error } = response;
  if (error !== undefined) return { text: stringOrJson(error), isError: true };
  return { text: stringOrJson(result ?? output), isError: false };
}

function isWrappedResponse(value: JsonRecord): boolean {
  const [name, ...others] = Object.keys(value);
  return (
    name !== undefined && others.length === 0 && wrapperMembers.has(name) && (value[name] ?? undefined) !== undefined
  );
}

function stringOrJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Value in place of a missing signature. With it, the vendor does not check the signature. */
export const skipSignatureCheck = "skip_thought_signature_validator";

/** Older value of `skipSignatureCheck`. */
const oldSkipSignatureCheck = "context_engineering_is_the_way_to_go";

function parseSignature(part: Fields): Signature | undefined {
  const text = part.text("thoughtSignature");
  if (text === undefined || text === "" || text === skipSignatureCheck || text === oldSkipSignatureCheck)
    return undefined;
  return signatureFromClient(text, "content", "thoughtSignature");
}

export function renderSignature(signature: Signature | undefined): string | undefined {
  return signature === undefined ? undefined : signatureForClient(signature, "content");
}
