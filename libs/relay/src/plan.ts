import type { CatalogModel } from "@modelgate/catalog";
import type { PassCodec } from "@modelgate/wires";
import type { RequestSize } from "./expect.ts";

/** A call that has been read and checked: all that its life needs to know. */
export interface CallPlan {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
  /** The client's body, untouched; every attempt is made from it. */
  readonly body: Buffer;
  readonly stream: boolean;
  /** Whether the client asked for usage at a stream's end. */
  readonly includeUsage: boolean;
  readonly size: RequestSize;
  readonly wire: PassCodec;
}
