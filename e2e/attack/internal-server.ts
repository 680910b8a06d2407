import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "@modelgate/testkit";

/** Server in the operator's network. A request that reaches it shows an SSRF vulnerability. */
export interface InternalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly hits: readonly string[];
}

/** Answer of this server, which no client may receive. */
export const internalText = "words-of-the-operators-own-network";

export async function startInternalServer(): Promise<InternalServer> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    request.resume();
    response.writeHead(200, { "content-type": "image/png" }).end(internalText);
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
