import type { Media } from "./media.ts";

/** All that admission and the pass-through gears need to know of a text request, whatever its wire. */
export interface TextAsk {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants usage in its stream; only the chat wire has a choice. */
  readonly includeUsage: boolean;
  /** Most output tokens over all choices; undefined where the client set no bound. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  readonly media: Media;
}
