import type { AskedFees } from "./fees.ts";
import type { Media } from "./media.ts";

/** All that admission and the pass-through gears need to know of a text request, whatever its wire. */
export interface TextAsk {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants usage in its stream; only the chat wire has a choice. */
  readonly includeUsage: boolean;
  /** Whether the client wants the cost in its answer's usage, and so in its stream; absent: not. */
  readonly showsCost?: boolean | undefined;
  /** Most output tokens over all choices, by the largest bound of the body; undefined where the client set none. */
  readonly maxOutputTokens: number | undefined;
  /** The members of the body that bound its output: a vendor is sent one of them. */
  readonly boundNames: readonly string[];
  /** Members that other vendors of the wire understand, and its own refuses; absent: none were looked for. */
  readonly foreignNames?: readonly string[];
  /** Whether the vendor may read input that is not in the body. */
  readonly readsBeyond: boolean;
  readonly choices: number;
  readonly media: Media;
  /** The class of size of images that is asked for, as 4K; only the content wire has one. */
  readonly imageSize?: string | undefined;
  /** What is charged beside tokens; absent: nothing. */
  readonly fees?: AskedFees | undefined;
}
