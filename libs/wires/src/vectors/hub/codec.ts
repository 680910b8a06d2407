import { Failure, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { KindCodec, KindContext } from "../../kind/codec.ts";
import type { VectorsAnswer } from "./answer.ts";
import type { VectorsRequest } from "./request.ts";
import type { VectorsWire } from "@modelgate/contracts";
import type { Vector } from "./vector.ts";

/** One wire of vectors, both directions. */
export type VectorsCodec = KindCodec<VectorsWire, VectorsRequest, VectorsAnswer>;
/** What of a codec a client needs: some clients' wires are no vendor's here. */
export type ClientVectorsCodec = Pick<VectorsCodec, "renderAnswer" | "spelling"> & { readonly wire: string };

/** What a vendor's wire of vectors must be able to do; some wires only vendors speak. */
export interface VectorsVendorCodec extends Pick<VectorsCodec, "wire" | "renderRequest"> {
  /** Throws Failure upstream_error for what is no answer. */
  parseAnswer(body: JsonRecord, headers: AnswerHeaders): VectorsAnswer;
  /** Inputs that the vendor takes in one request for a model: more are sent in several. */
  mostInputs(model: string): number;
  /** What the vendor says that the call used, in the body or its head; undefined where it says nothing. */
  readUsage(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
}

/** An answer's headers, by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type VectorsContext = KindContext<VectorsRequest>;

/** The vectors of an answer, one per input. Throws Failure upstream_error where there are more or fewer. */
export function vectorsFor({ request }: VectorsContext, { vectors }: VectorsAnswer): readonly Vector[] {
  const { length } = request.inputs;
  if (vectors.length === length) return vectors;
  throw new Failure("upstream_error", `The vendor gave ${vectors.length} vectors for ${length} inputs.`);
}
