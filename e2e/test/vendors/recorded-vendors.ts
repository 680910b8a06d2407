import { once } from "node:events";
import { createServer } from "node:http";
import type { Recording } from "./recording.ts";

type Body = Readonly<Record<string, unknown>>;

/** Vendors that answer every call as their recordings do; each has its name as the first step of its paths. */
export interface RecordedVendors extends AsyncDisposable {
  /** Address without a path. */
  readonly url: string;
  /** The bodies that each vendor was sent last, by its name. */
  readonly sent: ReadonlyMap<string, Body>;
}

/** Starts them, on one port. */
export async function startRecordedVendors(recordings: ReadonlyMap<string, Recording>): Promise<RecordedVendors> {
  const sent = new Map<string, Body>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const name = request.url?.split("/")[1] ?? "";
      const recording = recordings.get(name);
      const body: Body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
      const streams = body["stream"] === true;
      const answer = recording && answerOf(recording, request.url ?? "", streams);
      if (answer === undefined) return response.writeHead(404).end();
      sent.set(name, body);
      response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
      return response.end(answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    sent,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The recorded answer to a request at a path; undefined where there is none. */
function answerOf(recording: Recording, path: string, streams: boolean): string | undefined {
  if (path.endsWith("/chat/completions")) return streams ? framesOf(recording) : JSON.stringify(recording.whole);
  const { whole, stream } = (path.endsWith("/messages") ? recording.messages : undefined) ?? {};
  if (!streams) return whole && JSON.stringify(whole.body);
  return stream?.events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function framesOf({ stream }: Recording): string {
  return [...stream.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}
