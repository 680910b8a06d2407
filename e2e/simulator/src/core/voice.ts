import { isSilent } from "./speech.ts";

/** What a piece of audio means to a listener for turns. */
export type Heard = "nothing" | "speech began" | "speech" | "speech ended";

/** Listens for turns by the simplest rule there is: samples that are all zero are silence, everything else is speech. */
export class Voice {
  #speaking = false;

  hear(samples: Buffer): Heard {
    const silent = isSilent(samples);
    if (this.#speaking === !silent) return silent ? "nothing" : "speech";
    this.#speaking = !silent;
    return silent ? "speech ended" : "speech began";
  }
}
