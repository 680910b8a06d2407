import type { JsonRecord } from "../../json/fields.ts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import type { ModerationItem, ModerationPart, ModerationRequest } from "../hub/request.ts";

/** The request for a vendor of this wire. */
export function renderRequest(request: ModerationRequest, { model }: { readonly model: string }): RenderedRequest {
  const own = renderOwn(request.own, "moderations");
  return { body: { ...own.members, model, input: renderInput(request.items) }, dropped: own.dropped };
}

/** Texts are written as texts, which every model of this wire takes; parts only newer ones. */
function renderInput(items: readonly ModerationItem[]): unknown {
  const texts = items.flatMap(({ parts: [part, ...others] }) =>
    part?.kind === "text" && others.length === 0 ? [part.text] : [],
  );
  if (texts.length < items.length) return items.flatMap(({ parts }) => parts.map(renderPart));
  return texts.length === 1 ? texts[0] : texts;
}

function renderPart(part: ModerationPart): JsonRecord {
  return part.kind === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } };
}
