import { withoutUndefined } from "@modelgate/contracts";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "./request.ts";
import type { Part, ToolCallPart, ToolResultPart } from "./part.ts";
import type { JsonRecord } from "@modelgate/formats/json";

/** Returns all instructions. Those in the middle of the dialogue move to the beginning, which is reported as a loss. */
export function allInstructions({ instructions, turns }: TextRequest, unsupported: Unsupported): readonly Part[] {
  const middle = turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  return [...instructions, ...middle.flatMap(({ parts }) => parts)];
}

/** Text of the result that is added for a call without one. */
const missingResultText = "no result was given";

/** A turn with the results of its calls, in the client's order. */
interface CallingTurn {
  readonly role: Turn["role"];
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

/** A call without a result, and the turn that its result belongs to. */
interface OpenCall {
  readonly part: ToolCallPart;
  readonly turn: CallingTurn;
}

/**
 * Returns the turns in an order that every wire accepts: all results of a turn's calls form one turn directly after it.
 * Clients of some wires send results in any later turn, or the calls of one answer as several turns. A turn of the
 * model is therefore joined to the turn with calls directly before it, a call without a result gets one, and a repeated
 * id is changed. A result without an earlier call stays in place, since some servers accept it; with `isStrict` it
 * throws Failure unsupported_parameter, and added results are marked as errors.
 */
export function pairedTurns(turns: readonly Turn[], isStrict = false): readonly Turn[] {
  const calls = new OpenCalls();
  const ordered: CallingTurn[] = [];
  let before: Turn["role"] | undefined;
  for (const { role, parts } of turns) {
    const last = ordered.at(-1);
    const joins =
      role === "assistant" && before === "assistant" && last?.parts.some(({ kind }) => kind === "tool-call") === true;
    const turn: CallingTurn = joins ? last : { role, parts: [], results: [] };
    for (const part of parts)
      if (part.kind === "tool-call") calls.open(part, turn);
      else if (part.kind !== "tool-result" || !calls.answer(part, isStrict)) turn.parts.push(part);
    if (!joins && turn.parts.length > 0) ordered.push(turn);
    before = role;
  }
  for (const { part, turn } of calls.left()) turn.results.push(withoutResult(part, isStrict));
  return ordered.flatMap(({ role, parts, results }): readonly Turn[] =>
    results.length === 0
      ? [{ role, parts }]
      : [
          { role, parts },
          { role: "user", parts: results },
        ],
  );
}

function withoutResult({ id, name, custom }: ToolCallPart, isError: boolean): ToolResultPart {
  const parts = [{ kind: "text", text: missingResultText }] as const;
  return withoutUndefined({
    kind: "tool-result",
    callId: id,
    name,
    parts,
    custom,
    isError: isError ? true : undefined,
  });
}

/** Tracks the calls of a conversation. Some vendors use the same ids again in each answer. */
class OpenCalls {
  /** Calls without a result by the client's id, the newest last. */
  readonly #open = new Map<string, OpenCall[]>();
  readonly #used = new Map<string, number>();

