import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import { seenFile, type Form, type SeenFile } from "./core/form.ts";

/** Received request, for tests. */
interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  readonly bytes: number;
  /** Text of the body, cut at a maximum length. */
  readonly body: string;
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly files?: readonly SeenFile[];
  /** True if the client disconnected early; false if it got the answer; undefined until then. */
  aborted?: boolean;
  /** Messages of a WebSocket. Binary ones are in Base64. */
  messages?: string[];
  sentBytes?: number;
  closeCode?: number;
}

/** Simulated vendor with a separate script and a list of received requests. */
export interface Instance {
  /** Returns the script's behaviour for the next request. */
  next(): Behaviour | undefined;
  script(steps: readonly Behaviour[]): void;
  remember(request: IncomingMessage, path: string, body: Buffer, form: Form | undefined): ReceivedRequest | undefined;
  readonly requests: readonly ReceivedRequest[];
  forget(): void;
}

const maxRequests = 10_000;
const bodyCharacters = 64 * 1024;
/** Name of the instance without `/at/<name>` in its address. It stores no requests, because benchmarks use it. */
export const plainInstance = "";

export function createInstance(remembers: boolean): Instance {
  let steps: Behaviour[] = [];
  let requests: ReceivedRequest[] = [];
  return {
    next() {
      const [step] = steps;
      if (step !== undefined && step.repeat !== true) steps = steps.slice(1);
      return step;
    },
    script(next) {
      steps = [...next];
    },
    remember({ method = "GET", headers }, path, body, form) {
      if (!remembers || requests.length >= maxRequests) return undefined;
      const request: ReceivedRequest = {
        method,
        path,
        headers: { ...headers },
        sha256: createHash("sha256").update(body).digest("hex"),
        bytes: body.length,
        body: body.toString("utf8", 0, bodyCharacters),
        ...(form === undefined ? {} : { fields: form.fields, files: form.files.map(seenFile) }),
      };
      requests.push(request);
      return request;
    },
    get requests() {
      return requests;
    },
    forget() {
      requests = [];
    },
  };
}
