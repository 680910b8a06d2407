import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a greedy vendor reports as used, in whatever its wires take for a number. */
export interface ReportedUsage {
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * A vendor of every wire that keeps to no bound: it writes as many words as a test says, reports what a test says, and
 * answers nothing at all while it is silent.
 */
export interface GreedyVendor extends AsyncDisposable {
  /** Without the path of any wire. */
  readonly url: string;
  /** What it was sent, the newest last. */
  readonly bodies: readonly string[];
  /** Exchanges that are under way. */
  readonly open: number;
  /** How it answers from now on. */
  behave(behaviour: Partial<GreedyBehaviour>): void;
  /** Lets every exchange go on that waits in silence. */
  speak(): void;
}

interface GreedyBehaviour {
  /** Words of an answer; a stream goes on for as many as `maxWords`. */
  readonly words: number;
  /** undefined: none is reported. */
  readonly usage: ReportedUsage | undefined;
  /** Items that an answer holds: images, vectors. */
  readonly items: number;
  /** Whether nothing is answered until `speak`. */
  readonly silent: boolean;
}

const maxWords = 100_000;
const word = "story ";
const usual: GreedyBehaviour = { words: 3, usage: { input: 3, output: 3 }, items: 1, silent: false };

/** Starts one on a port of its own. */
export async function startGreedyVendor(): Promise<GreedyVendor> {
  let behaviour = usual;
  const bodies: string[] = [];
  const open = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      gone.abort();
    });
    answer(request, response, gone).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse, gone: AbortController): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    if (behaviour.silent) await new Promise<void>((resolve) => waiting.add(resolve));
    const now = behaviour;
    const path = request.url ?? "";
    const wire = wires.find(({ at }) => at.test(path));
    if (wire === undefined) return void response.writeHead(404).end("{}");
    const streams = path.includes(":stream") || /"stream(?:_format)?":\s*(?:true|"sse")/.test(body);
    if (!streams || wire.frames === undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(wire.whole(now)));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { open: head, each, end } = wire.frames(now.usage);
    response.write(head);
    for (let at = 0; at < Math.min(now.words, maxWords) && !response.destroyed; at++)
      if (!response.write(each)) await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
    response.end(end);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    bodies,
    get open() {
      return open.size;
    },
    behave(next) {
      behaviour = { ...usual, ...next };
    },
    speak() {
      for (const resume of waiting) resume();
      waiting.clear();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

type Answering = GreedyBehaviour;
type Usage = ReportedUsage | undefined;

/** How one wire answers. */
interface GreedyWire {
  readonly at: RegExp;
  whole(now: Answering): object;
  frames?(usage: Usage): { readonly open: string; readonly each: string; readonly end: string };
}

const text = ({ words }: Answering): string => word.repeat(Math.min(words, maxWords));
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = ({ type, ...more }: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${type}\n${data({ type, ...more })}`;
const reportedAs = (usage: Usage, name: string, of: (usage: ReportedUsage) => object): object =>
  usage === undefined ? {} : { [name]: of(usage) };
const chatUsage = ({ input, output }: ReportedUsage): object => ({ prompt_tokens: input, completion_tokens: output });
const plainUsage = ({ input, output }: ReportedUsage): object => ({ input_tokens: input, output_tokens: output });
const contentUsage = ({ input, output }: ReportedUsage): object => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
});

const chunk = { id: "greedy", object: "chat.completion.chunk", created: 0, model: "vendor" };
const response = {
  id: "resp_greedy",
  object: "response",
  created_at: 0,
  model: "vendor",
  status: "in_progress",
  output: [],
};
const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const part = { type: "output_text", text: "", annotations: [] };

const wires: readonly GreedyWire[] = [
  {
    at: /\/chat\/completions$/,
    whole: (now) => ({
      ...chunk,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: text(now) }, finish_reason: "stop" }],
      ...reportedAs(now.usage, "usage", chatUsage),
    }),
    frames: (usage) => ({
      open: data({ ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }),
      each: data({ ...chunk, choices: [{ index: 0, delta: { content: word }, finish_reason: null }] }),
      end:
        data({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
        (usage === undefined ? "" : data({ ...chunk, choices: [], usage: chatUsage(usage) })) +
        "data: [DONE]\n\n",
    }),
  },
  {
    at: /\/completions$/,
    whole: (now) => ({
      ...chunk,
      object: "text_completion",
      choices: [{ index: 0, text: text(now), finish_reason: "stop", logprobs: null }],
      ...reportedAs(now.usage, "usage", chatUsage),
    }),
    frames: (usage) => ({
      open: "",
      each: data({ ...chunk, choices: [{ index: 0, text: word, finish_reason: null, logprobs: null }] }),
      end:
        data({ ...chunk, choices: [{ index: 0, text: "", finish_reason: "stop", logprobs: null }] }) +
        (usage === undefined ? "" : data({ ...chunk, choices: [], usage: chatUsage(usage) })) +
        "data: [DONE]\n\n",
    }),
  },
  {
    at: /\/responses$/,
    whole: (now) => ({
      ...response,
      status: "completed",
      output: [{ ...item, status: "completed", content: [{ ...part, text: text(now) }] }],
      ...reportedAs(now.usage, "usage", plainUsage),
    }),
    frames: (usage) => ({
      open:
        event({ type: "response.created", response }) +
        event({ type: "response.output_item.added", output_index: 0, item }) +
        event({ type: "response.content_part.added", ...place, part }),
      each: event({ type: "response.output_text.delta", ...place, delta: word }),
      end: event({
        type: "response.completed",
        response: { ...response, status: "completed", ...reportedAs(usage, "usage", plainUsage) },
      }),
    }),
  },
  {
    at: /\/messages(?:\?|$)/,
    whole: (now) => ({
      id: "msg_greedy",
      type: "message",
      role: "assistant",
      model: "vendor",
      content: [{ type: "text", text: text(now) }],
      stop_reason: "end_turn",
      stop_sequence: null,
      ...reportedAs(now.usage, "usage", plainUsage),
    }),
    frames: (usage) => ({
      open:
        event({
          type: "message_start",
          message: { id: "msg_greedy", type: "message", role: "assistant", model: "vendor", content: [], usage: {} },
        }) + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      each: event({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: word },
      }),
      end:
        event({ type: "content_block_stop", index: 0 }) +
        event({
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: usage === undefined ? {} : plainUsage(usage),
        }) +
        event({ type: "message_stop" }),
    }),
  },
  {
    at: /:(?:streamG|g)enerateContent/,
    whole: (now) => ({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: text(now) }] }, finishReason: "STOP" }],
      ...reportedAs(now.usage, "usageMetadata", contentUsage),
    }),
    frames: (usage) => ({
      open: "",
      each: data({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: word }] } }] }),
      end: data({
        candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
        ...reportedAs(usage, "usageMetadata", contentUsage),
      }),
    }),
  },
  {
    at: /\/embeddings$/,
    whole: ({ items, usage }) => ({
      object: "list",
      model: "vendor",
      data: Array.from({ length: items }, (_, index) => ({ object: "embedding", index, embedding: [0.5, 0.5] })),
      ...reportedAs(usage, "usage", ({ input }) => ({ prompt_tokens: input, total_tokens: input })),
    }),
  },
  {
    at: /\/rerank$/,
    whole: ({ usage }) => ({
      model: "vendor",
      results: [{ index: 0, relevance_score: 0.5 }],
      ...reportedAs(usage, "usage", ({ input }) => ({ total_tokens: input })),
      meta: { billed_units: { search_units: usage?.input } },
    }),
  },
  {
    at: /\/images\/generations$/,
    whole: ({ items, usage }) => ({
      created: 0,
      data: Array.from({ length: items }, () => ({ url: "https://pictures.example/1.png" })),
      ...reportedAs(usage, "usage", plainUsage),
    }),
    frames: (usage) => ({
      open: "",
      each: event({
        type: "image_generation.completed",
        b64_json: "A".repeat(4_096),
        ...reportedAs(usage, "usage", plainUsage),
      }),
      end: "",
    }),
  },
  {
    at: /\/moderations$/,
    whole: ({ usage }) => ({
      id: "modr-greedy",
      model: "vendor",
      results: [{ flagged: false, categories: {}, category_scores: {} }],
      ...reportedAs(usage, "usage", ({ input }) => ({ prompt_tokens: input, total_tokens: input })),
    }),
  },
  {
    at: /\/audio\/speech$/,
    whole: () => ({}),
    frames: (usage) => ({
      open: "",
      each: data({ type: "speech.audio.delta", audio: "SUQz" }),
      end: data({ type: "speech.audio.done", ...reportedAs(usage, "usage", plainUsage) }),
    }),
  },
  {
    at: /\/audio\/transcriptions$/,
    whole: ({ usage }) => ({
      text: "Hello.",
      ...reportedAs(usage, "usage", ({ input }) => ({ type: "duration", seconds: input })),
    }),
  },
];
