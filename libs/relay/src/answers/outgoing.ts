/** What goes to the client at once: text or bytes, put together only where it must be. */
export class Outgoing {
  #text = "";
  #pieces: Buffer[] = [];
  /** Whether every frame goes on as it came. */
  #intact = true;

  /** Adds what a frame was rendered as. */
  add(rendered: Buffer | string, frame: Buffer): void {
    if (rendered !== frame) this.#intact = false;
    if (typeof rendered === "string") {
      if (this.#pieces.length === 0) this.#text += rendered;
      else this.#pieces.push(Buffer.from(rendered));
    } else {
      if (this.#text !== "") this.#pieces.push(Buffer.from(this.#text));
      this.#text = "";
      this.#pieces.push(rendered);
    }
  }

  /** What was added. */
  take(): Buffer | string {
    const [first] = this.#pieces;
    if (first === undefined) return this.#text;
    return this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
  }

  /** The same, of frames that are a whole chunk: the chunk itself where nothing of it was changed. */
  takeOf(chunk: Buffer): Buffer | string {
    return this.#intact ? chunk : this.take();
  }
}
