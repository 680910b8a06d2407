/** An answer that sets headers of its own. */
export class WithHeaders {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(data: unknown, headers: Readonly<Record<string, string>>) {
    this.data = data;
    this.headers = headers;
  }
}
