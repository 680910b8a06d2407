import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "@modelgate/testkit";

/** Server in the operator's network. A request that reaches it shows an SSRF vulnerability. */
export interface Inside extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Paths of the requests that reached the server, in order. */
  readonly hits: readonly string[];
}

/** Body of the answers of this server. A client that receives it has reached the operator's network. */
export const insideText = "words-of-the-operators-own-network";

/** Starts the server on a free port. */
export async function startInside(): Promise<Inside> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    request.resume();
    response.writeHead(200, { "content-type": "image/png" }).end(insideText);
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
