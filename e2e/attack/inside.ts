import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "@modelgate/testkit";

/** A server of the operator's own network: a request that reaches it is a breach (SSRF). */
export interface Inside extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The paths that were asked for, in their order. */
  readonly hits: readonly string[];
}

/** What it answers; a client that reads it in an answer has reached the operator's network. */
export const insideWords = "words-of-the-operators-own-network";

/** Starts it on a free port. */
export async function startInside(): Promise<Inside> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    request.resume();
    response.writeHead(200, { "content-type": "image/png" }).end(insideWords);
  });
  const url = await listen(server);
  return {
    url,
    port: Number(new URL(url).port),
    hits,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