  open(call: ToolCallPart, turn: CallingTurn): void {
    const part = { ...call, id: this.#uniqueId(call.id) };
    const open = this.#open.get(call.id);
    if (open === undefined) this.#open.set(call.id, [{ part, turn }]);
    else open.push({ part, turn });
    turn.parts.push(part);
  }

  /** Adds a result to the turn of its call. If no call with its id is open, returns false, or throws if `isStrict`. */
  answer(result: ToolResultPart, isStrict: boolean): boolean {
    const call = this.#open.get(result.callId)?.pop();
    if (call === undefined && isStrict) throw unsupportedFailure("a tool result without its call");
    call?.turn.results.push({ ...result, callId: call.part.id });
    return call !== undefined;
  }

  left(): readonly OpenCall[] {
    return [...this.#open.values()].flat();
  }

  #uniqueId(id: string): string {
    const uses = (this.#used.get(id) ?? 0) + 1;
    this.#used.set(id, uses);
    return uses === 1 ? id : this.#uniqueId(`${id}_${uses}`);
  }
}

/** One message of a request, on wires whose content is a list of blocks. */
export interface Message {
  readonly role: Turn["role"];
  readonly content: readonly JsonRecord[];
}

/** Describes the blocks of a wire: renders a text, and recognises reasoning, calls and results. */
export interface MessageBlocks {
  text(text: string): JsonRecord;
  isReasoning(block: JsonRecord): boolean;
  /** Returns the id of the call in a block; undefined for other blocks. */
  callOf(block: JsonRecord): unknown;
  /** Returns the id of the call that a block is the result of; undefined for other blocks. */
  resultOf(block: JsonRecord): unknown;
}

/** Text of the user that is added before a history which begins with the assistant, since the vendor refuses it. */
export const openingText = "(The assistant speaks first.)";

/** Form of a vendor's conversation, and its support of instructions in the middle. */
interface PairOptions {
  readonly form: MessageBlocks;
  /** True if the vendor accepts messages of the role `system` after a user's message; else they move to the front. */
  readonly takesSystem?: boolean | undefined;
}

/**
 * Renders the dialogue for a vendor that requires all results of a turn's calls together at the beginning of the next
 * message. Adjacent turns of one role become one message. Without turns, the instructions become the user's text. A
 * history that begins with the assistant gets a user's opening, which is reported as a loss. Throws Failure
 * unsupported_parameter for a result without its call.
 */
export function renderPairedMessages(
  request: TextRequest,
  unsupported: Unsupported,
  render: (part: Part) => readonly JsonRecord[],
  { form, takesSystem = false }: PairOptions,
): { readonly system: readonly JsonRecord[]; readonly messages: readonly Message[] } {
  const turns = takesSystem ? request.turns : request.turns.filter(({ role }) => role !== "system");
  const front = takesSystem ? request.instructions : allInstructions(request, unsupported);
  const { messages, unplaced } = mergeTurns(pairedTurns(turns, true), render, unsupported);
  const system = [...front.flatMap(render), ...unplaced];
  if (messages.length === 0)
    return { system: [], messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
  const isOpened = messages[0]?.role === "user";
  unsupported.noteIf("turn.first-assistant", !isOpened);
  return { system, messages: isOpened ? messages : [{ role: "user", content: [form.text(openingText)] }, ...messages] };
}

interface OpenMessage extends Message {
  readonly content: JsonRecord[];
}

/**
 * Merges adjacent turns of one role. A message of the role `system` must follow a user's message and precede one of the
 * assistant, or end the list. Any other is moved after the next message of the user, or returned as `unplaced`. Both
 * changes are reported.
 */
function mergeTurns(turns: readonly Turn[], render: (part: Part) => readonly JsonRecord[], unsupported: Unsupported) {
  const joined: OpenMessage[] = [];
  const unplaced: JsonRecord[] = [];
  let waiting: JsonRecord[] = [];
  const place = (): void => {
    if (waiting.length > 0 && joined.at(-1)?.role === "user") joined.push({ role: "system", content: waiting });
    else {
      unsupported.noteIf("turn.system-place", waiting.length > 0);
      unplaced.push(...waiting);
    }
    waiting = [];
  };
  for (const { role, parts } of turns) {
    const media = parts.find(({ kind }) => kind === "image" || kind === "file");
    if (role === "assistant" && media !== undefined) throw unsupportedFailure(`${media.kind} parts of the model`);
    const content = parts.flatMap(render);
    if (content.length === 0) continue;
    if (role === "system") {
      waiting.push(...content);
      continue;
    }
    unsupported.noteIf("turn.system-place", role === "user" && waiting.length > 0);
    if (role === "assistant") place();
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...content);
    else joined.push({ role, content: [...content] });
  }
  place();
  return { messages: joined, unplaced };
}

/** Returns true if a turn after the user's last message has calls but does not begin with signed reasoning. */
export function hasUnsignedLoop(messages: readonly Message[], form: MessageBlocks): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && !content.some((block) => form.resultOf(block) !== undefined)) return false;
    const thinks = content[0] !== undefined && form.isReasoning(content[0]);
    if (role === "assistant" && content.some((block) => form.callOf(block) !== undefined) && !thinks) return true;
  }
  return false;
}
