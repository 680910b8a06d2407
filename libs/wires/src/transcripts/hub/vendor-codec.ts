import type { Units, VendorTranscriptsWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Transcript } from "./answer.ts";
import type { FormEntry, TranscriptsRequest } from "./request.ts";

/** How a request and its file travel to a vendor. */
export type RenderedTranscripts = {
  /** Hints left out: fields of the neutral form, or the client's own. */
  readonly dropped: readonly string[];
} & (
  | { readonly kind: "form"; readonly model: FormEntry; readonly entries: readonly FormEntry[] }
  /** The body is the file; all else stands in the address. */
  | { readonly kind: "bytes"; readonly query: Readonly<Record<string, string>> }
  /** The file stands in JSON. */
  | { readonly kind: "json"; readonly mostBytes: number; body(file: Base64File): JsonRecord }
);

/** A file in Base64. */
export interface Base64File {
  readonly mediaType: string;
  readonly data: string;
}

/** A wire of transcripts that only vendors speak. Pure and synchronous. */
export interface VendorTranscriptsCodec {
  readonly wire: VendorTranscriptsWire;
  /** Throws Failure unsupported_parameter for a format that cannot be made of the vendor's answer. */
  renderRequest(request: TranscriptsRequest, target: { readonly model: string }): RenderedTranscripts;
  /** Throws Failure upstream_error for what is no transcript. */
  parseAnswer(body: JsonRecord): Transcript;
  /** What the vendor says that it used: tokens, or the seconds that it heard; undefined where it says neither. */
  readUsage(body: JsonRecord): Units | undefined;
}
