import { Failure } from "@modelgate/contracts";
import {
  camelName,
  invalidFailure,
  isRecord,
  missingFailure,
  ownEntry,
  type JsonRecord,
} from "@modelgate/formats/json";
import { parseEvent, type RealtimeMessage } from "../hub/message.ts";

/** Input in a message of a Gemini Live client, with members in camelCase. */
export type LiveMessage =
  | { readonly kind: "setup"; readonly setup: JsonRecord }
  | { readonly kind: "content"; readonly turns: readonly JsonRecord[]; readonly complete: boolean }
  | { readonly kind: "audio"; readonly blob: Blob }
  | { readonly kind: "picture"; readonly blob: Blob }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "activity-start" | "activity-end" | "stream-end" }
  | { readonly kind: "results"; readonly results: readonly JsonRecord[] };

export interface Blob {
  readonly mimeType: string;
  readonly data: string;
}

/** Reads a client's message, which may contain several inputs. Throws Failure unless it has exactly one member. */
export function liveMessagesOf({ data }: RealtimeMessage): readonly LiveMessage[] {
  const parsed = parseEvent(data);
  if (parsed === undefined) throw new Failure("invalid_json", "The message is not a JSON object.");
  const message = toCamelCase(parsed);
  const [name, ...others] = Object.keys(message).filter((each) => isPresent(message[each]));
  if (name === undefined || others.length > 0)
    throw new Failure(
      "invalid_value",
      "A message has exactly one of setup, clientContent, realtimeInput, toolResponse.",
    );
  const read = ownEntry(messageReaders, name);
  if (read === undefined) throw invalidFailure(name, `Unknown name ${JSON.stringify(name)}.`);
  const value = message[name];
  if (!isRecord(value)) throw invalidFailure(name, `${name} must be an object.`);
  return read(toCamelCase(value));
}

const messageReaders: Readonly<Record<string, (value: JsonRecord) => readonly LiveMessage[]>> = {
  setup: (setup) => [{ kind: "setup", setup }],
  clientContent: ({ turns, turnComplete }) => [
    { kind: "content", turns: parseObjectList(turns, "clientContent.turns"), complete: turnComplete === true },
  ],
  toolResponse: ({ functionResponses }) => [
    { kind: "results", results: parseObjectList(functionResponses, "toolResponse.functionResponses") },
  ],
  realtimeInput: parseRealtimeInput,
};

function parseRealtimeInput(input: JsonRecord): readonly LiveMessage[] {
  const { mediaChunks, audio, video, text, activityStart, activityEnd, audioStreamEnd, ...unknownMembers } = input;
  const [unknown] = Object.keys(unknownMembers);
  if (unknown !== undefined) throw invalidFailure(unknown, `Unknown name ${JSON.stringify(unknown)} at realtimeInput.`);
  const path = "realtimeInput";
  const messages: LiveMessage[] = parseObjectList(mediaChunks, `${path}.mediaChunks`).map((chunk) => {
    const blob = parseBlob(chunk, `${path}.mediaChunks`);
    return { kind: blob.mimeType.startsWith("audio/") ? "audio" : "picture", blob };
  });
  if (isPresent(activityStart)) messages.push({ kind: "activity-start" });
  if (isPresent(audio)) messages.push({ kind: "audio", blob: parseBlob(audio, `${path}.audio`) });
  if (isPresent(video)) messages.push({ kind: "picture", blob: parseBlob(video, `${path}.video`) });
  if (isPresent(text)) messages.push({ kind: "text", text: requireString(text, `${path}.text`) });
  if (isPresent(activityEnd)) messages.push({ kind: "activity-end" });
  if (audioStreamEnd === true) messages.push({ kind: "stream-end" });
  return messages;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function parseBlob(value: unknown, path: string): Blob {
  if (!isRecord(value)) throw invalidFailure(path, `${path} must be an object.`);
  const { data, mimeType } = toCamelCase(value);
  return { data: requireString(data, `${path}.data`), mimeType: requireString(mimeType, `${path}.mimeType`) };
}

function requireString(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidFailure(path, `${path} must be a string.`);
  return value;
}

/** Reads an object or a list of objects, as the vendor does. Throws Failure (400). */
export function parseObjectList(value: unknown, path: string): readonly JsonRecord[] {
  if (!isPresent(value)) return [];
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed.map((each) => {
    if (!isRecord(each)) throw invalidFailure(path, `${path} must be a list of objects.`);
    return toCamelCase(each);
  });
}

/** Returns an object with its members in camelCase. Throws Failure if a member appears in both spellings. */
export function toCamelCase(value: JsonRecord): JsonRecord {
  const names = Object.keys(value);
  if (!names.some((name) => name.includes("_"))) return value;
  const pairs = Object.entries(value).map(([name, each]) => [camelName(name), each] as const);
  const after = Object.fromEntries(pairs);
  if (Object.keys(after).length < names.length)
    throw new Failure("invalid_value", "A member appears more than once, in two spellings.");
  return after;
}

/** Returns the model of a client's setup. Throws Failure for any other message. */
export function modelOfSetup(message: RealtimeMessage): string {
  const [first] = liveMessagesOf(message);
  if (first?.kind !== "setup") throw new Failure("invalid_value", "The first message must be the setup.");
  const { model } = first.setup;
  const name = typeof model === "string" ? modelResourcePattern.exec(model)?.[1] : undefined;
  if (name === undefined || name === "") throw missingFailure("setup.model", "setup.model is missing.");
  return name;
}

const modelResourcePattern = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models\/)?(.+)$/s;

/** WebSocket close codes (RFC 6455). */
const closeCodes = { invalid: 1007, policy: 1008, broken: 1011 } as const;
const refusalStatuses: ReadonlySet<number> = new Set([401, 402, 403]);

/** Returns the code with which a client's session is closed after a failure. */
export function liveCloseCode({ status }: Failure): number {
  if (refusalStatuses.has(status)) return closeCodes.policy;
  return status >= 500 || status === 429 ? closeCodes.broken : closeCodes.invalid;
}

/** Renders the Live API's message that the session ends soon. */
export function goAwayMessage(leftMs: number): object {
  return { goAway: { timeLeft: `${Math.round(leftMs / 1_000)}s` } };
}
