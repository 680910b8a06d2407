import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

/** How every answer is from now on. */
export interface Report {
  /** The usage object, in the vendor's own form. */
  readonly usage: object;
  /** The service tier beside it, where the wire has it there. */
  readonly tier?: string | undefined;
  /** A stream says its first words and no more, until its reader leaves; before them it calls a search where this says so. */
  readonly silentAfterWords?: { readonly searches: boolean } | undefined;
}

/** A vendor of the wires chat, messages and content that says a few words, and reports whatever usage its test has set. */
export interface ReportingVendor extends AsyncDisposable {
  readonly url: string;
  report(report: Report): void;
  /** Streams whose readers are still there. */
  readonly open: number;
}

const words = "Found it for you.";

/** Starts one on a port of its own. */
export async function startReportingVendor(): Promise<ReportingVendor> {
  let report: Report = { usage: {} };
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: { readonly model?: string; readonly stream?: boolean } = JSON.parse(Buffer.concat(chunks).toString());
      const path = request.url ?? "";
      const answer = path.includes("/chat/") ? chat : path.includes("/messages") ? messages : content;
      const { whole, begins, ends } = answer(body.model ?? "m", report);
      if (body.stream !== true && !path.includes(":stream")) return json(response, whole);
      open++;
      response.once("close", () => open--);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(begins);
      if (report.silentAfterWords === undefined) response.end(ends);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    report: (next) => (report = next),
    get open() {
      return open;
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
  readonly begins: string;
  readonly ends: string;
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

function chat(model: string, { usage, tier }: Report): Answer {
  const head = { id: "c", created: 1, model, service_tier: tier ?? "default" };
  const message = { role: "assistant", content: words };
  const chunk = (more: object) => data({ ...head, object: "chat.completion.chunk", ...more });
  return {
    whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    begins: chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
    ends:
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      chunk({ choices: [], usage }) +
      "data: [DONE]\n\n",
  };
}

/** The beginning of a stream reports all input. */
function messages(model: string, { usage, silentAfterWords }: Report): Answer {
  const head = { id: "msg", type: "message", role: "assistant", model };
  const searched = [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "it" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  ];
  const blocks = [...(silentAfterWords?.searches === true ? searched : []), { type: "text", text: "" }];
  const events = (list: readonly { readonly type: string; readonly [member: string]: unknown }[]) =>
    list.map((event) => `event: ${event.type}\n${data(event)}`).join("");
  const last = blocks.length - 1;
  return {
    whole: { ...head, content: [{ type: "text", text: words }], stop_reason: "end_turn", stop_sequence: null, usage },
    begins: events([
      { type: "message_start", message: { ...head, content: [], usage: { ...usage, output_tokens: 1 } } },
      ...blocks.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block },
        ...(index < last ? [{ type: "content_block_stop", index }] : []),
      ]),
      { type: "content_block_delta", index: last, delta: { type: "text_delta", text: words } },
    ]),
    ends: events([
      { type: "content_block_stop", index: last },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]),
  };
}

function content(model: string, { usage, tier }: Report): Answer {
  const piece = (parts: readonly object[], more: object) => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
    modelVersion: model,
  });
  const usageMetadata = { ...usage, ...(tier === undefined ? {} : { trafficType: tier }) };
  const end = { finishReason: "STOP" };
  return {
    whole: { ...piece([{ text: words }], end), usageMetadata },
    begins: data(piece([{ text: words }], {})),
    ends: data({ ...piece([{ text: "" }], end), usageMetadata }),
  };
}
