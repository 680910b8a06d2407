import { request } from "node:http";
import { connect } from "node:net";
import type { IncomingHeaders } from "@modelgate/contracts";

export interface Sending {
  readonly path: string;
  readonly method?: string;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Null for a request without a key. The default is the key of the client. */
  readonly key?: string | null;
  readonly disconnectAfterMs?: number;
  readonly sendsHalf?: boolean;
  readonly disconnectsInAnswer?: boolean;
  readonly patienceMs?: number;
}

/** Answer, possibly incomplete. */
export interface Answer {
  /** 0 if no head arrived. */
  readonly status: number;
  readonly headers: IncomingHeaders;
  /** Body, or the beginning of a long one. */
  readonly body: string;
  readonly bytes: number;
  readonly end: "whole" | "cut" | "no answer" | "disconnected" | "too late";
  readonly ms: number;
}

/** Maximum wait for an answer, in ms. */
const patienceMs = 20_000;
/** Maximum stored bytes of a body, and maximum received bytes. */
const [keptBytes, maxBytes] = [1024 * 1024, 128 * 1024 * 1024];
/** Silence in ms after which a raw connection is closed, and its maximum duration. */
const [rawSilenceMs, rawMs] = [700, 5_000];

/** Sends a request on a new connection. */
export function exchange(edgeUrl: string, key: string, sending: Sending): Promise<Answer> {
  const {
    path,
    method = "POST",
    body,
    headers = {},
    disconnectAfterMs,
    sendsHalf = false,
    disconnectsInAnswer,
  } = sending;
  const bytes = bytesOf(body);
  const began = performance.now();
  const sentKey = sending.key === undefined ? key : sending.key;
  return new Promise((resolve) => {
    let head: Pick<Answer, "status" | "headers"> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let count = 0;
    const finish = (end: Answer["end"]): void => {
      const text = Buffer.concat(chunks).subarray(0, keptBytes).toString();
      resolve({ ...head, body: text, bytes: count, end, ms: performance.now() - began });
      sent.destroy();
    };
    const sent = request(`${edgeUrl}${path}`, {
      method,
      agent: false,
      headers: {
        ...(sentKey === null ? {} : { authorization: `Bearer ${sentKey}` }),
        ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length }),
        ...headers,
      },
    });
    const timer = setTimeout(() => finish("too late"), sending.patienceMs ?? patienceMs);
    sent
      .on("error", () => finish(head.status === 0 ? "no answer" : "cut"))
      .on("close", () => clearTimeout(timer))
      .on("response", (response) => {
        head = { status: response.statusCode ?? 0, headers: response.headers };
        response
          .on("data", (piece: Buffer) => {
            if (count < keptBytes) chunks.push(piece);
            count += piece.length;
            if (disconnectsInAnswer === true) finish("disconnected");
            else if (count > maxBytes) finish("too late");
          })
          .on("end", () => finish(response.complete ? "whole" : "cut"))
          .on("error", () => finish("cut"));
      });
    if (sendsHalf) sent.write(bytes?.subarray(0, bytes.length / 2));
    else sent.end(bytes);
    if (disconnectAfterMs !== undefined) setTimeout(() => finish("disconnected"), disconnectAfterMs);
  });
}

/** Writes bytes to a new connection, and returns the answer. */
export function exchangeRaw(edgeUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(edgeUrl);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(pieces).toString("latin1"));
    };
    const timer = setTimeout(finish, rawMs);
    socket.setTimeout(rawSilenceMs, finish);
    socket
      .on("data", (piece) => pieces.push(piece))
      .on("error", finish)
      .on("close", finish);
  });
}

function bytesOf(body: Sending["body"]): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
