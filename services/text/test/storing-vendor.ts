import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A request that the vendor saw. */
export interface StoredRequest {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** A vendor of the text wires that takes whatever it is named, and makes things in its store with every answer. */
export interface StoringVendor extends AsyncDisposable {
  readonly url: string;
  readonly seen: StoredRequest[];
}

/** What it makes in answer to its n-th request. */
export const madeAs = (at: number) => ({
  audio: `audio_${at}`,
  call: `ci_${at}`,
  container: `cntr_${at}`,
  file: `file-made-${at}`,
  message: `msg_${at}`,
  thought: `rs_${at}`,
});

type Answer = (model: unknown, at: number) => object;

const tokens = { input_tokens: 3, output_tokens: 3 };

const chat: Answer = (model, at) => ({
  id: `chatcmpl-${at}`,
  object: "chat.completion",
  created: 1,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, audio: { id: madeAs(at).audio, data: "", transcript: "Hi" } },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
});

const response: Answer = (model, at) => {
  const { call, container, file, message, thought } = madeAs(at);
  const annotation = { type: "container_file_citation", container_id: container, file_id: file, filename: "a.csv" };
  return {
    id: `resp_${at}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [
      { type: "reasoning", id: thought, summary: [] },
      { type: "code_interpreter_call", id: call, status: "completed", container_id: container, code: "1" },
      {
        type: "message",
        id: message,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hi", annotations: [{ ...annotation, start_index: 0, end_index: 1 }] }],
      },
    ],
    usage: { ...tokens, total_tokens: 6 },
  };
};

const message: Answer = (model, at) => ({
  id: `msg_${at}`,
  type: "message",
  role: "assistant",
  model,
  content: [codeResult(at), { type: "text", text: "Hi" }],
  container: { id: madeAs(at).container, expires_at: "2030-01-01T00:00:00Z" },
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: tokens,
});

function codeResult(at: number): object {
  const output = { type: "bash_code_execution_output", file_id: madeAs(at).file };
  return {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "bash_code_execution_result", stdout: "", stderr: "", return_code: 0, content: [output] },
  };
}

const content: Answer = (model) => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 3, totalTokenCount: 6 },
  modelVersion: model,
});

/** Whole answers, by how the path ends. */
const answers: Readonly<Record<string, Answer>> = {
  "/chat/completions": chat,
  "/responses": response,
  "/responses/compact": (_, at) => ({ id: `resp_${at}`, object: "response.compaction", output: [], usage: tokens }),
  "/messages": message,
  "/count_tokens": () => ({ input_tokens: 3 }),
  ":generateContent": content,
  ":countTokens": () => ({ totalTokens: 3 }),
  "/completions": (model) => ({
    id: "cmpl-1",
    object: "text_completion",
    model,
    choices: [{ index: 0, text: "Hi", finish_reason: "stop", logprobs: null }],
    usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
  }),
};

function frame(event: object): string {
  const type = "type" in event ? `event: ${String(event.type)}\n` : "";
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}

/** The same as streams, by how the path ends. */
const streams: Readonly<Record<string, (model: unknown, at: number) => string>> = {
  "/chat/completions": (model, at) => {
    const chunk = (delta: object, finish: string | null) =>
      frame({
        ...chat(model, at),
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const audio = { id: madeAs(at).audio, transcript: "Hi" };
    return `${chunk({ role: "assistant", audio }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
  },
  "/responses": (model, at) =>
    frame({ type: "response.created", sequence_number: 0, response: { id: `resp_${at}`, output: [] } }) +
    frame({ type: "response.completed", sequence_number: 1, response: response(model, at) }),
  "/messages": (model, at) =>
    [
      { type: "message_start", message: { ...message(model, at), content: [], container: null, stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: codeResult(at) },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", container: { id: madeAs(at).container } },
        usage: tokens,
      },
      { type: "message_stop" },
    ]
      .map(frame)
      .join(""),
};

/** Starts one on a port of its own. */
export async function startStoringVendor(): Promise<StoringVendor> {
  const seen: StoredRequest[] = [];
  const server = createServer((request, reply) => {
    answer(request, reply, seen).catch((error: unknown) => reply.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(request: IncomingMessage, reply: ServerResponse, seen: StoredRequest[]): Promise<void> {
  const { pathname: path } = new URL(request.url ?? "", "http://vendor");
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const key = String(request.headers.authorization ?? request.headers["x-api-key"] ?? "");
  // The poller's looks at tasks come whenever they are due.
  if (request.method !== "POST") return void reply.writeHead(404).end();
  seen.push({ path, key, body });
  const at = seen.length;
  const asked: { readonly model?: unknown; readonly stream?: unknown } = body.startsWith("{") ? JSON.parse(body) : {};
  const ending = Object.keys(answers)
    .toSorted((one, other) => other.length - one.length)
    .find((each) => path.endsWith(each));
  const stream = asked.stream === true && ending !== undefined ? streams[ending] : undefined;
  if (stream !== undefined)
    return void reply.writeHead(200, { "content-type": "text/event-stream" }).end(stream(asked.model, at));
  const whole = ending === undefined ? undefined : answers[ending];
  reply.writeHead(whole === undefined ? 404 : 200, { "content-type": "application/json" });
  reply.end(JSON.stringify(whole?.(asked.model, at) ?? { error: { message: "This path does not exist." } }));
}
