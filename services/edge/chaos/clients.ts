import { request } from "node:http";

/** When a client leaves: before its body is sent, before its answer begins, in the middle of it, or never. */
export type Leaves = "while sending" | "before the answer" | "in the answer" | "never";

/** What became of the requests of a while. */
export interface Seen {
  requests: number;
  /** Answers that arrived whole and well. */
  readonly whole: string[];
  /** Requests that their client left. */
  left: number;
  /** What clients saw go wrong: a status, "cut" or "no answer", and how often. */
  readonly failures: Map<string, number>;
}

export interface Clients {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** How many ask at once, each again and again. */
  readonly count: number;
  readonly leaves: Leaves;
  /** Tells requests of one while from those of others. */
  readonly name: string;
}

/** Longest that a client waits for one answer. */
const patienceMs = 15_000;
/** Pause of a client between two requests. */
const pauseMs = 20;
/** Pause after a failure: a client that is refused at once would ask thousands of times. */
const afterFailureMs = 250;

/** Lets clients ask until they are told to stop; every second request wants a stream. */
export function startClients(clients: Clients): { stop(): Promise<Seen> } {
  const seen: Seen = { requests: 0, whole: [], left: 0, failures: new Map() };
  const state = { on: true };
  const one = async (): Promise<void> => {
    while (state.on) {
      const requestId = `${clients.name}-${seen.requests++}`;
      const end = await ask(clients, requestId, seen.requests % 2 === 0);
      if (end === "whole") seen.whole.push(requestId);
      else if (end === "left") seen.left++;
      else seen.failures.set(end, (seen.failures.get(end) ?? 0) + 1);
      const well = end === "whole" || end === "left";
      await new Promise((resolve) => setTimeout(resolve, well ? pauseMs : afterFailureMs));
    }
  };
  const asking = Promise.all(Array.from({ length: clients.count }, one));
  return {
    async stop() {
      state.on = false;
      await asking;
      return seen;
    },
  };
}

/** Asks once: "whole", "left", or what went wrong. */
function ask({ url, key, model, leaves }: Clients, requestId: string, stream: boolean): Promise<string> {
  const content = 'Hello {{simulate: {"chunks": 12, "chunkDelayMs": 20, "delayMs": 30}}}';
  const body = JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: "user", content }] });
  return new Promise((resolve) => {
    const asked = request(url, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-request-id": requestId,
      },
      signal: AbortSignal.timeout(patienceMs),
    });
    const leave = (): void => {
      resolve("left");
      asked.destroy();
    };
    asked.on("error", () => resolve("no answer"));
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        if (leaves === "in the answer") leave();
      });
      response.on("error", () => resolve("cut")).on("close", () => resolve("cut"));
      response.on("end", () => resolve(endOf(response.statusCode ?? 0, text, stream)));
    });
    if (leaves === "while sending") {
      asked.write(body.slice(0, body.length / 2));
      setTimeout(leave, 20);
      return;
    }
    asked.end(body);
    if (leaves === "before the answer") setTimeout(leave, 25);
  });
}

function endOf(status: number, text: string, stream: boolean): string {
  if (status !== 200) return String(status);
  if (stream) return text.includes('"error"') || !text.trimEnd().endsWith("[DONE]") ? "error in the stream" : "whole";
  return text.includes('"choices"') ? "whole" : "cut";
}
