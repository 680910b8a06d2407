import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Failure } from "@modelgate/contracts";
import { answerFailure } from "@modelgate/platform";
import { SessionErrorAppender, type SessionClose } from "./frame-end.ts";
import { containErrors, logServiceFailure, serviceUnavailable, type ProxyOptions } from "./proxied-call.ts";
import { contextOf, type Proxied, type Upgrade } from "./request-context.ts";

/** Maximum ms in which a closing socket sends its last bytes. */
const lastBytesMs = 2_000;

/** One proxied WebSocket. If the service disconnects, the client gets an error event and a close code. */
export class ProxiedSession implements Proxied {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: ProxyOptions;
  readonly #upgrade: Upgrade;
  readonly #frames = new SessionErrorAppender();
  #upstream: ClientRequest | undefined;
  #service: Duplex | undefined;
  #isStopping = false;
  #isOver = false;

  /** `response` is used only to refuse the session. It closes with the client's socket. */
  constructor(request: IncomingMessage, response: ServerResponse, options: ProxyOptions, upgrade: Upgrade) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
    this.#upgrade = upgrade;
  }

  onRequest(upstream: ClientRequest): void {
    this.#upstream = upstream;
    this.#upgrade.socket.once("close", () => {
      this.#isOver = true;
      upstream.destroy();
    });
    upstream
      .setTimeout(this.#options.silenceMs, () => upstream.destroy(new Error("the service was silent for too long")))
      .once("response", (answer) => this.onAnswer(answer))
      .once("upgrade", (_, service) => this.#onSwitched(service));
  }

  /** Records that the service refused the session. The proxy sends the refusal to the client. */
  onAnswer({ statusCode }: IncomingMessage): void {
    this.#isOver = true;
    this.#upgrade.status = statusCode ?? 502;
  }

  onError(error: Error): void {
    if (this.#isOver || this.#service !== undefined) return;
    this.#isOver = true;
    logServiceFailure(this.#options.log, this.#request, "the service is unreachable", error);
    const context = contextOf(this.#request);
    context.failure = serviceUnavailable();
    answerFailure(this.#response, context.format, context.failure, context.requestId);
  }

  /** Closes the connection to the service, which then closes the session with code 1001. */
  notifyShutdown(): void {
    this.#isStopping = true;
    const [client, service] = [this.#upgrade.socket, this.#service];
    if (service === undefined) return;
    client.unpipe(service).resume();
    service.end();
  }

  breakOff(): void {
    (this.#service ?? this.#upstream)?.destroy();
  }

  /**
   * Runs before the proxy's upgrade handler, whose listeners end the client's socket after an error. The listeners of
   * this function therefore run first, and can still send the last frames.
   */
  #onSwitched(service: Duplex): void {
    const client = this.#upgrade.socket;
    this.#service = service;
    this.#upgrade.status = 101;
    const contain = (listener: () => void): void => containErrors(this.#options.log, this.#request, listener);
    for (const event of ["error", "end", "close"]) service.once(event, () => contain(() => this.#onServiceEnd()));
    // The proxy pipes the service to the client. Here only complete frames are sent, so that an error event can follow.
    client.once("pipe", () => {
      service.unpipe(client);
      service.on("data", (chunk: Buffer) => contain(() => this.#pass(chunk))).resume();
    });
    client.on("drain", () => service.resume());
    client.once("close", () => endSoon(service));
    // The proxy pipes the client to the service in its last step. `notifyShutdown` undoes this, so it must run later.
    if (this.#isStopping) service.once("pipe", () => setImmediate(() => this.notifyShutdown()));
  }

  #pass(chunk: Buffer): void {
    const out = this.#frames.push(chunk);
    if (out.length > 0 && !this.#upgrade.socket.write(out)) this.#service?.pause();
  }

  #onServiceEnd(): void {
    const client = this.#upgrade.socket;
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#frames.isClosed) {
      const close = closeOf(this.#isStopping);
      const context = contextOf(this.#request);
      if (!this.#isStopping) {
        context.failure = close.failure;
        logServiceFailure(this.#options.log, this.#request, "the service of a WebSocket was lost");
      }
      // Gemini Live has no error event.
      const eventId = context.format === "gamma" ? undefined : `event_${context.requestId}`;
      const last = this.#frames.renderEnd(close, eventId);
      if (last !== undefined) client.write(last);
    }
    client.resume(); // with unread bytes, the connection would be reset instead of closed
    endSoon(client);
  }
}

function endSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lastBytesMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

function closeOf(isStopping: boolean): SessionClose {
  const message = isStopping
    ? "This gateway is shutting down; reconnect."
    : "The service behind this session ended unexpectedly; reconnect.";
  return { code: isStopping ? 1001 : 1012, failure: new Failure("server_overloaded", message) };
}
