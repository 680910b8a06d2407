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

  /** Takes what was added. */
  take(): Buffer | string {
    const [first] = this.#pieces;
    const taken = first === undefined ? this.#text : this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#clear();
    return taken;
  }

  /** Takes the same, of frames that are a whole chunk: the chunk itself where nothing of it was changed. */
  takeOf(chunk: Buffer): Buffer | string {
    if (!this.#intact) return this.take();
    this.#clear();
    return chunk;
  }

  #clear(): void {
    this.#text = "";
    this.#intact = true;
    if (this.#pieces.length > 0) this.#pieces = [];
  }
}
