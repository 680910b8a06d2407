import { once } from "node:events";
import { createServer } from "node:http";

type Body = Readonly<Record<string, unknown>>;

/**
 * A vendor of every text wire and of rankings, which runs whatever tools it is asked for, serves at the tier that it is
 * asked for, and reports both as the real ones do: ten tokens in, five out, two searches, one session of code, one of all
 * else.
 */
export interface PayingVendor extends AsyncDisposable {
  /** Address without a path. */
  readonly url: string;
  /** The body that it was sent last. */
  readonly last: Body | undefined;
}

/** Starts one on a port of its own. */
export async function startPayingVendor(): Promise<PayingVendor> {
  let last: Body | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: Body = JSON.parse(Buffer.concat(chunks).toString());
      last = body;
      const { pathname } = new URL(request.url ?? "/", "http://vendor");
      const frames = framesOf(pathname, body);
      const streams = body["stream"] === true || pathname.includes("stream");
      response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
      response.end(streams ? frames.stream : JSON.stringify(frames.whole));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    get last() {
      return last;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Answer {
  readonly whole: object;
  readonly stream: string;
}

function framesOf(path: string, body: Body): Answer {
  if (path.endsWith("/chat/completions")) return chat(body);
  if (path.endsWith("/responses")) return responses(body);
  if (path.endsWith("/messages")) return messages(body);
  if (path.endsWith("/rerank")) return rerank(body);
  return content(body);
}

const event = (data: { readonly type?: string; readonly [member: string]: unknown }): string =>
  `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`;

function chat(body: Body): Answer {
  const searches = body["search_parameters"] === undefined ? {} : { num_sources_used: 2 };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...searches };
  const head = { id: "c", created: 1, model: body["model"], service_tier: body["service_tier"] ?? "default" };
  const message = { role: "assistant", content: "Found." };
  const chunk = (more: object) => event({ ...head, object: "chat.completion.chunk", ...more });
  return {
    whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    stream:
      chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      chunk({ choices: [], usage }) +
      "data: [DONE]\n\n",
  };
}

/** What each tool leaves in an output. */
const items: Readonly<Record<string, readonly object[]>> = {
  web_search: ["ws_1", "ws_2"].map((id) => ({
    type: "web_search_call",
    id,
    status: "completed",
    action: { type: "search", query: id },
  })),
  code_interpreter: ["ci_1", "ci_2"].map((id) => ({
    type: "code_interpreter_call",
    id,
    container_id: "cntr_1",
    status: "completed",
  })),
  file_search: [{ type: "file_search_call", id: "fs_1", status: "completed", queries: ["q"] }],
  image_generation: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: "AA==" }],
  mcp: [{ type: "mcp_call", id: "mcp_1", status: "completed" }],
};

function typesIn(tools: unknown): readonly string[] {
  return Array.isArray(tools) ? tools.map(({ type }: { readonly type: string }) => type) : [];
}

function responses(body: Body): Answer {
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Found.", annotations: [] }],
  };
  const output = [...typesIn(body["tools"]).flatMap((type) => items[type] ?? []), message];
  const response = {
    id: "resp_v",
    object: "response",
    created_at: 1,
    status: "completed",
    model: body["model"],
    output,
    service_tier: body["service_tier"] ?? "default",
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  const said = output.map((item, at) => event({ type: "response.output_item.done", output_index: at, item }));
  const created = event({ type: "response.created", response: { ...response, output: [], status: "in_progress" } });
  return { whole: response, stream: created + said.join("") + event({ type: "response.completed", response }) };
}

function messages(body: Body): Answer {
  const types = typesIn(body["tools"]);
  const has = (name: string): boolean => types.some((type) => type.startsWith(name));
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    service_tier: "standard",
    ...(body["speed"] === undefined ? {} : { speed: body["speed"] }),
    server_tool_use: {
      web_search_requests: has("web_search") ? 2 : 0,
      code_execution_requests: has("code_execution") ? 3 : 0,
    },
  };
  const text = { type: "text", text: "Found." };
  const head = { id: "msg_v", type: "message", role: "assistant", model: body["model"] };
  return {
    whole: { ...head, content: [text], stop_reason: "end_turn", stop_sequence: null, usage },
    stream: [
      { type: "message_start", message: { ...head, content: [], usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Found." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]
      .map(event)
      .join(""),
  };
}

function content(body: Body): Answer {
  const tools = JSON.stringify(body["tools"] ?? []);
  const grounding = {
    ...(tools.includes("googleSearch") ? { webSearchQueries: ["a", "b"], groundingChunks: [{ web: {} }] } : {}),
    ...(tools.includes("fileSearch") ? { groundingChunks: [{ retrievedContext: {} }] } : {}),
  };
  const parts = [
    ...(tools.includes("codeExecution") ? [{ executableCode: { language: "PYTHON", code: "1" } }] : []),
    { text: "Found." },
  ];
  const tier = body["serviceTier"];
  const piece = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP", groundingMetadata: grounding }],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 15,
      ...(typeof tier === "string" ? { trafficType: `ON_DEMAND_${tier.toUpperCase()}` } : {}),
    },
    modelVersion: "m",
  };
  return { whole: piece, stream: event(piece) };
}

/** Only models named for it report the searches that they were counted as. */
function rerank(body: Body): Answer {
  const counted = String(body["model"]).startsWith("counted") ? { meta: { billed_units: { search_units: 7 } } } : {};
  const whole = { id: "r", model: body["model"], results: [{ index: 0, relevance_score: 1 }], ...counted };
  return { whole, stream: "" };
}
