/** Output of several frames as text or bytes. */
export class OutputBuffer {
  #text = "";
  #pieces: Buffer[] = [];
  #isUnchanged = true;

  add(rendered: Buffer | string, frame: Buffer): void {
    if (rendered !== frame) this.#isUnchanged = false;
    if (typeof rendered === "string") {
      if (this.#pieces.length === 0) this.#text += rendered;
      else this.#pieces.push(Buffer.from(rendered));
    } else {
      if (this.#text !== "") this.#pieces.push(Buffer.from(this.#text));
      this.#text = "";
      this.#pieces.push(rendered);
    }
  }

  /**
   * Removes and returns the output. If all frames are unchanged, returns `chunk`, which contains exactly these frames.
   */
  take(chunk?: Buffer): Buffer | string {
    const [first] = this.#pieces;
    let output: Buffer | string = this.#text;
    if (chunk !== undefined && this.#isUnchanged) output = chunk;
    else if (first !== undefined) output = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#text = "";
    this.#isUnchanged = true;
    if (this.#pieces.length > 0) this.#pieces = [];
    return output;
  }
}
