import { WebSocket } from "ws";
import { modelOf, type Area, type Asking, type Leaves, type Outcome, type Vendor, type Ways } from "../area.ts";

const vendor: Vendor = {
  name: "live",
  kind: "realtime",
  price: { input: 4, output: 100 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "live",
};

/** Answers that a client asks for in one session, one after the other. */
const answers = 2;
/** Longest that a session is silent before its client gives up. */
const patienceMs = 8_000;
const leavesAfterMs = 25;

/** Sessions of two answers in text. */
export const realtime: Area = {
  name: "realtime",
  vendors: [vendor],
  misbehaves: {
    stalls: { chunks: 10, stallAfterChunks: 3 },
    cuts: { chunks: 10, cutAfterChunks: 3 },
  },
  ask: (asking) => new Conversation(asking).over,
};

/** What a client says. A vendor that misbehaves does so only where nothing else is asked of it. */
const say = (ways: Ways): object => {
  const text = ways === "lone" ? "Hello" : 'Hello {{simulate: {"chunks": 8, "chunkDelayMs": 20, "delayMs": 30}}}';
  const item = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  return { type: "conversation.item.create", item };
};

/** A session of one client, from its opening to its close. */
class Conversation {
  readonly over: Promise<Outcome>;
  readonly #leaves: Leaves;
  readonly #ways: Ways;
  readonly #socket: WebSocket;
  readonly #outcome = Promise.withResolvers<Outcome>();
  #asked = 0;
  #whole = 0;
  #left = false;
  #failure: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor({ edgeUrl, key, requestId, ways, leaves }: Asking) {
    this.over = this.#outcome.promise;
    this.#leaves = leaves;
    this.#ways = ways;
    const url = `${edgeUrl.replace("http", "ws")}/v1/realtime?model=${modelOf(vendor, ways)}`;
    this.#socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}`, "x-request-id": requestId } });
    this.#socket
      .on("unexpected-response", (asked, { statusCode }) => {
        this.#failure = String(statusCode);
        asked.destroy();
        this.#end();
      })
      .on("error", () => {
        this.#failure ??= "no answer";
      })
      .on("open", () => {
        this.#failure = undefined;
        this.#send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
      })
      .on("message", (data: Buffer) => this.#take(JSON.parse(data.toString())))
      .on("close", (code) => this.#closed(code));
    if (leaves === "while sending") setTimeout(() => this.#leave(), leavesAfterMs);
    this.#watch();
  }

  #take(event: { readonly type: string; readonly response?: { readonly status?: string } }): void {
    this.#watch();
    if (event.type === "error") this.#failure = "error";
    if (event.type === "session.updated") this.#ask();
    if (event.type === "response.output_text.delta" && this.#leaves === "in the answer") this.#leave();
    if (event.type !== "response.done") return;
    if (event.response?.status === "completed") this.#whole++;
    else this.#failure = `response ${event.response?.status}`;
    if (this.#asked < answers) this.#ask();
    else this.#socket.close(1000);
  }

  #ask(): void {
    this.#asked++;
    this.#send(say(this.#ways));
    this.#send({ type: "response.create" });
    if (this.#leaves === "before the answer") setTimeout(() => this.#leave(), leavesAfterMs);
  }

  #send(event: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  #leave(): void {
    this.#left = true;
    this.#socket.terminate();
  }

  /** Gives up when nothing comes for long. */
  #watch(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#failure = "silence";
      this.#socket.terminate();
    }, patienceMs);
  }

  #closed(code: number): void {
    const asItShould = code === 1000 && this.#whole === answers;
    // A break after an error event is announced; without one it is a cut.
    if (!asItShould && !this.#left) this.#failure = `${this.#failure ?? "nothing"}, then ${code}`;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#silence);
    const failures = this.#left || this.#failure === undefined ? [] : [this.#failure];
    this.#outcome.resolve({ failures, left: this.#left, whole: this.#whole, asked: this.#asked });
  }
}
