import { WebSocket } from "ws";
import { disconnectAfterMs, modelOf, type Area, type CallResult, type ClientCall, type Vendor } from "../area.ts";

const vendor: Vendor = {
  name: "live",
  kind: "realtime",
  price: { input: 4, output: 100 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "live",
};

/** Number of answers in one session. */
const answers = 2;
/** Maximum silence, in ms, before a client gives up. */
const patienceMs = 8_000;

/** Text sessions with two answers. */
export const realtime: Area = {
  name: "realtime",
  vendors: [vendor],
  faultBehaviours: {
    stalls: { chunks: 10, stallAfterChunks: 3 },
    cuts: { chunks: 10, cutAfterChunks: 3 },
  },
  call: (call) => new Conversation(call).over,
};

class Conversation {
  readonly over: Promise<CallResult>;
  readonly #call: ClientCall;
  readonly #socket: WebSocket;
  readonly #result = Promise.withResolvers<CallResult>();
  #requested = 0;
  #whole = 0;
  #disconnected = false;
  #failure: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(call: ClientCall) {
    this.over = this.#result.promise;
    this.#call = call;
    const url = `${call.edgeUrl.replace("http", "ws")}/v1/realtime?model=${modelOf(vendor, call.channelCount)}`;
    const headers = { authorization: `Bearer ${call.key}`, "x-request-id": call.requestId };
    this.#socket = new WebSocket(url, { headers })
      .on("unexpected-response", (request, { statusCode }) => {
        this.#failure = String(statusCode);
        request.destroy();
        this.#end();
      })
      .on("error", () => (this.#failure ??= "no answer"))
      .on("open", () => {
        this.#failure = undefined;
        this.#send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
      })
      .on("message", (data: Buffer) => this.#handleEvent(JSON.parse(data.toString())))
      .on("close", (code) => this.#closed(code));
    if (call.disconnects === "while sending") setTimeout(() => this.#disconnect(), disconnectAfterMs);
    this.#watch();
  }

  #handleEvent(event: { readonly type: string; readonly response?: { readonly status?: string } }): void {
    this.#watch();
    if (event.type === "error") this.#failure = "error";
    if (event.type === "session.updated") this.#request();
    if (event.type === "response.output_text.delta" && this.#call.disconnects === "in the answer") this.#disconnect();
    if (event.type !== "response.done") return;
    if (event.response?.status === "completed") this.#whole++;
    else this.#failure = `response ${event.response?.status}`;
    if (this.#requested < answers) this.#request();
    else this.#socket.close(1000);
  }

  #request(): void {
    this.#requested++;
    // Messages with a directive ignore the behaviour of a fault.
    const directive =
      this.#call.channelCount === "lone" ? "" : ' {{simulate: {"chunks": 8, "chunkDelayMs": 20, "delayMs": 30}}}';
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: `Hello${directive}` }] };
    this.#send({ type: "conversation.item.create", item });
    this.#send({ type: "response.create" });
    if (this.#call.disconnects === "before the answer") setTimeout(() => this.#disconnect(), disconnectAfterMs);
  }

  #send(event: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  #disconnect(): void {
    this.#disconnected = true;
    this.#socket.terminate();
  }

  #watch(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#failure = "silence";
      this.#socket.terminate();
    }, patienceMs);
  }

  #closed(code: number): void {
    const isComplete = code === 1000 && this.#whole === answers;
    // Any close before the last answer is a failure. An error event before it is included.
    if (!isComplete && !this.#disconnected) this.#failure = `${this.#failure ?? "nothing"}, then ${code}`;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#silence);
    const failures = this.#disconnected || this.#failure === undefined ? [] : [this.#failure];
    this.#result.resolve({
      failures,
      disconnected: this.#disconnected,
      whole: this.#whole,
      requested: this.#requested,
    });
  }
}
