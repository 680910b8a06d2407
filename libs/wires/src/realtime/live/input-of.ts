import type { JsonRecord } from "../../json/fields.ts";
import { isRecord } from "../../json/fields.ts";
import { pictureTextBytes, type ModelInput } from "../inspect.ts";
import { camel, type LiveMessage } from "./message.ts";

const none: ModelInput = { audioBytes: 0, textBytes: 0 };

/** What the model reads of a client's message, in bytes of audio and of text; roughly. */
export function inputOfLive(message: LiveMessage): ModelInput {
  switch (message.kind) {
    case "setup":
      // Instructions and tools are read by every response.
      return textInput([message.setup["systemInstruction"], message.setup["tools"]]);
    case "content":
      return message.turns.map(inputOfTurn).reduce(sum, none);
    case "audio":
      return { audioBytes: bytesOfBase64(message.blob.data), textBytes: 0 };
    case "picture":
      return { audioBytes: 0, textBytes: pictureTextBytes };
    case "text":
      return { audioBytes: 0, textBytes: Buffer.byteLength(message.text) };
    case "results":
      return textInput(message.results);
    case "activity-start":
    case "activity-end":
    case "stream-end":
    default:
      return none;
  }
}

function inputOfTurn({ parts }: JsonRecord): ModelInput {
  const listed: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  return listed.filter(isRecord).map(camel).map(inputOfPart).reduce(sum, none);
}

function inputOfPart(part: JsonRecord): ModelInput {
  const { text, inlineData } = part;
  if (typeof text === "string") return { audioBytes: 0, textBytes: Buffer.byteLength(text) };
  if (!isRecord(inlineData)) return textInput(part);
  const { mimeType, data } = camel(inlineData);
  if (typeof mimeType !== "string" || !mimeType.startsWith("audio/"))
    return { audioBytes: 0, textBytes: pictureTextBytes };
  return { audioBytes: bytesOfBase64(data), textBytes: 0 };
}

function textInput(value: unknown): ModelInput {
  return { audioBytes: 0, textBytes: Buffer.byteLength(JSON.stringify(value) ?? "") };
}

function bytesOfBase64(data: unknown): number {
  return typeof data === "string" ? (data.length * 3) / 4 : 0;
}

function sum(one: ModelInput, other: ModelInput): ModelInput {
  return { audioBytes: one.audioBytes + other.audioBytes, textBytes: one.textBytes + other.textBytes };
}
