import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { Unsupported } from "../../text/hub/unsupported.ts";
import type { VectorContent, VectorsRequest } from "../hub/request.ts";

/** The request for a vendor of this wire. Tasks and titles of another wire are hints, and dropped. */
export function renderRequest(request: VectorsRequest, { model }: { readonly model: string }): RenderedRequest {
  const own = renderOwn(request.own, "embeddings");
  const unsupported = new Unsupported();
  for (const name of own.dropped) unsupported.note(name);
  for (const { task, title } of request.inputs) {
    // A task that came in this wire is among its own members.
    if (request.own?.wire !== "embeddings") unsupported.noteIf("task", task);
    unsupported.noteIf("title", title);
  }
  const body = present({
    ...own.members,
    model,
    input: renderInput(request.inputs.map(({ content }) => content)),
    dimensions: request.dimensions,
    encoding_format: request.encoding,
    user: request.user,
  });
  return { body, dropped: unsupported.words };
}

function renderInput(contents: readonly VectorContent[]): unknown {
  const [first] = contents;
  const values = contents.map(renderOne);
  // One text, or one array of tokens, is written as it is: every vendor takes that.
  return contents.length === 1 && first?.kind !== "own" ? values[0] : values;
}

function renderOne(content: VectorContent): string | readonly number[] | JsonRecord {
  if (content.kind === "text") return content.text;
  if (content.kind === "tokens") return content.tokens;
  if (content.wire !== "embeddings") throw unsupportedFailure("inputs", "The vendor of this model takes only text.");
  return content.value;
}
