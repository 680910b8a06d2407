import { once } from "node:events";
import { createServer } from "node:http";
import { createSimulator } from "../src/simulator.ts";

/** Simulator on a free port. */
export interface Started extends AsyncDisposable {
  readonly url: string;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Whole>;
  /** Returns the frames of a stream. Without a body, the method is GET. */
  stream(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<readonly StreamFrame[]>;
}

interface Whole {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface StreamFrame {
  readonly event: string | undefined;
  /** Parsed JSON, or `[DONE]`. */
  readonly data: any;
}

export async function startSimulator(headers: Readonly<Record<string, string>> = {}): Promise<Started> {
  const simulator = createSimulator();
  const server = createServer(simulator).on("upgrade", simulator.upgrade).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const send = (path: string, body: unknown, more: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    url,
    async post(path, body, more) {
      const answer = await send(path, body, more);
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
    async stream(path, body, more) {
      return framesIn(await (await send(path, body, more)).text());
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

function framesIn(text: string): readonly StreamFrame[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame !== "")
    .map((frame) => {
      const event = /^event: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1] ?? "";
      return { event, data: data === "[DONE]" ? data : JSON.parse(data) };
    });
}

/** Returns a text with a directive. */
export const simulate = (behaviour: object, words = "Hi"): string =>
  `${words} {{simulate: ${JSON.stringify(behaviour)}}}`;
