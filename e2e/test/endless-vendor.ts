import type { ServerResponse } from "node:http";
import { startScriptedServer } from "@modelgate/testkit";

/** Vendor whose chat streams continue until `finish` is called. */
export interface EndlessVendor extends AsyncDisposable {
  readonly url: string;
  /** Number of open streams. */
  readonly open: number;
  /** Ends all streams correctly, with their usage. */
  finish(): void;
}

const wordEveryMs = 500;
const words = "and so on ";

const frame = (more: object): string => {
  const chunk = { id: "endless", object: "chat.completion.chunk", created: 0, model: "chat", ...more };
  return `data: ${JSON.stringify(chunk)}\n\n`;
};
const word = frame({ choices: [{ index: 0, delta: { role: "assistant", content: words }, finish_reason: null }] });
const last =
  frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 30, total_tokens: 33 } }) +
  "data: [DONE]\n\n";

/** Starts the vendor on a free port. */
export async function startEndlessVendor(): Promise<EndlessVendor> {
  const open = new Set<ServerResponse>();
  const server = await startScriptedServer((_, response) => {
    open.add(response);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(word);
    response.once("close", () => open.delete(response));
    return undefined;
  });
  const timer = setInterval(() => {
    for (const response of open) response.write(word);
  }, wordEveryMs);
  return {
    url: `${server.url}/v1`,
    get open() {
      return open.size;
    },
    finish() {
      for (const response of open) response.end(last);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await server[Symbol.asyncDispose]();
    },
  };
}
