import type { Units } from "@modelgate/contracts";
import type { Vector } from "./vector.ts";

/** Vectors in the order of the inputs. */
export interface VectorsAnswer {
  /** The vendor's name of the model; "" where it says none. */
  readonly model: string;
  readonly vectors: readonly Vector[];
  /** Absent where the vendor reported none. */
  readonly usage?: Units | undefined;
}
