/** Secrets that no answer and no log may contain, by their descriptions. */
export class Canaries {
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #found = new Set<string>();

  constructor(words: Readonly<Record<string, string>>) {
    this.#secrets = words;
  }

  /** `where` describes the text in the report. */
  search(where: string, text: string): void {
    for (const [what, word] of Object.entries(this.#secrets))
      if (text.includes(word)) this.#found.add(`${what} in ${where}`);
  }

  take(): readonly string[] {
    const found = [...this.#found];
    this.#found.clear();
    return found;
  }
}
