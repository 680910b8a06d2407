import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { Part, Seal } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { callPart, sourcePart } from "./render-parts.ts";
import { clientSeal } from "./seals.ts";

/** A part of an answer for a client; none for what this wire has no word for. */
export function answerPart(part: Part): readonly JsonObject[] {
  if (part.kind === "text") return [saidPart(part.text, false, part.seal)];
  if (part.kind === "refusal") return [{ text: part.text }];
  if (part.kind === "reasoning") return [saidPart(part.text, true, part.seal)];
  if (part.kind === "tool-call") return [callPart(part, clientSeal(part.seal))];
  if (part.kind === "image") return [present({ ...mediaOf(part), thoughtSignature: clientSeal(part.seal) })];
  if (part.kind === "audio" || part.kind === "video") return [mediaOf(part)];
  return part.kind === "vendor" && part.wire === "content" && isRecord(part.value) ? [part.value] : [];
}

/** Words or thoughts, with the seal that the client is to send back. */
export function saidPart(text: string, thought: boolean, seal: Seal | undefined): JsonObject {
  const said = thought ? { text, thought } : { text };
  const thoughtSignature = clientSeal(seal);
  return thoughtSignature === undefined ? said : { ...said, thoughtSignature };
}

function mediaOf({ source }: Extract<Part, { kind: "image" | "audio" | "video" }>): JsonObject {
  return source.kind === "file-id" && source.wire !== "content" ? {} : sourcePart(source);
}
