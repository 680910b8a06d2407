import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";
import { answerFailure, goingRequest, idsOf, lingerOver, restarting, type Logger } from "@modelgate/platform";
import { contextOf, type Proxied } from "./request-context.ts";
import { streamEndOf, type StreamEnd } from "./stream-end.ts";

/** Time that services may be silent. */
export interface ProxyOptions {
  readonly log: Logger;
  /** Longest silence of a service, in milliseconds. */
  readonly silenceMs: number;
  /** Longest silence in a stream of events, in which services give signs of life. */
  readonly streamSilenceMs: number;
}

/**
 * One call on its way through the proxy. Where the service breaks off, the client gets its wire's error: an error body before
 * the first byte, an error event in a stream.
 */
export class ProxiedCall implements Proxied {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: ProxyOptions;
  /** Cuts the client's connection. */
  readonly #cut: () => void;
  #upstream: ClientRequest | undefined;
  #streamEnd: StreamEnd | undefined;
  #isOver = false;

  constructor(request: IncomingMessage, response: ServerResponse, options: ProxyOptions) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
    this.#cut = response.destroy.bind(response);
    // The connection to the service is the edge's: ended as the client asks, it would take a refused upload's answer with it.
    request.headers.connection = "keep-alive";
    response.once("close", () => (this.#isOver = true));
  }

  /** Takes the request to the service, of whose body nothing was sent. */
  sent(upstream: ClientRequest): void {
    if (this.#isOver) return void upstream.destroy();
    this.#upstream = upstream;
    upstream.setTimeout(this.#options.silenceMs, () => {
      // A client that does not read keeps its stream still.
      if (!this.#response.writableNeedDrain) upstream.destroy(new Error("the service was silent for too long"));
    });
  }

  /** Passes the answer of the service on. */
  answered(answer: IncomingMessage): void {
    const response = this.#response;
    if (this.#isOver) return void answer.destroy();
    // The proxy destroys the client's answer where the service's breaks off. Here, what a slow client has not read yet still
    // goes out, and the wire's error after it.
    response.destroy = () => {
      if (this.#isOver) return response;
      logLost(this.#options.log, this.#request, "service lost in its answer");
      this.breakOff(unavailable("The service behind this endpoint ended its answer early; try again."));
      return response;
    };
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !ofConnection.has(name)) response.setHeader(name, value);
    }
    response.statusCode = answer.statusCode ?? 502;
    if (answer.statusMessage !== undefined) response.statusMessage = answer.statusMessage;
    this.#streamEnd = streamEndOf({
      endpointId: contextOf(this.#request).id ?? "",
      contentType: answer.statusCode === 200 ? answer.headers["content-type"] : undefined,
      isClosed: answer.headers["content-length"] !== undefined || answer.headers["content-encoding"] !== undefined,
    });
    if (this.#streamEnd !== undefined) this.#upstream?.setTimeout(this.#options.streamSilenceMs);
    answer
      .on("data", (chunk: Buffer) => {
        const out = this.#streamEnd?.push(chunk) ?? chunk;
        if (out.length > 0 && !response.write(out)) answer.pause();
      })
      .once("end", () => {
        if (this.#isOver || !answer.complete) return;
        this.#isOver = true;
        response.addTrailers(Object.entries(answer.trailers).map(([name, value = ""]) => [name, value] as const));
        response.end(this.#streamEnd?.rest());
      });
    response.on("drain", () => answer.resume());
  }

  /** Ends what did not reach the service, or whose connection broke. */
  failed(error: Error): void {
    const [request, response] = [this.#request, this.#response];
    // An answer that has begun is broken off, or complete, by its own end. Whether the client has left, only its connection
    // says: a request that was read to its end counts as destroyed.
    if (this.#isOver || response.headersSent || request.socket.destroyed) return;
    logLost(this.#options.log, request, "service not reached", error);
    this.breakOff(serviceAway());
  }

  /** Notifies the service that this edge ends, not the client: the service then ends the call in its wire's words. */
  notifyGoing(): void {
    const upstream = this.#upstream;
    if (this.#isOver || !upstream?.writableFinished || upstream.socket?.destroyed !== false) return;
    upstream.shouldKeepAlive = false;
    upstream.socket.write(goingRequest);
  }

  /** Ends the call, with an error for the client as far as one can still be sent. */
  breakOff(failure: Failure = restarting()): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const [request, response] = [this.#request, this.#response];
    const context = contextOf(request);
    const { requestId, format } = context;
    context.failure = failure;
    if (!response.headersSent) {
      for (const name of ofBody) response.removeHeader(name);
      lingerOver(request);
      answerFailure(response, format, failure, requestId);
    } else {
      const last = this.#streamEnd?.fail(failure, requestId);
      if (last === undefined) this.#cut();
      else response.end(last);
    }
    this.#upstream?.destroy();
  }
}

/** Logs that a service was not reached, or broke off. */
export function logLost(log: Logger, request: IncomingMessage, message: string, error?: Error): void {
  const context = contextOf(request);
  log.warn({ ...idsOf(context), err: error, path: context.endpoint?.path }, message);
}

/** Headers of the service's connection, not of its answer: this server decides how the client's answer is framed. */
const ofConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** Headers that describe a body; they are removed if the body was replaced by an error. */
const ofBody = ["content-encoding", "trailer", "cache-control", "x-accel-buffering"];

/** Returns the failure of a call whose service does not answer. */
export function serviceAway(): Failure {
  return unavailable("The service behind this endpoint is unavailable; try again shortly.");
}

function unavailable(message: string): Failure {
  return new Failure("server_overloaded", message, { retryAfterSeconds: 1 });
}
