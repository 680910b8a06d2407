import { present } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { ownMembers } from "../../kind/own-members.ts";
import {
  mostItems,
  mostParts,
  type ModerationItem,
  type ModerationPart,
  type ModerationRequest,
} from "../hub/request.ts";

/** The model of a request that names none, as the wire's vendor has it. */
export const defaultModerationModel = "omni-moderation-latest";

/** A request in the neutral form; unknown members travel on to vendors of this wire. */
export function parseRequest(body: JsonRecord): ParsedRequest<ModerationRequest> {
  const fields = new Fields(body);
  const model = fields.text("model") ?? defaultModerationModel;
  if (model === "") throw fields.wrong("model", "a string that is not empty");
  const request: ModerationRequest = {
    model,
    items: parseTurns(fields),
    ...present({ own: ownMembers("moderations", fields) }),
  };
  return { request, dropped: [] };
}

/** `input`: a text, texts (each judged on its own), or parts (judged together). */
function parseTurns(fields: Fields): readonly ModerationItem[] {
  const input = fields.need("input");
  if (typeof input === "string") return [itemOf(input)];
  if (!Array.isArray(input) || input.length === 0)
    throw fields.wrong("input", "a string or an array that is not empty");
  if (isRecord(input[0])) return [{ parts: fields.each("input", mostParts).map(parsePart) }];
  if (input.length > mostItems) throw fields.wrong("input", `at most ${mostItems} texts`);
  return (fields.texts("input") ?? []).map(itemOf);
}

function itemOf(text: string): ModerationItem {
  return { parts: [{ kind: "text", text }] };
}

function parsePart(part: Fields): ModerationPart {
  const type = part.word("type", ["text", "image_url"]);
  if (type === "text") return { kind: "text", text: part.needText("text") };
  if (type === undefined) part.need("type");
  part.need("image_url");
  return { kind: "image", url: part.fields("image_url")?.needText("url") ?? "" };
}
