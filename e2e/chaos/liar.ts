import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

/** A way to a vendor that lies about the length of its answers: it promises more bytes than it sends, or fewer. */
export interface Liar extends AsyncDisposable {
  readonly url: string;
  /** The address of the honest vendor. */
  truth: string;
}

/** Starts one; what it is asked goes on to `truth`. */
export async function startLiar(): Promise<Liar> {
  let answers = 0;
  const server = createServer((asked, answer) => {
    const pieces: Buffer[] = [];
    const onward = request(liar.truth + (asked.url ?? ""), { method: asked.method, headers: asked.headers });
    asked.pipe(onward);
    onward
      .on("error", () => answer.destroy())
      .on("response", (outcomes) => {
        outcomes
          .on("data", (piece: Buffer) => pieces.push(piece))
          .on("end", () => lie(answer, outcomes, Buffer.concat(pieces), answers++ % 2 === 0));
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const liar: Liar = {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    truth: "",
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return liar;
}

/** Writes to the connection itself: node would keep the promise. */
function lie({ socket }: ServerResponse, outcomes: IncomingMessage, bytes: Buffer, tooMuch: boolean): void {
  const promised = tooMuch ? bytes.length * 2 : Math.floor(bytes.length / 2);
  const head = [
    `HTTP/1.1 ${outcomes.statusCode} Outcome`,
    `content-type: ${outcomes.headers["content-type"] ?? "application/json"}`,
    `content-length: ${promised}`,
  ];
  socket?.write(`${head.join("\r\n")}\r\n\r\n`);
  socket?.end(bytes);
}
