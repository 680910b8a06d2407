import { createServer } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { listen } from "@modelgate/testkit";

/** Usage that the simulated vendor reports for each response. */
export interface ReportedUse {
  readonly outputTokens: number;
}

/**
 * Vendor of the realtime format that starts every requested response immediately, also in parallel, and ends responses
 * only when the test allows it. The requests until then are those that a vendor would charge for.
 */
export interface RecordingVendor extends Disposable {
  readonly url: string;
  /** Types of all received events, in order, from text and binary frames. */
  readonly arrived: string[];
  count(type: string): number;
  /** Sets whether responses end immediately. */
  setAnswering(isAnswering: boolean): void;
  /** Starts responses that were not requested, in all sessions. */
  beginResponses(responses: number): void;
  /** Returns the number of open sessions. */
  openSessions(): number;
  /** Returns to the initial state: forgets all received events and unanswered requests. */
  reset(): void;
}

/** Starts the vendor on a free port. */
export async function startRecordingVendor({ outputTokens }: ReportedUse): Promise<RecordingVendor> {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  const arrived: string[] = [];
  const sockets = new Set<WebSocket>();
  let isAnswering = false;
  let unanswered: (() => void)[] = [];
  let ids = 0;
  const answer = (step: () => void): void => {
    if (isAnswering) step();
    else unanswered.push(step);
  };
  const send = (socket: WebSocket, event: object): void => socket.send(JSON.stringify(event));
  const respond = (socket: WebSocket): void => {
    const id = `resp_${++ids}`;
    send(socket, { type: "response.created", response: { id, status: "in_progress" } });
    answer(() => {
      const usage = { input_tokens: 0, output_tokens: outputTokens };
      send(socket, { type: "response.done", response: { id, status: "completed", usage } });
    });
  };
  const commit = (socket: WebSocket): void => {
    const item = `item_${++ids}`;
    send(socket, { type: "input_audio_buffer.committed", item_id: item });
    answer(() => {
      const type = "conversation.item.input_audio_transcription.completed";
      const usage = { type: "duration", seconds: 1 };
      send(socket, { type, item_id: item, content_index: 0, transcript: "word", usage });
    });
  };
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    send(socket, { type: "session.created", session: {} });
    socket.on("message", (data: Buffer) => {
      const event = JSON.parse(data.toString());
      arrived.push(event.type);
      if (event.type === "response.create") respond(socket);
      if (event.type === "input_audio_buffer.commit") commit(socket);
      if (event.type === "session.update") send(socket, { type: "session.updated", session: event.session });
    });
  });
  const url = await listen(http);
  return {
    url: `${url}/v1`,
    arrived,
    count: (type) => arrived.filter((each) => each === type).length,
    setAnswering(is) {
      isAnswering = is;
      if (!is) return;
      for (const step of unanswered.splice(0)) step();
    },
    beginResponses(responses) {
      for (const socket of sockets) for (let at = 0; at < responses; at++) respond(socket);
    },
    openSessions: () => sockets.size,
    reset() {
      arrived.length = 0;
      unanswered = [];
      isAnswering = false;
      ids = 0;
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.terminate();
      server.close();
      http.close();
      unanswered = [];
    },
  };
}
