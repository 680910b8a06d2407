import { request } from "node:http";
import type { Asking, Leaves } from "./area.ts";

/** A request as a client sends it. */
export interface Sent {
  readonly path: string;
  readonly method?: "GET" | "POST";
  /** JSON, or bytes with their type. */
  readonly body?: object | { readonly type: string; readonly bytes: Buffer };
  /** Absent: as the asking says. */
  readonly leaves?: Leaves;
}

/** An answer that arrived as its head promised; or that the client left; or what became of it instead. */
export type Got = { readonly status: number; readonly bytes: Buffer } | "left" | "cut" | "no answer";

/** Longest that a client waits for one answer. */
const patienceMs = 15_000;
/** When a client leaves that does not wait for its answer: vendors begin theirs later. */
const leavesAfterMs = 25;

/** Sends one request on a connection of its own. */
export function exchange(asking: Asking, { path, method = "POST", body, leaves = asking.leaves }: Sent): Promise<Got> {
  const { type, bytes } = bytesOf(body);
  return new Promise((resolve) => {
    const asked = request(asking.edgeUrl + path, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${asking.key}`,
        "x-request-id": asking.requestId,
        ...(bytes === undefined ? {} : { "content-type": type, "content-length": bytes.length }),
      },
      signal: AbortSignal.timeout(patienceMs),
    });
    const leave = (): void => {
      resolve("left");
      asked.destroy();
    };
    asked.on("error", () => resolve("no answer"));
    asked.on("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        if (leaves === "in the answer") leave();
      });
      response.on("error", () => resolve("cut")).on("close", () => resolve("cut"));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(pieces) }));
    });
    if (leaves === "while sending" && bytes !== undefined) {
      asked.write(bytes.subarray(0, bytes.length / 2));
      setTimeout(leave, leavesAfterMs);
      return;
    }
    asked.end(bytes);
    if (leaves === "before the answer") setTimeout(leave, leavesAfterMs);
  });
}

function bytesOf(body: Sent["body"]): { readonly type: string; readonly bytes?: Buffer } {
  if (body === undefined) return { type: "" };
  if ("bytes" in body && "type" in body) return { type: body.type, bytes: body.bytes };
  return { type: "application/json", bytes: Buffer.from(JSON.stringify(body)) };
}

/** What a client of one answer saw: `isWhole` knows a good answer's text from one that says what went wrong. */
export function readGot(got: Got, isWhole: (text: string) => boolean): "whole" | "left" | { readonly failure: string } {
  if (got === "left") return got;
  if (typeof got === "string") return { failure: got };
  if (got.status !== 200) return { failure: String(got.status) };
  return isWhole(got.bytes.toString("latin1")) ? "whole" : { failure: "error in the answer" };
}
