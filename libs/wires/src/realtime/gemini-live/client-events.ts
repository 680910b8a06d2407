import { Failure, withoutUndefined } from "@modelgate/contracts";
import { missingFailure, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { unsupportedByVendor } from "../hub/message.ts";
import { parseBlob, toCamelCase, parseObjectList, type Blob, type LiveMessage } from "./client-message.ts";
import { checkSetup, setupMarksTurns, droppedSettings, sessionOfSetup, silenceDurationMs } from "./client-setup.ts";
import { parseSampleRate, Resampler, silence } from "./client-sound.ts";

interface EventContext {
  readonly allowsVendorTools: boolean;
  readonly transcriber: string | undefined;
  readonly isResponding: () => boolean;
  /** Records the result of a tool call. Returns true if no other result is missing. */
  readonly answerCall: (id: unknown) => boolean;
}

const createResponse = { type: "response.create" };
/** Silence in ms that is sent in addition to what makes the vendor end a turn. */
const extraSilenceMs = 300;

export class LiveEventConverter {
  readonly #context: EventContext;
  #resampler = new Resampler();
  #setup: JsonRecord | undefined;
  #hasSpeech = false;

  constructor(context: EventContext) {
    this.#context = context;
  }

  get setup(): JsonRecord {
    return this.#setup ?? {};
  }

  get unsupported(): readonly string[] {
    return droppedSettings(this.setup, this.#context.transcriber);
  }

  convert(message: LiveMessage): readonly JsonRecord[] {
    if ((message.kind === "setup") !== (this.#setup === undefined))
      throw new Failure("invalid_value", "The first message must be setup, and setup can be sent only once.");
    switch (message.kind) {
      case "setup":
        return [this.#begin(message.setup)];
      case "content":
        return [
          ...this.#interruption(),
          ...turnsToItems(message.turns).map(itemCreateEvent),
          ...(message.complete ? [createResponse] : []),
        ];
      case "text":
        return [
          ...this.#interruption(),
          itemCreateEvent(userMessage({ type: "input_text", text: message.text })),
          createResponse,
        ];
      case "picture":
        return [itemCreateEvent(userMessage(inputImage(message.blob)))];
      case "results":
        return this.#results(message.results);
      case "audio":
        this.#hasSpeech = true;
        return [
          {
            type: "input_audio_buffer.append",
            audio: this.#resampler.resample(message.blob.data, parseSampleRate(message.blob.mimeType)),
          },
        ];
      case "activity-start":
      case "activity-end":
      case "stream-end":
      default:
        return this.#convertMark(message.kind);
    }
  }

  #begin(setup: JsonRecord): JsonRecord {
    const { allowsVendorTools, transcriber } = this.#context;
    const session = sessionOfSetup(checkSetup(setup, allowsVendorTools), transcriber);
    this.#setup = setup;
    return { type: "session.update", session };
  }

  #interruption(): readonly JsonRecord[] {
    return this.#context.isResponding() ? [{ type: "response.cancel" }] : [];
  }

  #results(results: readonly JsonRecord[]): readonly JsonRecord[] {
    const items = results.map(resultItem).map(itemCreateEvent);
    const isLast = results.map(({ id }) => this.#context.answerCall(id)).at(-1) === true;
    return isLast ? [...items, createResponse] : items;
  }

  #convertMark(kind: "activity-start" | "activity-end" | "stream-end"): readonly JsonRecord[] {
    const isMarkedByClient = setupMarksTurns(this.setup);
    // Speech before and after a mark is separate, so the resampler starts again.
    this.#resampler = new Resampler();
    // If the vendor detects turns, silence ends the turn.
    if (kind === "stream-end")
      return isMarkedByClient || !this.#hasSpeech
        ? []
        : [{ type: "input_audio_buffer.append", audio: silence(silenceDurationMs(this.setup) + extraSilenceMs) }];
    if (!isMarkedByClient)
      throw new Failure(
        "invalid_value",
        "activityStart and activityEnd need setup.realtimeInputConfig.automaticActivityDetection.disabled.",
      );
    if (kind === "activity-start") return this.#interruption();
    // The vendor would refuse the commit of an empty buffer.
    const commit = this.#hasSpeech ? [{ type: "input_audio_buffer.commit" }] : [];
    this.#hasSpeech = false;
    return [...commit, createResponse];
  }
}

function itemCreateEvent(item: JsonRecord): JsonRecord {
  return { type: "conversation.item.create", item };
}

function turnsToItems(turns: readonly JsonRecord[]): readonly JsonRecord[] {
  return turns.flatMap((turn, index) => {
    const path = `clientContent.turns[${index}].parts`;
    const isModel = turn["role"] === "model";
    const parts = parseObjectList(turn["parts"], path).filter(({ thought }) => thought !== true);
    const content = parts.filter((part) => !isCallOrResult(part)).map((part) => convertPart(part, isModel, path));
    const role = isModel ? "assistant" : "user";
    const message = content.length === 0 ? [] : [{ type: "message", role, content }];
    return [...message, ...parts.filter(isCallOrResult).map((part) => callItem(part, path))];
  });
}

function resultItem(result: JsonRecord): JsonRecord {
  const { id, response } = result;
  if (typeof id !== "string" || id === "")
    throw missingFailure("toolResponse.functionResponses.id", "A function response needs the id of its call.");
  return { type: "function_call_output", call_id: id, output: renderOutput(response) };
}

function userMessage(content: JsonRecord): JsonRecord {
  return { type: "message", role: "user", content: [content] };
}

function isCallOrResult({ functionCall, functionResponse }: JsonRecord): boolean {
  return functionCall !== undefined || functionResponse !== undefined;
}

function convertPart(part: JsonRecord, isModel: boolean, path: string): JsonRecord {
  const { text, inlineData } = part;
  if (typeof text === "string") return { type: isModel ? "output_text" : "input_text", text };
  if (!isRecord(inlineData) || isModel) throw unsupportedByVendor(path);
  const blob = parseBlob(inlineData, `${path}.inlineData`);
  if (!blob.mimeType.startsWith("audio/")) return inputImage(blob);
  return { type: "input_audio", audio: new Resampler().resample(blob.data, parseSampleRate(blob.mimeType)) };
}

function inputImage({ mimeType, data }: Blob): JsonRecord {
  if (!mimeType.startsWith("image/")) throw unsupportedByVendor("mimeType");
  return { type: "input_image", image_url: `data:${mimeType};base64,${data}` };
}

function callItem({ functionCall, functionResponse }: JsonRecord, path: string): JsonRecord {
  if (isRecord(functionResponse)) return resultItem(toCamelCase(functionResponse));
  if (!isRecord(functionCall)) throw unsupportedByVendor(path);
  const { id, name, args } = toCamelCase(functionCall);
  return withoutUndefined({ type: "function_call", call_id: id, name, arguments: JSON.stringify(args ?? {}) });
}

function renderOutput(response: unknown): string {
  if (isRecord(response) && Object.keys(response).length === 1 && typeof response["output"] === "string")
    return response["output"];
  return JSON.stringify(response ?? {});
}
