import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { Agent } from "node:http";
import { Failure, type Endpoint } from "@modelgate/contracts";
import { answerFailure, goingRequest, idsOf, lingerOver, type Logger, onInterrupt } from "@modelgate/platform";
import { contextOf } from "./request-context.ts";
import { streamEndOf, type StreamEnd } from "./stream-end.ts";

/** How long a service's answer may still take to arrive whole after its connection broke under an upload. */
const lastWordsMs = 2_000;

/** A service, and how it is reached. */
export interface HttpTarget {
  readonly url: URL;
  readonly agent: Agent;
  readonly log: Logger;
  /** Longest silence of a service. */
  readonly silenceMs: number;
  /** Longest silence in a stream of events: services give signs of life in it. */
  readonly streamSilenceMs: number;
}

/**
 * One call on its way through the edge, bytes in both directions at the pace of their readers. Where the service breaks
 * off, the client gets its wire's error: an error body before the first byte, an error event in a stream.
 */
export class HttpPass {
  readonly #target: HttpTarget;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #asked: ClientRequest;
  #end: StreamEnd | undefined;
  #over = false;

  constructor(target: HttpTarget, request: IncomingMessage, response: ServerResponse) {
    const { url, agent, silenceMs } = target;
    this.#target = target;
    this.#request = request;
    this.#response = response;
    const asked = httpRequest({
      agent,
      host: url.hostname,
      port: url.port,
      method: request.method,
      path: url.pathname.replace(/\/$/, "") + (request.url ?? "/"),
      headers: outgoingHeaders(request),
    });
    this.#asked = asked;
    asked.setTimeout(silenceMs, () => this.#silent());
    asked
      .on("response", (answer) => this.#answered(answer))
      .on("error", (error) => this.#failed(error))
      // Before its connection is there, nothing of a body is taken from the client.
      .once("socket", () => this.#send());
    request.on("error", () => asked.destroy());
    response.once("close", () => {
      this.#over = true;
      if (!response.writableFinished) asked.destroy();
    });
    onInterrupt(response, (failure) => this.break(failure));
  }

  /** Notifies the service that this edge ends, not the client: the service then ends the call in its wire's words. */
  notifyGoing(): void {
    const { socket, writableFinished } = this.#asked;
    if (this.#over || socket === null || socket.destroyed || !writableFinished) return;
    this.#asked.shouldKeepAlive = false;
    socket.write(goingRequest);
  }

  /** Ends the call, with an error for the client as far as one can still be sent. */
  break(failure: Failure): void {
    if (this.#over) return;
    this.#over = true;
    const context = contextOf(this.#request);
    const { requestId, format } = context;
    context.failure = failure;
    const response = this.#response;
    if (!response.headersSent) {
      for (const name of aboutBody) response.removeHeader(name);
      lingerOver(this.#request);
      answerFailure(response, format, failure, requestId);
    } else {
      const last = this.#end?.fail(failure, requestId);
      if (last === undefined) response.destroy();
      else response.end(last);
    }
    this.#asked.destroy();
  }

  #send(): void {
    const [request, asked] = [this.#request, this.#asked];
    request.pipe(asked);
  }

  #answered(answer: IncomingMessage): void {
    const [request, response, asked] = [this.#request, this.#response, this.#asked];
    if (this.#over) return void answer.destroy();
    this.#copyHead(answer);
    this.#end = streamEndOf({
      endpointId: contextOf(request).id ?? "",
      contentType: answer.statusCode === 200 ? answer.headers["content-type"] : undefined,
      isClosed: answer.headers["content-length"] !== undefined || answer.headers["content-encoding"] !== undefined,
    });
    if (this.#end !== undefined) asked.setTimeout(this.#target.streamSilenceMs);
    answer
      .on("data", (chunk: Buffer) => {
        const out = this.#end?.push(chunk) ?? chunk;
        if (out.length > 0 && !response.write(out)) answer.pause();
      })
      .on("error", () => undefined) // its close says that it is not complete
      .once("end", () => this.#whole(answer))
      .once("close", () => this.#closed(answer));
    response.on("drain", () => answer.resume());
  }

  #copyHead(answer: IncomingMessage): void {
    const response = this.#response;
    for (const [name, value] of Object.entries(answer.headers)) {
      const isOfConnection = name === "connection" || name === "keep-alive";
      // How the client's answer is framed is this server's to say.
      const isFraming = name === "transfer-encoding";
      if (value !== undefined && !isOfConnection && !isFraming) response.setHeader(name, value);
    }
    response.statusCode = answer.statusCode ?? 502;
    if (answer.statusMessage !== undefined) response.statusMessage = answer.statusMessage;
  }

  #whole(answer: IncomingMessage): void {
    if (this.#over || !answer.complete) return;
    this.#over = true;
    const rest = this.#end?.rest();
    if (Object.keys(answer.trailers).length > 0) this.#response.addTrailers(withoutGaps(answer.trailers));
    this.#response.end(rest);
    // A service that refuses an upload answers before it has all of it.
    if (!this.#asked.writableFinished) this.#drainUpload();
  }

  #closed(answer: IncomingMessage): void {
    if (!this.#asked.writableFinished) this.#asked.destroy();
    if (answer.complete || this.#over) return;
    this.#log("service lost in its answer");
    this.break(lost());
  }

  #drainUpload(): void {
    this.#request.unpipe(this.#asked);
    this.#request.resume();
  }

  #silent(): void {
    // A client that does not read is what keeps its stream still.
    if (this.#response.writableNeedDrain) return;
    this.#asked.destroy(new Error("the service was silent for too long"));
  }

  #failed(error: Error): void {
    if (this.#over) return;
    const [request, response] = [this.#request, this.#response];
    // A request that was read to its end counts as destroyed: only its connection says whether its client is there.
    if (response.destroyed || request.socket.destroyed) return void response.destroy();
    if (!response.headersSent) {
      this.#log("service not reached", error);
      return this.break(away());
    }
    // A service that refuses an upload half way closes it: its answer may be on its way, and must not be lost.
    if (this.#end !== undefined) return;
    lingerOver(request);
    const timer = setTimeout(() => response.destroy(), lastWordsMs);
    timer.unref();
    response.once("close", () => clearTimeout(timer));
  }

  #log(what: string, error?: Error): void {
    const context = contextOf(this.#request);
    const path: Endpoint["path"] | undefined = context.endpoint?.path;
    this.#target.log.warn({ ...idsOf(context), err: error, path }, what);
  }
}

/** What the head of an answer of which nothing was sent said of its body. */
const aboutBody = ["content-encoding", "trailer", "cache-control", "x-accel-buffering"];

/**
 * The service's connection is the edge's own: one that the client's `close` ended while a refused body is still on its
 * way would take the refusal with it. A body of unknown length ends with its connection, so that no proxy can read
 * its end otherwise.
 */
function outgoingHeaders({ method, headers }: IncomingMessage): IncomingMessage["headers"] {
  const isChunked = headers["transfer-encoding"] !== undefined;
  const hasNoBody = !isChunked && headers["content-length"] === undefined;
  return {
    ...headers,
    connection: isChunked ? "close" : "keep-alive",
    ...((method === "DELETE" || method === "OPTIONS") && hasNoBody ? { "content-length": "0" } : {}),
  };
}

function withoutGaps(trailers: NodeJS.Dict<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(trailers).map(([name, value]) => [name, value ?? ""]));
}

/** No service answers. */
export function away(): Failure {
  return new Failure("server_overloaded", "The service behind this endpoint is unavailable; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

function lost(): Failure {
  return new Failure("server_overloaded", "The service behind this endpoint ended its answer early; try again.", {
    retryAfterSeconds: 1,
  });
}
