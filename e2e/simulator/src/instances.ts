import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import { seenFile, type Form, type SeenFile } from "./core/form.ts";

/** A request as a test wants to see it afterwards. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  readonly bytes: number;
  /** The body's text, cut at a bound. */
  readonly body: string;
  /** Of a form: its text fields and its files. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly files?: readonly SeenFile[];
  /** Whether the caller left before the answer was whole; undefined while it is under way. */
  aborted?: boolean;
  /** Of a WebSocket: what was said on it, binary in Base64; what was sent on it; how it was closed. */
  messages?: string[];
  sentBytes?: number;
  closeCode?: number;
}

/** One simulated vendor: its own script, its own memory. */
export interface Instance {
  /** The behaviour of the next request, by the script. */
  next(): Behaviour | undefined;
  script(steps: readonly Behaviour[]): void;
  remember(request: IncomingMessage, path: string, body: Buffer, form: Form | undefined): SeenRequest | undefined;
  readonly seen: readonly SeenRequest[];
  forget(): void;
}

const maxSeen = 10_000;
const bodyCharacters = 64 * 1024;
/** Requests to the plain address are not remembered: benchmarks go there. */
export const plainInstance = "";

export function createInstance(remembers: boolean): Instance {
  let steps: Behaviour[] = [];
  let seen: SeenRequest[] = [];
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
      if (!remembers || seen.length >= maxSeen) return undefined;
      const request: SeenRequest = {
        method,
        path,
        headers: { ...headers },
        sha256: createHash("sha256").update(body).digest("hex"),
        bytes: body.length,
        body: body.toString("utf8", 0, bodyCharacters),
        ...(form === undefined ? {} : { fields: form.fields, files: form.files.map(seenFile) }),
      };
      seen.push(request);
      return request;
    },
    get seen() {
      return seen;
    },
    forget() {
      seen = [];
    },
  };
}
