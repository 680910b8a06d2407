import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { AnswerSink, SinkWatcher } from "@modelgate/platform";

/** A client that keeps what it is sent, and reads at the pace that the test sets. */
export class FakeClient implements AnswerSink {
  readonly headers: Record<string, string> = {};
  readonly trailers: Record<string, string> = {};
  status: number | undefined;
  text = "";
  ended = false;
  cut = false;
  full = false;
  readonly #watchers = new Set<SinkWatcher>();
  #waiting: (() => void)[] = [];

  get begun(): boolean {
    return this.status !== undefined;
  }

  get closed(): boolean {
    return this.ended || this.cut;
  }

  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  announceTrailer(): void {}

  addTrailer(name: string, value: string): void {
    this.trailers[name] = value;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    Object.assign(this.headers, headers);
  }

  write(piece: Buffer | string): boolean {
    this.text += piece.toString();
    this.#changed();
    return !this.full;
  }

  end(last: Buffer | string = ""): void {
    this.text += last.toString();
    this.ended = true;
    this.#close(true);
  }

  destroy(): void {
    this.leave();
  }

  watch(watcher: SinkWatcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** The client leaves, or is left. */
  leave(): void {
    this.cut = true;
    this.#close(false);
  }

  /** The client has read what it was sent. */
  drain(): void {
    this.full = false;
    for (const { drained } of this.#watchers) drained?.();
  }

  /** Waits until the client has this. */
  async has(text: string): Promise<void> {
    while (!this.text.includes(text)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #close(whole: boolean): void {
    for (const { closed } of this.#watchers) closed?.(whole);
    this.#changed();
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A vendor's answer that comes piece by piece, as the test says. */
export class FakeAnswer implements UpstreamAnswer {
  readonly status = 200;
  readonly headers: UpstreamAnswer["headers"];
  paused = false;
  aborted = false;
  #sink: BodySink | undefined;
  #early: ((sink: BodySink) => void)[] = [];

  constructor(contentType = "text/event-stream") {
    this.headers = { "content-type": contentType };
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    for (const act of this.#early.splice(0)) act(sink);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  abort(): void {
    this.aborted = true;
  }

  sends(...pieces: readonly string[]): this {
    for (const piece of pieces) this.#act((sink) => sink.data(Buffer.from(piece)));
    return this;
  }

  ends(): this {
    this.#act((sink) => sink.end());
    return this;
  }

  breaks(): this {
    this.#act((sink) => sink.broken(new Error("reset")));
    return this;
  }

  #act(what: (sink: BodySink) => void): void {
    if (this.#sink === undefined) this.#early.push(what);
    else what(this.#sink);
  }
}
