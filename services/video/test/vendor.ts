import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";

type Answer = { readonly status?: number; readonly body: object } | "nothing" | "silence";

/** A vendor of the `videos` wire whose tasks are what a test says they are. */
export interface TestVendor extends AsyncDisposable {
  readonly url: string;
  /** The answer to looks at a task: a status and a body, a connection that breaks, or nothing until it is left. */
  say(operation: string, answer: Answer): void;
  /** Operations in the order in which they were looked at. */
  readonly polls: string[];
}

const unknownTask = { status: 404, body: { error: { message: "no such video" } } };

export async function startVendor(): Promise<TestVendor> {
  const answers = new Map<string, Answer>();
  const polls: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const operation = (request.url ?? "").split("/").at(-1) ?? "";
    polls.push(operation);
    const answer = answers.get(operation);
    if (answer === "nothing") request.socket.destroy();
    if (answer === "nothing" || answer === "silence") return;
    const { status = 200, body } = answer ?? unknownTask;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    say: (operation, answer) => void answers.set(operation, answer),
    polls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
