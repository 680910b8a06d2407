import { AttemptsFailed, type Attempts, type BodySink, type UpstreamAnswer } from "@modelgate/channels";
import { endpoints, Failure } from "@modelgate/contracts";
import {
  BufferBudget,
  ClientDisconnected,
  createLogger,
  BoundedMap,
  type AnswerSink,
  type SinkWatcher,
} from "@modelgate/platform";
import type { Call } from "../src/call.ts";
import type { RunDeps } from "../src/deps.ts";
import { DetachedAnswers } from "../src/detached-answers.ts";

const { log } = createLogger("test", "silent");

export function callOf(client: FakeClient): Call {
  return {
    answer: client,
    ending: client.ending,
    caller: { accountId: "a", tokenId: "t", group: "g", requestId: "r", expiresAt: 0 },
    endpoint: endpoints.chatCompletions,
    id: "chatCompletions",
    log,
    requestId: "r",
    refusesUnsupported: false,
  };
}

/** Returns the dependencies of a call whose money is held. Without `attempts`, no vendor is available. */
export function runDeps({
  attempts = noVendor,
  ...limits
}: { readonly attempts?: Attempts } & Partial<RunDeps["limits"]> = {}): RunDeps {
  return {
    limits: {
      outputTokens: 16_384,
      stepTokens: 2_048,
      toolCalls: 16,
      toolTokens: 4_096,
      leaseMs: 60_000,
      outboxBound: 100,
      heartbeatMs: 60_000,
      gatherMs: 0,
      answerBytes: 1_000_000,
      ...limits,
    },
    log,
    budget: new BufferBudget(1_000_000),
    modelsWithHiddenOutput: new BoundedMap(),
    detachedAnswers: new DetachedAnswers({ maxAnswers: 1, ms: 1_000 }),
    catalog: {
      current: () => ({
        candidates: () => [],
        fallbacksOf: () => [],
        group: () => undefined,
        resolve: () => {
          throw new Failure("model_not_found");
        },
      }),
    },
    channels: {
      attempts,
      affinity: { find: () => Promise.resolve(undefined), store: () => undefined },
      transport: {
        send: () => Promise.reject(new Error("nothing more is asked")),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    },
  };
}

const noVendor: Attempts = {
  run: () => Promise.reject(new AttemptsFailed(new Failure("no_available_channel"), [], undefined)),
};

/** Client that stores what it receives, and reads at the pace that the test sets. */
export class FakeClient implements AnswerSink {
  readonly headers: Record<string, string> = {};
  readonly trailers: Record<string, string> = {};
  status: number | undefined;
  text = "";
  ended = false;
  cut = false;
  isFull = false;
  readonly #ending = new AbortController();
  readonly #watchers = new Set<SinkWatcher>();
  #waiting: (() => void)[] = [];

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isHeadSent(): boolean {
    return this.status !== undefined;
  }

  get isClosed(): boolean {
    return this.ended || this.cut;
  }

  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  announceTrailer(name: string): void {
    this.setHeader("trailer", name);
  }

  addTrailer(name: string, value: string): void {
    if (this.headers["trailer"] === name) this.trailers[name] = value;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    Object.assign(this.headers, headers);
  }

  write(piece: Buffer | string): boolean {
    this.text += piece.toString();
    this.#changed();
    return !this.isFull;
  }

  end(last: Buffer | string = ""): void {
    this.text += last.toString();
    this.ended = true;
    this.#close(true);
  }

  destroy(): void {
    this.disconnect();
  }

  watch(watcher: SinkWatcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Disconnects the client. Also used if the gateway closes the connection. */
  disconnect(): void {
    this.cut = true;
    this.#ending.abort(new ClientDisconnected("the client disconnected before the answer"));
    this.#close(false);
  }

  interrupt(failure: Failure): void {
    this.#ending.abort(failure);
  }

  drain(): void {
    this.isFull = false;
    for (const { drained } of this.#watchers) drained?.();
  }

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

/** Answer of a vendor whose pieces, end and errors the test determines. */
export class FakeAnswer implements UpstreamAnswer {
  readonly status: number;
  readonly headers: UpstreamAnswer["headers"];
  paused = false;
  aborted = false;
  #sink: BodySink | undefined;
  #early: ((sink: BodySink) => void)[] = [];

  constructor(contentType = "text/event-stream", status = 200) {
    this.status = status;
    this.headers = { "content-type": contentType };
  }

  /** Returns true if a sink receives the body. */
  get piped(): boolean {
    return this.#sink !== undefined;
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
    this.#act((sink) => sink.fail(new Error("reset")));
    return this;
  }

  #act(what: (sink: BodySink) => void): void {
    if (this.#sink === undefined) this.#early.push(what);
    else what(this.#sink);
  }
}
