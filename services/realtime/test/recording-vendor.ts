import type { WebSocket } from "ws";
import { sendEvent, startSessionVendor } from "@modelgate/testkit";

/** Usage that the simulated vendor reports for each response. */
export interface ReportedUse {
  readonly outputTokens: number;
}

/**
 * Vendor of the realtime format that starts every requested response immediately, and ends responses only when the test
 * allows it.
 */
export interface RecordingVendor extends AsyncDisposable {
  readonly url: string;
  types(): readonly unknown[];
  count(type: string): number;
  setAnswering(isAnswering: boolean): void;
  /** Starts responses that were not requested, in all sessions. */
  beginResponses(responses: number): void;
  openSessions(): number;
  /** Deletes all received events and unanswered requests. */
  reset(): void;
}

export async function startRecordingVendor({ outputTokens }: ReportedUse): Promise<RecordingVendor> {
  let isAnswering = false;
  let unanswered: (() => void)[] = [];
  let ids = 0;
  const answer = (step: () => void): void => {
    if (isAnswering) step();
    else unanswered.push(step);
  };
  const respond = (socket: WebSocket): void => {
    const id = `resp_${++ids}`;
    sendEvent(socket, { type: "response.created", response: { id, status: "in_progress" } });
    answer(() => {
      const usage = { input_tokens: 0, output_tokens: outputTokens };
      sendEvent(socket, { type: "response.done", response: { id, status: "completed", usage } });
    });
  };
  const commit = (socket: WebSocket): void => {
    const item = `item_${++ids}`;
    sendEvent(socket, { type: "input_audio_buffer.committed", item_id: item });
    answer(() => {
      const type = "conversation.item.input_audio_transcription.completed";
      const usage = { type: "duration", seconds: 1 };
      sendEvent(socket, { type, item_id: item, content_index: 0, transcript: "word", usage });
    });
  };
  const vendor = await startSessionVendor({
    opened: (socket) => sendEvent(socket, { type: "session.created", session: {} }),
    received({ type, session }, socket) {
      if (type === "response.create") respond(socket);
      if (type === "input_audio_buffer.commit") commit(socket);
      if (type === "session.update") sendEvent(socket, { type: "session.updated", session });
    },
  });
  return {
    url: `${vendor.url}/v1`,
    types: () => vendor.events.map(({ type }) => type),
    count: (name) => vendor.events.filter(({ type }) => type === name).length,
    setAnswering(is) {
      isAnswering = is;
      if (!is) return;
      for (const step of unanswered.splice(0)) step();
    },
    beginResponses(responses) {
      for (const socket of vendor.sessions) for (let at = 0; at < responses; at++) respond(socket);
    },
    openSessions: () => vendor.sessions.size,
    reset() {
      vendor.events.length = 0;
      unanswered = [];
      isAnswering = false;
      ids = 0;
    },
    [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose](),
  };
}
