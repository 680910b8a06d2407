/** What a rendering left out so far, each word once. */
export class Unsupported {
  readonly #words = new Set<string>();

  note(word: string): void {
    this.#words.add(word);
  }

  /** Notes a loss where there is something to lose: anything but undefined and false. */
  noteIf(word: string, lost: unknown): void {
    if (lost !== undefined && lost !== false) this.note(word);
  }

  get words(): readonly string[] {
    return [...this.#words];
  }
}
