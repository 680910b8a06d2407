import { createHash, type Hash } from "node:crypto";
import type { ServiceCall } from "@modelgate/platform";
import type { Conversation, RelayDeps } from "@modelgate/relay";
import { isRecord, type JsonRecord } from "@modelgate/wires/json";
import type { TextAsk } from "@modelgate/wires/text";
import { asksForThoughts } from "./asks-for-thoughts.ts";
import type { Deps } from "./deps.ts";
import { storeUseOf, type StoreUse } from "./vendor-ids.ts";

/** The wires whose requests tell of a conversation. */
export type ConversationWire = "chat" | "responses" | "messages" | "content";

/** A text request, with what only its parsed body tells. */
export interface TurnAsk extends TextAsk, StoreUse {
  /** The conversation that it is a turn of; absent also where its model can be reached one way only. */
  readonly conversation?: Conversation | undefined;
  /** Whether it asks for thoughts. */
  readonly thinks?: boolean;
}

/** A look at a call's body that tells its conversation too, where that may decide where it goes. */
export function asTurn<Ask extends TextAsk>(
  { relay }: Pick<Deps, "relay">,
  call: Pick<ServiceCall, "caller">,
  wire: ConversationWire,
  ask: (body: unknown) => Ask,
): (body: unknown) => Promise<Ask & TurnAsk> {
  return async (body) => {
    const asked = ask(body);
    const conversation = hasChoice(relay, call, asked.model) ? conversationOf(wire, body) : undefined;
    return { ...asked, conversation, thinks: asksForThoughts(body), ...(await storeUseOf({ relay }, wire, body)) };
  };
}

/** Most characters of a conversation's beginning that tell it from others. */
const mostCharacters = 16 * 1024;

/** Members that change from turn to turn, or that clients leave out of what they send back. */
const unsteady: ReadonlySet<string> = new Set([
  "cache_control",
  "data",
  "encrypted_content",
  "id",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "role",
  "signature",
  "status",
  "summary",
  "thinking",
  "thought",
  "thoughtSignature",
  "type",
]);

/**
 * How a request's conversation is known again. The client's own word for it (`prompt_cache_key`) is enough; else the
 * words before the first answer, with whose they are (`user`, `metadata.user_id`), and from the second turn on with the
 * first answer too, which tells apart conversations that begin alike. A request that only begins one looks for nothing:
 * it goes wherever weights and turns say. Undefined where nothing can be told.
 */
export function conversationOf(wire: ConversationWire, body: unknown): Conversation | undefined {
  if (!isRecord(body)) return undefined;
  const named = body["prompt_cache_key"];
  if (typeof named === "string" && named !== "") {
    const name = new Words().take("named").take(named).digest();
    return { find: [name], keep: name };
  }
  const { instructions, turns } = saidIn(wire, body);
  const at = turns.findIndex(isAnswer);
  const opening = at < 0 ? turns : turns.slice(0, at);
  if (opening.length === 0) return undefined;
  const user = userOf(body);
  const begun = (): Words => new Words().take(user).take(instructions).take(opening);
  const first = begun().digest();
  if (at < 0) return { find: [], keep: first };
  // Reasoning is left out of what some clients send back.
  const answer = turns.slice(at).find((turn) => isAnswer(turn) && turn["type"] !== "reasoning");
  const own = begun().take("answered").take(answer).digest();
  return { find: [own, first], keep: own };
}

/** What was said, wherever a wire has it. Instructions of responses do not go on from turn to turn: they are left out. */
function saidIn(wire: ConversationWire, body: JsonRecord): { instructions: unknown; turns: readonly JsonRecord[] } {
  if (wire === "responses") {
    const { input } = body;
    return { instructions: undefined, turns: typeof input === "string" ? [{ content: input }] : records(input) };
  }
  if (wire === "content")
    return { instructions: body["systemInstruction"] ?? body["system_instruction"], turns: records(body["contents"]) };
  return { instructions: body["system"], turns: records(body["messages"]) };
}

function records(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Items of responses that a model made are not all messages. */
const answerTypes: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "reasoning",
  "web_search_call",
]);

function isAnswer({ role, type }: JsonRecord): boolean {
  return role === "assistant" || role === "model" || answerTypes.has(type);
}

function userOf(body: JsonRecord): unknown {
  const metadata = body["metadata"];
  return body["user"] ?? body["safety_identifier"] ?? (isRecord(metadata) ? metadata["user_id"] : undefined);
}

/** The words of a value in their order, whatever holds them: a text and a list with one text are the same. */
class Words {
  readonly #hash: Hash = createHash("sha256");
  #left = mostCharacters;

  take(value: unknown): this {
    this.#walk(value);
    this.#hash.update("\0\0");
    return this;
  }

  digest(): string {
    return this.#hash.digest("base64url");
  }

  #walk(value: unknown): void {
    if (this.#left <= 0) return;
    this.#left--;
    if (typeof value === "string") {
      this.#hash.update(value.slice(0, this.#left)).update("\0");
      this.#left -= value.length;
    } else if (Array.isArray(value)) {
      for (const item of value) this.#walk(item);
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) if (!unsteady.has(name)) this.#walk(member);
    }
  }
}

/** Whether there is more than one way that a call of a model can go: else there is nothing to remember of where it went. */
function hasChoice(
  { catalog }: Pick<RelayDeps, "catalog">,
  { caller }: Pick<ServiceCall, "caller">,
  model: string,
): boolean {
  const candidates = catalog.current().candidates(model, caller.group);
  return candidates.length > 1 || candidates.some(({ channel }) => channel.keys.length > 1);
}
