import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "@modelgate/formats/json";
import type { Citation } from "../hub/part.ts";
import type { CacheHint } from "../hub/request.ts";
import { encodeEnvelope, decodeEnvelope, redactedKind, type Envelope } from "../hub/signatures.ts";

/** Creates a block that carries another vendor's signature of a text or call; clients send it back unread. */
export function signatureBlock(envelope: Envelope): JsonRecord {
  return { type: "redacted_thinking", data: encodeEnvelope(envelope) };
}

/** Reads the data of a `redacted_thinking` block: an envelope of the gateway, or the vendor's redacted reasoning. */
export function readEnvelope(data: string): Envelope {
  return decodeEnvelope(data) ?? { signature: { wire: "messages", kind: redactedKind, value: data } };
}

/** Value of `encrypted_index` in citations of other vendors, which have no such index. */
const noIndex = "";

/** Parses a citation, with the complete value for vendors and clients of this wire; empty if it is not an object. */
export function parseCitation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, source, title, document_title: document, cited_text: citedText, encrypted_index: index } = value;
  return [
    withoutUndefined({
      url: textOr(url, source),
      title: textOr(title, document),
      citedText: textOr(citedText),
      own: index === noIndex ? undefined : ({ wire: "messages", value } as const),
    }),
  ];
}

function textOr(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

/** Renders a citation for a client: unchanged if it is this wire's, else from its address. */
export function renderCitation({ own, url, title, citedText }: Citation): readonly unknown[] {
  if (own?.wire === "messages") return [own.value];
  if (url === undefined) return [];
  const cited: JsonRecord = {
    type: "web_search_result_location",
    url,
    title: title ?? null,
    encrypted_index: noIndex,
    cited_text: citedText ?? "",
  };
  return [cited];
}

/** Returns the citations that this wire's vendor made, to send them back; it refuses all others. */
export function ownCitations(citations: readonly Citation[]): readonly unknown[] {
  return citations.flatMap(({ own }) => (own?.wire === "messages" ? [own.value] : []));
}

/** Parses `cache_control` of a block or tool to the member `cache`; an empty object if it is absent. */
export function parseCache(of: Fields): { readonly cache?: CacheHint } {
  const control = of.fields("cache_control");
  if (control === undefined) return {};
  control.oneOf("type", ["ephemeral"]);
  return { cache: withoutUndefined({ lifetime: control.oneOf("ttl", ["5m", "1h"]) }) };
}

export function renderCache(cache: CacheHint | undefined): JsonRecord | undefined {
  return cache === undefined ? undefined : withoutUndefined({ type: "ephemeral", ttl: cache.lifetime });
}
