/** Words that no answer and no log may contain, by what they are. */
export class Canaries {
  readonly #words: Readonly<Record<string, string>>;
  readonly #found = new Set<string>();

  constructor(words: Readonly<Record<string, string>>) {
    this.#words = words;
  }

  /** Looks for them in a text; `where` it came from is reported with each that is found. */
  look(where: string, text: string): void {
    for (const [what, word] of Object.entries(this.#words))
      if (text.includes(word)) this.#found.add(`${what} in ${where}`);
  }

  /** What was found since the last time. */
  take(): readonly string[] {
    const found = [...this.#found];
    this.#found.clear();
    return found;
  }
}
