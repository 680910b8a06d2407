import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { blobOf, camel, recordsIn, type Blob } from "./message.ts";
import { rateOf, Resampler } from "./sound.ts";

/** A live client's turns as items of a conversation in the realtime format. Throws Failure for what cannot be said. */
export function itemsOfTurns(turns: readonly JsonRecord[]): readonly JsonRecord[] {
  return turns.flatMap((turn, at) => {
    const path = `clientContent.turns[${at}].parts`;
    const isModel = turn["role"] === "model";
    const parts = recordsIn(turn["parts"], path).filter(({ thought }) => thought !== true);
    const content = parts.filter(isSaid).map((part) => contentOf(part, isModel, path));
    const role = isModel ? "assistant" : "user";
    const message = content.length === 0 ? [] : [{ type: "message", role, content }];
    return [...message, ...parts.filter((part) => !isSaid(part)).map((part) => callOf(part, path))];
  });
}

/** A result of a call as an item. */
export function itemOfResult(result: JsonRecord): JsonRecord {
  const { id, response } = result;
  if (typeof id !== "string" || id === "")
    throw new Failure("missing_required_parameter", "A function response needs the id of its call.", {
      param: "toolResponse.functionResponses.id",
    });
  return { type: "function_call_output", call_id: id, output: outputOf(response) };
}

/** A picture of the client's as an item. */
export function itemOfPicture(blob: Blob): JsonRecord {
  return { type: "message", role: "user", content: [pictureOf(blob)] };
}

/** Words of the client's as an item. */
export function itemOfText(text: string): JsonRecord {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function isSaid({ functionCall, functionResponse }: JsonRecord): boolean {
  return functionCall === undefined && functionResponse === undefined;
}

function contentOf(part: JsonRecord, isModel: boolean, path: string): JsonRecord {
  const { text, inlineData } = part;
  if (typeof text === "string") return { type: isModel ? "output_text" : "input_text", text };
  if (!isRecord(inlineData) || isModel) throw unsayable(path);
  const blob = blobOf(inlineData, `${path}.inlineData`);
  if (!blob.mimeType.startsWith("audio/")) return pictureOf(blob);
  return { type: "input_audio", audio: new Resampler().take(blob.data, rateOf(blob.mimeType)) };
}

function pictureOf({ mimeType, data }: Blob): JsonRecord {
  if (!mimeType.startsWith("image/")) throw unsayable("mimeType");
  return { type: "input_image", image_url: `data:${mimeType};base64,${data}` };
}

function callOf({ functionCall, functionResponse }: JsonRecord, path: string): JsonRecord {
  if (isRecord(functionResponse)) return itemOfResult(camel(functionResponse));
  if (!isRecord(functionCall)) throw unsayable(path);
  const { id, name, args } = camel(functionCall);
  return present({ type: "function_call", call_id: id, name, arguments: JSON.stringify(args ?? {}) });
}

/** A result that is one text is that text; every other one is written as JSON. */
function outputOf(response: unknown): string {
  if (isRecord(response) && Object.keys(response).length === 1 && typeof response["output"] === "string")
    return response["output"];
  return JSON.stringify(response ?? {});
}

function unsayable(param: string): Failure {
  return new Failure("unsupported_parameter", `${param} has what cannot be passed to the vendor of this model.`, {
    param,
  });
}
