import { receivedSpeechTokens, millisecondsOf } from "../../core/speech.ts";
import { tokensOf } from "../../core/tokens.ts";
import { isRecord, listAt, textAt } from "../../checks/members.ts";

/** Item of a conversation. */
export interface Item {
  readonly id: string;
  readonly type: "message" | "function_call" | "function_call_output";
  readonly role?: string | undefined;
  readonly callId?: string | undefined;
  readonly name?: string | undefined;
  /** Texts and transcripts, arguments, or the output of a call. */
  readonly words: string;
  readonly audioBytes: number;
  /** Same as `words`, without transcripts of speech, which have no tokens. */
  readonly texts: string;
}

/** Token counts by modality. */
export interface ItemTokens {
  readonly text: number;
  readonly audio: number;
}

export function tokensOfItem({ texts, audioBytes, name = "" }: Item): ItemTokens {
  return { text: tokensOf(texts + name), audio: receivedSpeechTokens(audioBytes) };
}

/** Creates an item from a checked event. */
export function itemFrom(value: unknown, id: string): Item {
  const type = textAt(value, "type");
  if (type === "function_call_output")
    return { id, type, callId: textAt(value, "call_id"), ...textMembers(textAt(value, "output") ?? "") };
  if (type === "function_call")
    return {
      id,
      type,
      callId: textAt(value, "call_id"),
      name: textAt(value, "name"),
      ...textMembers(textAt(value, "arguments") ?? ""),
    };
  const parts = listAt(value, "content").filter(isRecord);
  const audio = parts.map((part) => Buffer.from(textAt(part, "audio") ?? "", "base64").length);
  const texts = parts.map((part) => textAt(part, "text") ?? "").join("");
  const transcripts = parts.map((part) => textAt(part, "transcript") ?? "").join("");
  const audioBytes = audio.reduce((sum, bytes) => sum + bytes, 0);
  return { id, type: "message", role: textAt(value, "role"), words: texts + transcripts, audioBytes, texts };
}

/** Creates an item of speech. Its text states the duration. */
export function spokenItem(id: string, audio: Buffer): Item {
  const words = `${millisecondsOf(audio.length)} ms of speech`;
  return { id, type: "message", role: "user", words, audioBytes: audio.length, texts: "" };
}

function textMembers(words: string): Pick<Item, "words" | "audioBytes" | "texts"> {
  return { words, audioBytes: 0, texts: words };
}

export function shownItem(
  { id, type, role, callId, name, words, audioBytes, texts }: Item,
  status = "completed",
): object {
  const common = { id, object: "realtime.item", type, status };
  if (type === "function_call") return { ...common, call_id: callId, name, arguments: words };
  if (type === "function_call_output") return { ...common, call_id: callId, output: words };
  const from = role === "assistant" ? "output" : "input";
  const content =
    audioBytes > 0
      ? { type: `${from}_audio`, transcript: role === "assistant" ? words : null }
      : { type: `${from}_text`, text: texts };
  return { ...common, role, content: [content] };
}
