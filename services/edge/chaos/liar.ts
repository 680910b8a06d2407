import { once } from "node:events";
import { createServer } from "node:net";

/** A vendor that lies about the length of its answers: it promises more bytes than it sends, or sends more. */
export interface Liar extends AsyncDisposable {
  readonly url: string;
}

const answer = JSON.stringify({
  id: "lie",
  object: "chat.completion",
  created: 0,
  model: "chat",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "All of it." } }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
});

export async function startLiar(): Promise<Liar> {
  let answers = 0;
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (bytes) => {
        if (!bytes.includes("\r\n\r\n")) return;
        const promised = answers++ % 2 === 0 ? answer.length * 2 : Math.floor(answer.length / 2);
        socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${promised}\r\n\r\n${answer}`);
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
