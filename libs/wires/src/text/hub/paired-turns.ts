import { withoutUndefined } from "@modelgate/contracts";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "./request.ts";
import type { Part, ToolCallPart, ToolResultPart } from "./part.ts";

/** Returns all instructions. If some of them are in the middle of the dialogue, reports the loss of their place. */
export function allInstructions({ instructions, turns }: TextRequest, unsupported: Unsupported): readonly Part[] {
  const middle = turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  return [...instructions, ...middle.flatMap(({ parts }) => parts)];
}

/** Text of the result that is added for a call without one. */
export const missingResultText = "no result was given";

interface CallingTurn {
  readonly role: Turn["role"];
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

interface OpenCall {
  readonly part: ToolCallPart;
  readonly turn: CallingTurn;
}

/**
 * Returns the turns with each result directly after its call. Clients of some wires send results in any later turn, or
 * send the calls of one answer as several turns. A result without a call remains in its place, because some vendors
 * accept it; with `isStrict`, such a result is refused.
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
  for (const { part, turn } of calls.unanswered()) turn.results.push(withoutResult(part, isStrict));
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

/** Tracks the calls of a conversation, and gives them unique ids, because some vendors repeat ids in each answer. */
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

  /**
   * Adds a result to the turn of its call. Returns false if there is no such call; throws Failure if `isStrict` is
   * true.
   */
  answer(result: ToolResultPart, isStrict: boolean): boolean {
    const call = this.#open.get(result.callId)?.pop();
    if (call === undefined && isStrict) throw unsupportedFailure("a tool result without its call");
    call?.turn.results.push({ ...result, callId: call.part.id });
    return call !== undefined;
  }

  unanswered(): readonly OpenCall[] {
    return [...this.#open.values()].flat();
  }

  #uniqueId(id: string): string {
    const uses = (this.#used.get(id) ?? 0) + 1;
    this.#used.set(id, uses);
    return uses === 1 ? id : this.#uniqueId(`${id}_${uses}`);
  }
}
