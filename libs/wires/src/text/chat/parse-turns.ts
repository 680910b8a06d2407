import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { CallPairs, callId } from "../hub/call-ids.ts";
import { withSources } from "../hub/content.ts";
import type { Part, TextPart, ToolResultPart } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import { parseCitations } from "./citations.ts";
import { modelParts } from "./parse-model.ts";
import { parseCache, parseContent } from "./parse-parts.ts";

/** Messages that one request may have. */
const mostMessages = 20_000;

/** The conversation in `messages`. */
export interface Conversation {
  /** System and developer messages before the dialogue. */
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/** State while messages are read: results of tools that follow each other are one turn. */
class Dialogue implements Conversation {
  readonly instructions: TextPart[] = [];
  readonly turns: { readonly role: Turn["role"]; readonly parts: Part[]; readonly results: boolean }[] = [];
  readonly calls = new CallPairs();
  /** Ids of calls of free-text tools, whose results are theirs too. */
  readonly custom = new Set<string>();

  say(role: Turn["role"], parts: readonly Part[]): void {
    if (parts.length > 0) this.turns.push({ role, parts: [...parts], results: false });
  }

  answer(result: ToolResultPart): void {
    const last = this.turns.at(-1);
    if (last?.results === true) last.parts.push(result);
    else this.turns.push({ role: "user", parts: [result], results: true });
  }
}

/** Reads `messages`. Throws Failure (400) for what is wrong in them. */
export function parseTurns(body: Fields): Conversation {
  const dialogue = new Dialogue();
  if (!body.has("messages")) body.needText("messages");
  for (const [index, message] of body.each("messages", mostMessages).entries())
    readers[message.word("role", roles) ?? missingRole(message)](dialogue, message, index);
  const { instructions, turns } = dialogue;
  return { instructions, turns: turns.map(({ role, parts }) => ({ role, parts })) };
}

const roles = ["system", "developer", "user", "assistant", "tool", "function"] as const;

type ReadMessage = (dialogue: Dialogue, message: Fields, index: number) => void;

const readers: Readonly<Record<(typeof roles)[number], ReadMessage>> = {
  system: readSystem,
  developer: readSystem,
  user: (dialogue, message) => dialogue.say("user", parseContent(message, "content")),
  assistant: (dialogue, message, index) => {
    const cited = parseCitations(message.raw("annotations"));
    const said = modelParts(message, { calls: dialogue.calls, path: [index], google: "content" });
    const parts = withSources(said, cited, []);
    for (const part of parts) if (part.kind === "tool-call" && part.custom === true) dialogue.custom.add(part.id);
    dialogue.say("assistant", parts);
  },
  tool: (dialogue, message) => readResult(dialogue, message, message.needText("tool_call_id")),
  function: (dialogue, message, index) => {
    const name = message.needText("name");
    readResult(dialogue, message, dialogue.calls.answered(undefined, name) ?? callId(index, name));
  },
};

function missingRole(message: Fields): never {
  message.needText("role");
  throw message.wrong("role", `one of ${roles.join(", ")}`);
}

function readSystem(dialogue: Dialogue, message: Fields): void {
  const parts = parseContent(message, "content").map((part) => {
    if (part.kind === "text") return part;
    throw message.wrong("content", "text only in a system or developer message");
  });
  if (dialogue.turns.length === 0) dialogue.instructions.push(...parts);
  else dialogue.say("system", parts);
}

function readResult(dialogue: Dialogue, message: Fields, id: string): void {
  const parts = parseContent(message, "content").map((part) => {
    if (part.kind === "text" || part.kind === "image" || part.kind === "file") return part;
    throw message.wrong("content", "text, images and files");
  });
  const name = message.text("name") ?? dialogue.calls.nameOf(id);
  const cache = parseCache(message);
  dialogue.calls.answered(id, name ?? "");
  dialogue.answer(
    present({
      kind: "tool-result",
      callId: id,
      name,
      parts,
      ...(dialogue.custom.has(id) ? { custom: true } : {}),
      cache,
    }),
  );
}
