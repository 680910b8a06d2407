import { withoutUndefined } from "@modelgate/contracts";
import type { Part, ToolResultPart } from "./part.ts";
import type { Turn } from "./request.ts";
import type { Envelope } from "./signatures.ts";

interface OpenTurn {
  readonly role: Turn["role"];
  readonly parts: Part[];
  /** True if adjacent turns of the same role become part of this one. */
  readonly joins: boolean;
}

/** Collects the turns of a conversation while its messages, items or steps are read. */
export class TurnCollector {
  readonly #turns: OpenTurn[] = [];
  readonly #names = new Map<string, string>();

  get turns(): readonly Turn[] {
    return this.#turns.map(({ role, parts }) => ({ role, parts }));
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  /** Adds a turn, or adds its parts to the last turn of the same role if both turns join. */
  add(role: Turn["role"], parts: readonly Part[], joins = false): void {
    for (const part of parts) if (part.kind === "tool-call") this.#names.set(part.id, part.name);
    const last = this.#turns.at(-1);
    if (joins && last?.joins === true && last.role === role) last.parts.push(...parts);
    else this.#turns.push({ role, parts: [...parts], joins });
  }

  /** Adds a tool's result; adjacent results are one turn. The result gets the name of its tool from the call. */
  answer(result: ToolResultPart): void {
    this.add("user", [withoutUndefined({ ...result, name: result.name ?? this.#names.get(result.callId) })], true);
  }

  attach(envelope: Envelope): void {
    attachSignature(this.#turns.at(-1)?.parts ?? [], envelope);
  }
}

/** Attaches a carried signature to its call, or to the last part; drops it if there is no such part. */
export function attachSignature(parts: Part[], { signature, call }: Envelope): void {
  const index =
    call === undefined ? parts.length - 1 : parts.findIndex((part) => part.kind === "tool-call" && part.id === call);
  const part = parts[index];
  if (part?.kind === "tool-call" || part?.kind === "text" || part?.kind === "image")
    parts[index] = { ...part, signature };
}
