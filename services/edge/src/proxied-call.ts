import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";
import {
  announceTrailer,
  answerFailure,
  discardRestOfBody,
  idsOf,
  restartFailure,
  shutdownRequest,
} from "@modelgate/platform";
import type { Logger } from "@modelgate/platform";
import { contextOf, type Proxied } from "./request-context.ts";
import { errorAppenderOf, type StreamErrorAppender } from "./stream-error.ts";

export interface ProxyOptions {
  readonly log: Logger;
  readonly silenceMs: number;
  /** Maximum ms of silence of a service in an event stream, in which services send heartbeats. */
  readonly streamSilenceMs: number;
}

/**
 * One proxied call. If the service disconnects, the client gets an error in its wire: as the body if the answer has not
 * begun, or as the last event of a stream. Other answers are cut off.
 */
export class ProxiedCall implements Proxied {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: ProxyOptions;
  readonly #cut: () => void;
  #upstream: ClientRequest | undefined;
  #errorAppender: StreamErrorAppender | undefined;
  #isOver = false;

  constructor(request: IncomingMessage, response: ServerResponse, options: ProxyOptions) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
    this.#cut = response.destroy.bind(response);
    // Replaces the client's header. With `close`, a service that refuses an upload would close the connection, and its
    // answer could be lost.
    request.headers.connection = "keep-alive";
    response.once("close", () => (this.#isOver = true));
  }

  /** Called when the request to the service is created, before its body is sent. */
  onRequest(upstream: ClientRequest): void {
    if (this.#isOver) return void upstream.destroy();
    this.#upstream = upstream;
    upstream.setTimeout(this.#options.silenceMs, () => {
      // If the client reads slowly, the edge has paused the service's stream, and the service is not silent.
      if (!this.#response.writableNeedDrain) upstream.destroy(new Error("the service was silent for too long"));
    });
  }

  onAnswer(answer: IncomingMessage): void {
    const response = this.#response;
    if (this.#isOver) return void answer.destroy();
    // The proxy destroys the client's answer if the service disconnects. Instead, data that a slow client has not read
    // is still sent, followed by the wire's error.
    response.destroy = () => {
      if (this.#isOver) return response;
      logServiceFailure(this.#options.log, this.#request, "the service failed while it answered");
      this.breakOff(unavailable("The service behind this endpoint ended its answer early; try again."));
      return response;
    };
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !connectionHeaders.has(name)) response.setHeader(name, value);
    }
    if (answer.headers.trailer !== undefined) announceTrailer(response, answer.headers.trailer);
    response.statusCode = answer.statusCode ?? 502;
    if (answer.statusMessage !== undefined) response.statusMessage = answer.statusMessage;
    this.#errorAppender = errorAppenderOf({
      endpointId: contextOf(this.#request).id ?? "",
      contentType: answer.statusCode === 200 ? answer.headers["content-type"] : undefined,
      canAppend: answer.headers["content-length"] === undefined && answer.headers["content-encoding"] === undefined,
    });
    if (this.#errorAppender !== undefined) this.#upstream?.setTimeout(this.#options.streamSilenceMs);
    const { log } = this.#options;
    answer
      .on("data", (chunk: Buffer) => containErrors(log, this.#request, () => this.#pass(answer, chunk)))
      .once("end", () => containErrors(log, this.#request, () => this.#onServiceEnd(answer)));
    response.on("drain", () => answer.resume());
  }

  #pass(answer: IncomingMessage, chunk: Buffer): void {
    const out = this.#errorAppender?.push(chunk) ?? chunk;
    if (out.length > 0 && !this.#response.write(out)) answer.pause();
  }

  #onServiceEnd({ complete, trailers }: IncomingMessage): void {
    if (this.#isOver || !complete) return;
    this.#isOver = true;
    this.#response.addTrailers(Object.entries(trailers).map(([name, value = ""]) => [name, value] as const));
    this.#response.end(this.#errorAppender?.buffered);
  }

  /** Ends a call if the service cannot be reached, or if the connection to the service broke before the answer. */
  onError(error: Error): void {
    const [request, response] = [this.#request, this.#response];
    // If the answer has started, `response.destroy` ends it. `request.destroyed` would be true for every request that
    // was read to its end.
    if (this.#isOver || response.headersSent || request.socket.destroyed) return;
    logServiceFailure(this.#options.log, request, "the service is unreachable", error);
    this.breakOff(serviceUnavailable());
  }

  /** Notifies the service that this edge stops. The service then ends its answer with an error. */
  notifyShutdown(): void {
    const upstream = this.#upstream;
    if (this.#isOver || !upstream?.writableFinished || upstream.socket?.destroyed !== false) return;
    upstream.shouldKeepAlive = false;
    upstream.socket.write(shutdownRequest);
  }

  /** Ends the call. Sends the client an error if that is still possible. */
  breakOff(failure: Failure = restartFailure()): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const [request, response] = [this.#request, this.#response];
    const context = contextOf(request);
    const { requestId, format } = context;
    context.failure = failure;
    if (!response.headersSent) {
      for (const name of bodyHeaders) response.removeHeader(name);
      discardRestOfBody(request);
      answerFailure(response, format, failure, requestId);
    } else {
      const last = this.#errorAppender?.renderEnd(failure, requestId);
      if (last === undefined) this.#cut();
      else response.end(last);
    }
    this.#upstream?.destroy();
  }
}

/**
 * Runs a listener of a proxied call. If the listener throws, only this client is disconnected: an uncaught error would
 * end the process.
 */
export function containErrors(log: Logger, request: IncomingMessage, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    log.error({ ...idsOf(contextOf(request)), err: error }, "a proxied call failed");
    request.socket.destroy();
  }
}

export function logServiceFailure(log: Logger, request: IncomingMessage, message: string, error?: Error): void {
  const context = contextOf(request);
  log.warn({ ...idsOf(context), err: error, path: context.endpoint?.path }, message);
}

/** Headers that are not copied from the service, because the client's connection determines the framing of its answer. */
const connectionHeaders: ReadonlySet<string> = new Set(["connection", "keep-alive", "trailer", "transfer-encoding"]);

/** Headers that are removed when an error replaces the body. */
const bodyHeaders = ["content-encoding", "trailer", "cache-control", "x-accel-buffering"];

/** Returns the failure of a call whose service cannot be reached. */
export function serviceUnavailable(): Failure {
  return unavailable("The service behind this endpoint is unavailable; try again shortly.");
}

function unavailable(message: string): Failure {
  return new Failure("server_overloaded", message, { retryAfterSeconds: 1 });
}
