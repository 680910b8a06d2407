/** Secrets that no answer and no log may contain, by their descriptions. */
export class Canaries {
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #found = new Set<string>();

  constructor(secrets: Readonly<Record<string, string>>) {
    this.#secrets = secrets;
  }

  /** `where` describes the text in the report. */
  search(where: string, text: string): void {
    for (const [what, secret] of Object.entries(this.#secrets))
      if (text.includes(secret)) this.#found.add(`${what} in ${where}`);
  }

  takeFound(): readonly string[] {
    const found = [...this.#found];
    this.#found.clear();
    return found;
  }
}
