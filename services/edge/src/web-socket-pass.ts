import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Failure } from "@modelgate/contracts";
import { idsOf, refuseUpgrade } from "@modelgate/platform";
import { contextOf } from "./request-context.ts";
import { FrameEnd, type SessionClose } from "./frame-end.ts";
import { away, type HttpTarget } from "./http-pass.ts";

/** How long what was written may still take to arrive, and how long a service may take to close a session. */
export const lastWordsMs = 2_000;

/** The service is gone: another one takes the client (RFC 6455's registry: service restart). */
const restart = (): SessionClose => ({
  code: 1012,
  failure: new Failure("server_overloaded", "The service behind this session ended unexpectedly; reconnect."),
});
/** The edge goes, and the service did not say so in time. */
const goingAway = (): SessionClose => ({
  code: 1001,
  failure: new Failure("server_overloaded", "This gateway is shutting down; reconnect."),
});

/**
 * One WebSocket on its way through the edge: bytes in both directions at the pace of their readers, its halves end together.
 * Where the service breaks off, the client gets the session's error event and a close with a code.
 */
export class WebSocketPass {
  readonly #target: HttpTarget;
  readonly #request: IncomingMessage;
  readonly #client: Duplex;
  readonly #asked: ClientRequest;
  readonly #frames = new FrameEnd();
  #service: Duplex | undefined;
  #isGoing = false;
  #isOver = false;

  /** `answered` is called with the status that the service answers the opening handshake with. */
  constructor(target: HttpTarget, request: IncomingMessage, client: Duplex, answered: (status: number) => void) {
    const { url, agent, silenceMs } = target;
    this.#target = target;
    this.#request = request;
    this.#client = client;
    this.#asked = httpRequest({
      agent,
      host: url.hostname,
      port: url.port,
      path: url.pathname.replace(/\/$/, "") + (request.url ?? "/"),
      headers: request.headers,
      timeout: silenceMs,
    });
    client.once("close", () => {
      this.#isOver = true;
      this.#asked.destroy();
    });
    this.#asked
      .on("timeout", () => this.#asked.destroy(new Error("the service was silent for too long")))
      .on("error", (error) => this.#failed(error))
      .on("response", (answer) => {
        answered(answer.statusCode ?? 502);
        this.#refused(answer);
      })
      .on("upgrade", (answer, service, head) => {
        answered(answer.statusCode ?? 101);
        this.#switched(answer, service, head);
      })
      .end();
  }

  /** Ends the service's half: the service, which speaks the protocol, closes the session (1001). */
  notifyGoing(): void {
    this.#isGoing = true;
    const [client, service] = [this.#client, this.#service];
    if (service === undefined) return;
    client.unpipe(service).resume();
    endSoon(service);
  }

  #switched(answer: IncomingMessage, service: Duplex, head: Buffer): void {
    const client = this.#client;
    if (this.#isOver) return void service.destroy();
    this.#service = service;
    for (const half of [client, service])
      if (half instanceof Socket) half.setTimeout(0).setNoDelay(true).setKeepAlive(true);
    client.write(headOf(answer));
    client.once("close", () => endSoon(service));
    client.on("drain", () => service.resume());
    service
      .on("data", (chunk: Buffer) => this.#pass(chunk))
      .on("error", () => undefined) // its close follows
      .once("end", () => this.#ended())
      .once("close", () => this.#ended());
    if (head.length > 0) service.unshift(head);
    client.pipe(service);
    if (this.#isGoing) this.notifyGoing();
  }

  #pass(chunk: Buffer): void {
    const out = this.#frames.push(chunk);
    if (out.length > 0 && !this.#client.write(out)) this.#service?.pause();
  }

  /** The service's half is over: where it did not close the session itself, the edge does. */
  #ended(): void {
    const client = this.#client;
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#frames.isClosed) {
      const close = this.#isGoing ? goingAway() : restart();
      const context = contextOf(this.#request);
      if (!this.#isGoing) {
        context.failure = close.failure;
        this.#log("service of a WebSocket lost");
      }
      const last = this.#frames.fail(close, `event_${context.requestId}`);
      if (last !== undefined) client.write(last);
    }
    // What the client still says has nowhere to go, and must not be the reason that it is cut.
    client.resume();
    endSoon(client);
  }

  #failed(error: Error): void {
    const client = this.#client;
    if (this.#isOver || this.#service !== undefined) return;
    this.#isOver = true;
    this.#log("service not reached", error);
    const failure = away();
    contextOf(this.#request).failure = failure;
    refuseUpgrade(client, "common", failure, contextOf(this.#request).requestId);
  }

  /** The service refused the session: its answer is the client's. */
  #refused(answer: IncomingMessage): void {
    this.#isOver = true;
    this.#client.write(headOf(answer));
    answer.on("error", () => this.#client.destroy()).pipe(this.#client);
  }

  #log(what: string, error?: Error): void {
    const context = contextOf(this.#request);
    this.#target.log.warn({ ...idsOf(context), err: error, path: context.endpoint?.path }, what);
  }
}

/** An answer's head as it came; one that is no switch of protocols ends with its connection. */
function headOf({ statusCode = 502, statusMessage = "", rawHeaders }: IncomingMessage): string {
  const isSwitch = statusCode === 101;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (isSwitch || !ofConnection.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ""}`);
  }
  if (!isSwitch) lines.push("connection: close");
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const ofConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** What was written may still arrive; a half that does not take it is not waited for. */
function endSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lastWordsMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
