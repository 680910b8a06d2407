import { Failure } from "@modelgate/contracts";
import { parseJson, renderJson, type JsonLimits } from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { RecordMemory } from "../record-reader.ts";
import type { TurnStore } from "../turn-store.ts";
import type { StoredThread } from "./thread-store.ts";

/** A request to create or continue a thread. */
export interface RequestedThread {
  /** Id of the message to continue from; undefined for a new thread. */
  readonly previousId: string | undefined;
  readonly body: JsonObject;
}

/** Fields that are set when a thread is created, and that later requests must not contain. */
const createOnly = ["system", "tools"] as const;

/** Reads the `thread` field of a body, if there is one. Throws Failure (400) if the field is invalid. */
export function requestedThread(body: unknown): RequestedThread | undefined {
  const thread = isRecord(body) ? (body["thread"] ?? undefined) : undefined;
  if (thread === undefined || !isRecord(body)) return undefined;
  const { type, previous_message_id: previousId } = isRecord(thread) ? thread : {};
  if (type === "create") return { previousId: undefined, body };
  if (type !== "continue") throw invalidField("thread.type", "must be create or continue");
  if (typeof previousId !== "string" || previousId === "")
    throw invalidField("thread.previous_message_id", "must be the id of a message");
  for (const name of createOnly)
    if ((body[name] ?? undefined) !== undefined)
      throw invalidField(name, "cannot be changed on a thread: the thread keeps its first value");
  return { previousId, body };
}

/** A turn of a thread as a complete request, which does not refer to stored data. */
export interface CompleteTurn {
  readonly value: unknown;
  readonly bytes: Buffer;
  /** The conversation before the answer. */
  readonly history: StoredThread;
}

interface CompleteTurnDeps {
  readonly threads: Pick<TurnStore<StoredThread>, "find">;
  readonly body: JsonLimits;
}

/** Adds the stored messages of a thread to a turn. Throws Failure, for example thread_not_found (404). */
export async function completeTurn(
  { threads: store, body: limits }: CompleteTurnDeps,
  accountId: string,
  { previousId, body }: RequestedThread,
  memory: RecordMemory,
): Promise<CompleteTurn> {
  const { thread: _thread, ...request } = body;
  const newMessages = Array.isArray(request["messages"]) ? request["messages"].filter(isRecord) : [];
  const before = previousId === undefined ? undefined : await store.find(accountId, previousId, memory);
  if (previousId !== undefined && before === undefined) throw notFound(previousId);
  const messages = [...(before?.messages ?? []), ...newMessages];
  const head = before?.head ?? headOf(request);
  const bytes = await renderJson({ ...request, ...head, messages }, Infinity);
  if (bytes.length > limits.maxBytes)
    throw new Failure("request_too_large", `The whole conversation is larger than ${limits.maxBytes} bytes.`);
  // The complete conversation must also be within the limits of a body.
  return { value: await parseJson(bytes, limits), bytes, history: { messages, head } };
}

function headOf(body: JsonObject): JsonObject {
  return Object.fromEntries(createOnly.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

function notFound(id: string): Failure {
  return new Failure(
    "thread_not_found",
    `The thread of the message ${JSON.stringify(id.slice(0, 200))} does not exist or has expired.`,
    {
      param: "thread.previous_message_id",
      details: { error_code: "thread_not_found" },
    },
  );
}

function invalidField(param: string, problem: string): Failure {
  return new Failure("invalid_value", `${param} ${problem}.`, { param });
}
