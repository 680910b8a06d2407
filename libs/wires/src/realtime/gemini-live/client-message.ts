import { Failure } from "@modelgate/contracts";
import { camelName, isRecord, ownEntry, type JsonRecord } from "../../json/fields.ts";
import { parseEvent, type RealtimeMessage } from "../hub/message.ts";

/** Message of a Gemini Live client. The names of the members that the gateway reads are converted to camelCase. */
export type LiveMessage =
  | { readonly kind: "setup"; readonly setup: JsonRecord }
  | { readonly kind: "content"; readonly turns: readonly JsonRecord[]; readonly complete: boolean }
  | { readonly kind: "audio"; readonly blob: Blob }
  | { readonly kind: "picture"; readonly blob: Blob }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "activity-start" | "activity-end" | "stream-end" }
  | { readonly kind: "results"; readonly results: readonly JsonRecord[] };

/** Bytes with their media type. */
export interface Blob {
  readonly mimeType: string;
  /** Data in Base64. */
  readonly data: string;
}

/**
 * Reads a client's message, which has exactly one member as the vendor requires. A message with several inputs is
 * split. Throws Failure for any other message.
 */
export function liveMessagesOf({ data }: RealtimeMessage): readonly LiveMessage[] {
  const parsed = parseEvent(data);
  if (parsed === undefined) throw new Failure("invalid_json", "The message is not a JSON object.");
  const message = camel(parsed);
  const [name, ...others] = Object.keys(message).filter((each) => isThere(message[each]));
  if (name === undefined || others.length > 0)
    throw new Failure(
      "invalid_value",
      "A message has exactly one of setup, clientContent, realtimeInput, toolResponse.",
    );
  const read = ownEntry(readers, name);
  if (read === undefined) throw new Failure("invalid_value", `Unknown name ${JSON.stringify(name)}.`, { param: name });
  const value = message[name];
  if (!isRecord(value)) throw wrong(name, "an object");
  return read(camel(value));
}

const readers: Readonly<Record<string, (value: JsonRecord) => readonly LiveMessage[]>> = {
  setup: (setup) => [{ kind: "setup", setup }],
  clientContent: ({ turns, turnComplete }) => [
    { kind: "content", turns: objectsIn(turns, "clientContent.turns"), complete: turnComplete === true },
  ],
  toolResponse: ({ functionResponses }) => [
    { kind: "results", results: objectsIn(functionResponses, "toolResponse.functionResponses") },
  ],
  realtimeInput: inputOf,
};

function inputOf(input: JsonRecord): readonly LiveMessage[] {
  const { mediaChunks, audio, video, text, activityStart, activityEnd, audioStreamEnd, ...more } = input;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw new Failure("invalid_value", `Unknown name ${JSON.stringify(unknown)} at realtimeInput.`, { param: unknown });
  const at = "realtimeInput";
  const messages: LiveMessage[] = objectsIn(mediaChunks, `${at}.mediaChunks`).map((chunk) => {
    const blob = blobOf(chunk, `${at}.mediaChunks`);
    return { kind: blob.mimeType.startsWith("audio/") ? "audio" : "picture", blob };
  });
  if (isThere(activityStart)) messages.push({ kind: "activity-start" });
  if (isThere(audio)) messages.push({ kind: "audio", blob: blobOf(audio, `${at}.audio`) });
  if (isThere(video)) messages.push({ kind: "picture", blob: blobOf(video, `${at}.video`) });
  if (isThere(text)) messages.push({ kind: "text", text: textOf(text, `${at}.text`) });
  if (isThere(activityEnd)) messages.push({ kind: "activity-end" });
  if (audioStreamEnd === true) messages.push({ kind: "stream-end" });
  return messages;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Reads a client's bytes with their media type. Throws Failure (400). */
export function blobOf(value: unknown, path: string): Blob {
  if (!isRecord(value)) throw wrong(path, "an object");
  const { data, mimeType } = camel(value);
  return { data: textOf(data, `${path}.data`), mimeType: textOf(mimeType, `${path}.mimeType`) };
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrong(path, "a string");
  return value;
}

/** Reads a list of objects; a single object counts as a list, as at the vendor. Throws Failure (400). */
export function objectsIn(value: unknown, path: string): readonly JsonRecord[] {
  if (!isThere(value)) return [];
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed.map((each) => {
    if (!isRecord(each)) throw wrong(path, "a list of objects");
    return camel(each);
  });
}

/** Returns an object with its members in camelCase; vendors accept either spelling. Throws Failure for a duplicate. */
export function camel(value: JsonRecord): JsonRecord {
  const names = Object.keys(value);
  if (!names.some((name) => name.includes("_"))) return value;
  const pairs = Object.entries(value).map(([name, each]) => [camelName(name), each] as const);
  const after = Object.fromEntries(pairs);
  if (Object.keys(after).length < names.length)
    throw new Failure("invalid_value", "A member appears more than once, in two spellings.");
  return after;
}

function wrong(param: string, wanted: string): Failure {
  return new Failure("invalid_value", `${param} must be ${wanted}.`, { param });
}

/**
 * Returns the model in a live client's first message, without its resource path: `models/NAME`, or the longer path of a
 * cloud project. Throws Failure if the message is not a setup, or names no model.
 */
export function modelOfSetup(message: RealtimeMessage): string {
  const [first] = liveMessagesOf(message);
  if (first?.kind !== "setup") throw new Failure("invalid_value", "The first message must be the setup.");
  const { model } = first.setup;
  const name = typeof model === "string" ? modelResourcePattern.exec(model)?.[1] : undefined;
  if (name === undefined || name === "")
    throw new Failure("missing_required_parameter", "setup.model is missing.", { param: "setup.model" });
  return name;
}

const modelResourcePattern = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models\/)?(.+)$/s;

/** WebSocket close codes (RFC 6455) of a live vendor for a failed session. */
const codes = { invalid: 1007, policy: 1008, broken: 1011 } as const;
const refused: ReadonlySet<number> = new Set([401, 402, 403]);

/** Returns the code that closes a live client's session after a failure; the format has no error event. */
export function liveCloseCode({ status }: Failure): number {
  if (refused.has(status)) return codes.policy;
  return status >= 500 || status === 429 ? codes.broken : codes.invalid;
}

/** Renders the message by which the gateway warns a live client before it stops, in the vendor's format. */
export function goAwayMessage(leftMs: number): object {
  return { goAway: { timeLeft: `${Math.round(leftMs / 1_000)}s` } };
}
