import { request } from "node:http";
import { connect } from "node:net";
import type { IncomingHeaders } from "@modelgate/contracts";

/** One request of a client. */
export interface Sending {
  readonly path: string;
  readonly method?: string;
  /** An object goes as JSON; text and bytes go as they are. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Absent: the client's; null: none. */
  readonly key?: string | null;
  /** Closes the connection so long after the request was sent. */
  readonly leaveAfterMs?: number;
  /** Sends only the first half of the body. */
  readonly sendsHalf?: boolean;
  /** Closes the connection with the first bytes of the answer. */
  readonly leavesInAnswer?: boolean;
  readonly patienceMs?: number;
}

/** An answer, as far as it came. */
export interface Answer {
  /** 0 where no head came. */
  readonly status: number;
  readonly headers: IncomingHeaders;
  /** The beginning of the body. */
  readonly body: string;
  readonly bytes: number;
  readonly end: "whole" | "cut" | "no answer" | "left" | "too late";
  readonly ms: number;
}

/** Maximum time that a client waits for an answer. */
const patienceMs = 20_000;
/** Bytes of a body that are kept and looked at, and maximum bytes of an answer that are read. */
const [keptBytes, maxBytes] = [1024 * 1024, 128 * 1024 * 1024];
/** Silence after which a connection of raw bytes is over, and its maximum duration. */
const [rawSilenceMs, rawMs] = [700, 5_000];

/** Sends one request on a connection of its own, and takes what comes. */
export function exchange(edgeUrl: string, key: string, sending: Sending): Promise<Answer> {
  const { path, method = "POST", body, headers = {}, leaveAfterMs, sendsHalf = false, leavesInAnswer } = sending;
  const bytes = bytesOf(body);
  const began = performance.now();
  const shown = sending.key === undefined ? key : sending.key;
  return new Promise((resolve) => {
    let head: Pick<Answer, "status" | "headers"> = { status: 0, headers: {} };
    const kept: Buffer[] = [];
    let count = 0;
    const over = (end: Answer["end"]): void => {
      const text = Buffer.concat(kept).subarray(0, keptBytes).toString();
      resolve({ ...head, body: text, bytes: count, end, ms: performance.now() - began });
      sent.destroy();
    };
    const sent = request(`${edgeUrl}${path}`, {
      method,
      agent: false,
      headers: {
        ...(shown === null ? {} : { authorization: `Bearer ${shown}` }),
        ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length }),
        ...headers,
      },
    });
    const late = setTimeout(() => over("too late"), sending.patienceMs ?? patienceMs);
    sent
      .on("error", () => over(head.status === 0 ? "no answer" : "cut"))
      .on("close", () => clearTimeout(late))
      .on("response", (response) => {
        head = { status: response.statusCode ?? 0, headers: response.headers };
        response
          .on("data", (piece: Buffer) => {
            if (count < keptBytes) kept.push(piece);
            count += piece.length;
            if (leavesInAnswer === true) over("left");
            else if (count > maxBytes) over("too late");
          })
          .on("end", () => over(response.complete ? "whole" : "cut"))
          .on("error", () => over("cut"));
      });
    if (sendsHalf) sent.write(bytes?.subarray(0, bytes.length / 2));
    else sent.end(bytes);
    if (leaveAfterMs !== undefined) setTimeout(() => over("left"), leaveAfterMs);
  });
}

/** Writes bytes as they are to a connection of their own, and returns what came until it closed or fell silent. */
export function exchangeRaw(edgeUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(edgeUrl);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const over = (): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(Buffer.concat(pieces).toString("latin1"));
    };
    const late = setTimeout(over, rawMs);
    socket.setTimeout(rawSilenceMs, over);
    socket
      .on("data", (piece) => pieces.push(piece))
      .on("error", over)
      .on("close", over);
  });
}

function bytesOf(body: Sending["body"]): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
