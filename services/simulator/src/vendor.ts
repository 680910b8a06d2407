import type { ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";

/** A request to a simulated vendor. */
interface VendorCall {
  readonly method: string;
  /** Below the vendor's prefix. */
  readonly path: string;
  /** The API key that came along. */
  readonly key: string;
  readonly body: Buffer;
  /** What the instance's script asks for; absent: what the message asks for, or a good answer. */
  readonly behaviour: Behaviour | undefined;
  readonly response: ServerResponse;
}

/** A simulated vendor: a folder, and a line in `vendors.ts`. */
export interface Vendor {
  readonly prefix: string;
  answer(call: VendorCall): Promise<void> | void;
}
