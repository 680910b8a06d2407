import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { TextEvent } from "../hub/answer.ts";
import { callId } from "../hub/call-ids.ts";
import type { Seal } from "../hub/part.ts";
import type { PartBook } from "../hub/part-book.ts";
import { textOf } from "./parse-answer.ts";
import { readExtra } from "./seals.ts";

/** Characters of a call's arguments that are kept to see whether they are whole before the stream says so. */
const mostKept = 2 ** 20;

/** A call as far as it came. */
interface Call {
  readonly key: string;
  id: string;
  name: string;
  readonly custom: boolean;
  readonly pieces: string[];
  characters: number;
  seal: Seal | undefined;
}

/**
 * Tool calls of one choice. A call's number distinguishes its pieces from another's; those of vendors that give none, or the same to
 * all, are distinguished by ids. A call begins once its name is known.
 */
export class CallReader {
  readonly #book: PartBook;
  readonly #path: readonly (string | number)[];
  readonly #open = new Map<string, Call>();
  readonly #latest = new Map<unknown, Call>();
  #count = 0;

  constructor(book: PartBook, path: readonly (string | number)[]) {
    this.#book = book;
    this.#path = path;
  }

  /** Whether a piece begins a call. */
  isNew(piece: JsonRecord): boolean {
    const known = this.#latest.get(piece["index"]);
    const { id, name } = headOf(piece);
    if (known === undefined) return true;
    if (id !== "" && known.id !== "") return name !== "" && id !== known.id;
    return typeof piece["index"] !== "number" && name !== "";
  }

  take(piece: JsonRecord): readonly TextEvent[] {
    const call = this.#callOf(piece);
    call.seal = readExtra(piece["extra_content"], "chat") ?? call.seal;
    const { id, name, text } = headOf(piece);
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    call.characters += text.length;
    if (call.characters <= mostKept || !this.#book.isOpen(call.key)) call.pieces.push(text);
    if (this.#book.isOpen(call.key)) return this.#book.delta(call.key, text);
    return call.name === "" || !this.#open.has(call.key) ? [] : this.#start(call);
  }

  /** Ends the calls whose arguments are whole: another part begins, and vendors seldom come back to an older call. */
  settle(): readonly TextEvent[] {
    return [...this.#open.values()].filter(isWhole).flatMap((call) => this.#end(call));
  }

  /** Ends all of them. One that never got a name is dropped. */
  end(): readonly TextEvent[] {
    return [...this.#open.values()].flatMap((call) => this.#end(call));
  }

  #callOf(piece: JsonRecord): Call {
    const known = this.#latest.get(piece["index"]);
    if (known !== undefined && !this.isNew(piece)) return known;
    const key = `call:${this.#count++}`;
    const custom = isRecord(piece["custom"]);
    const call: Call = { key, id: "", name: "", custom, pieces: [], characters: 0, seal: undefined };
    this.#open.set(key, call);
    this.#latest.set(piece["index"], call);
    return call;
  }

  #start(call: Call): readonly TextEvent[] {
    const { key, name, custom, pieces } = call;
    if (call.id === "") call.id = callId(...this.#path, Number(key.slice("call:".length)), name);
    const opened = { kind: "tool-call", id: call.id, name } as const;
    const started = this.#book.start(key, custom ? { ...opened, custom } : opened);
    return [...started, ...this.#book.delta(key, pieces.join(""))];
  }

  #end(call: Call): readonly TextEvent[] {
    this.#open.delete(call.key);
    return this.#book.end(call.key, call.seal);
  }
}

interface Head {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

function headOf(piece: JsonRecord): Head {
  const called = isRecord(piece["custom"]) ? piece["custom"] : piece["function"];
  if (!isRecord(called)) return { id: textOf(piece["id"]), name: "", text: "" };
  const said: unknown = called["arguments"] ?? called["input"];
  return {
    id: textOf(piece["id"]),
    name: textOf(called["name"]),
    text: isRecord(said) ? JSON.stringify(said) : textOf(said),
  };
}

function isWhole({ characters, pieces }: Call): boolean {
  if (characters === 0 || characters > mostKept) return false;
  try {
    return isRecord(JSON.parse(pieces.join("")));
  } catch {
    return false;
  }
}
