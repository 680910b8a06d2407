import { request, type Agent } from "node:http";
import { WebSocket } from "ws";
import { startLocalBackends, startSuite, until, type LocalBackends, type Shape, type Suite } from "@modelgate/testkit";
import { startEndlessVendor, type EndlessVendor } from "../test/endless-vendor.ts";
import { channel, keys } from "../test/suite-client.ts";

/** Suite in which restarts are measured. */
export interface RestartSetup extends AsyncDisposable {
  readonly suite: Suite<LocalBackends>;
  readonly vendor: EndlessVendor;
  readonly config: object;
}

const price = { input: 2, output: 10 };

/** Starts the suite with the default leases. Only the slices of realtime sessions are smaller. */
export async function openRestartSetup(shape: Shape): Promise<RestartSetup> {
  const vendor = await startEndlessVendor();
  const config = {
    groups: { default: { models: ["*"] } },
    models: {
      endless: { kind: "chat", price },
      chat: { kind: "chat", price },
      live: { kind: "realtime", price },
    },
    channels: [
      channel("endless", ["endless"], { baseUrl: vendor.url }),
      channel("main", ["chat"]),
      channel("voice", ["live"]),
    ],
    accounts: { demo: { balance: "1000.00", tokens: [{ key: keys.demo, group: "default" }] } },
  };
  const suite = await startSuite({
    shape,
    backends: await startLocalBackends(),
    config,
    limits: { realtime: { slice: { audioSeconds: 0, textTokens: 100 } } },
  });
  return {
    suite,
    vendor,
    config,
    async [Symbol.asyncDispose]() {
      await suite[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/** Answer, possibly incomplete. */
export interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly whole: boolean;
  /** Value of `performance.now()`. */
  readonly endedAt: number;
}

export interface ChatCall {
  readonly model: string;
  readonly id?: string;
  readonly stream?: boolean;
  readonly agent?: Agent;
  readonly onBegin?: () => void;
}

/** Sends a chat call. Resolves at the end of its answer, even if it is incomplete. */
export function call(url: string, { model, id, stream = false, agent, onBegin }: ChatCall): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: agent ?? false,
      headers: {
        authorization: `Bearer ${keys.demo}`,
        "content-type": "application/json",
        ...(id === undefined ? {} : { "x-request-id": id }),
      },
    });
    let [text, status, whole]: [string, number | undefined, boolean] = ["", undefined, false];
    const finish = (): void => resolve({ status, text, whole, endedAt: performance.now() });
    sent.on("error", finish);
    sent.on("response", (response) => {
      status = response.statusCode;
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.once("data", () => onBegin?.());
      response.on("error", () => undefined).on("end", () => (whole = response.complete));
      response.on("close", finish);
    });
    const messages = [{ role: "user", content: "Hello" }];
    sent.end(JSON.stringify({ model, stream, messages, stream_options: stream ? { include_usage: true } : undefined }));
  });
}

export interface SessionEnd {
  readonly code: number;
  readonly last: unknown;
  /** Value of `performance.now()`. */
  readonly endedAt: number;
}

/** Realtime session that is answered with text. */
export interface Session {
  readonly ended: Promise<SessionEnd>;
  /** Requests an answer and waits for its end. Returns false if the session ended. */
  requestAnswer(): Promise<boolean>;
  close(): void;
}

/** Opens a session that is answered with text. */
export async function openSession(url: string): Promise<Session> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/realtime?model=live`, {
    headers: { authorization: `Bearer ${keys.demo}` },
  });
  let done = 0;
  let isOver = false;
  let last: Buffer = Buffer.from("{}");
  socket.on("message", (data: Buffer) => {
    last = data;
    done += data.includes('"response.done"') ? 1 : 0;
  });
  const ended = new Promise<SessionEnd>((resolve) => {
    socket.on("close", (code) => {
      isOver = true;
      const event: { readonly type?: unknown } = JSON.parse(last.toString());
      resolve({ code, last: event.type, endedAt: performance.now() });
    });
  });
  socket.on("error", () => undefined);
  await until("a session to open", () => socket.readyState === WebSocket.OPEN);
  socket.send(JSON.stringify({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } }));
  return {
    ended,
    async requestAnswer() {
      const before = done;
      const content = [{ type: "input_text", text: "Hello" }];
      const item = { type: "message", role: "user", content };
      socket.send(JSON.stringify({ type: "conversation.item.create", item }));
      socket.send(JSON.stringify({ type: "response.create" }));
      await until("a response", () => isOver || done > before);
      return done > before;
    },
    close: () => socket.close(),
  };
}
