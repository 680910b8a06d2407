import type { Units } from "@modelgate/contracts";

/** What ending a stream early needs to know of its client's call. */
export interface EarlyEndOptions {
  /** Answers that the client asked for. */
  readonly choices: number;
  /** Whether the client wants the usage in a frame of its own, on wires that leave that to it. */
  readonly includeUsage: boolean;
}

/** What a passing stream has to remember, so that it can be ended before its vendor ends it. */
export interface EarlyEnd {
  /** Looks at a frame that goes to the client; `raw` is its part that holds what the model wrote. */
  saw(frame: Buffer, raw: string): void;
  /**
   * The frames that end the stream as one that reached its bound of tokens; undefined where nothing of an answer was
   * seen yet. `sequence` is the last frame's number, on a wire that numbers them.
   */
  frames(used: Units, sequence: number | undefined): readonly string[] | undefined;
}

/** A stream whose frames all have the same form, one entry for each answer that grows: each with a word for its end. */
export interface ChunkForm<Chunk> {
  /** Reads a frame; undefined for one of another shape. */
  read(frame: Buffer): Chunk | undefined;
  /** A word that stands in every frame that ends an answer, and hardly in another: the others are not read. */
  readonly endWord: Buffer;
  /** The answers that a frame ends. */
  ends(chunk: Chunk): readonly number[];
  /** The frames that end the answers `open`, in the likeness of one that passed. */
  frames(like: Chunk, open: readonly number[], used: Units): readonly string[];
}

/** The memory of such a stream: the form of its frames, and which answers have ended. */
export function endOfChunks<Chunk>({ choices }: EarlyEndOptions, form: ChunkForm<Chunk>): EarlyEnd {
  let like: Chunk | undefined;
  const ended = new Set<number>();
  return {
    saw(frame) {
      if (like !== undefined && !frame.includes(form.endWord)) return;
      const chunk = form.read(frame);
      if (chunk === undefined) return;
      like ??= chunk;
      for (const index of form.ends(chunk)) ended.add(index);
    },
    frames(used) {
      if (like === undefined) return undefined;
      const open = Array.from({ length: choices }, (_, index) => index).filter((index) => !ended.has(index));
      return form.frames(like, open, used);
    },
  };
}
