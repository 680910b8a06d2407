import { Failure } from "@modelgate/contracts";
import type { KindCodec, KindContext } from "../../kind/codec.ts";
import type { VectorsAnswer } from "./answer.ts";
import type { VectorsRequest } from "./request.ts";
import type { VectorsWire } from "@modelgate/contracts";
import type { Vector } from "./vector.ts";

/** One wire of vectors, both directions. */
export type VectorsCodec = KindCodec<VectorsWire, VectorsRequest, VectorsAnswer>;
/** What of a codec a client needs: some clients' wires are no vendor's here. */
export type ClientVectorsCodec = Pick<VectorsCodec, "renderAnswer" | "spelling"> & { readonly wire: string };
export type VectorsContext = KindContext<VectorsRequest>;

/** The vectors of an answer, one per input. Throws Failure upstream_error where there are more or fewer. */
export function vectorsFor({ request }: VectorsContext, { vectors }: VectorsAnswer): readonly Vector[] {
  const { length } = request.inputs;
  if (vectors.length === length) return vectors;
  throw new Failure("upstream_error", `The vendor gave ${vectors.length} vectors for ${length} inputs.`);
}
