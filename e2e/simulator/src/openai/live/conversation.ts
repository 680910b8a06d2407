import { directiveIn, withoutDirective } from "../../behaviour.ts";
import { isRecord, memberOf, textAt } from "../../checks/members.ts";
import { bracketPath, Refusal, requireShape } from "../../checks/refusal.ts";
import { freshId, nowSeconds } from "../../core/ids.ts";
import { millisecondsOf, toneFor } from "../../core/speech.ts";
import { piecesOf } from "../../core/tokens.ts";
import type { Peer, SocketFrame } from "../../sockets/peer.ts";
import type { Conversation, SocketCall } from "../../sockets/socket-vendor.ts";
import { liveClientEvent } from "./shape.ts";

type Members = Readonly<Record<string, unknown>>;

const lifetimeSeconds = 3_600;

/** Session of GPT-Live. It is charged for the seconds of the received sound, so that tests know them in advance. */
export class LiveConversation implements Conversation {
  readonly #peer: Peer;
  readonly #call: SocketCall;
  readonly #id = freshId("live_");
  readonly #expiresAt = nowSeconds() + lifetimeSeconds;
  #session: Members | undefined;
  #receivedBytes = 0;
  #isClosed = false;

  constructor(peer: Peer, call: SocketCall) {
    this.#peer = peer;
    this.#call = call;
  }

  text(data: string): void {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return this.#refuse(new Refusal(400, "The event is not valid JSON.", { code: "invalid_json" }), undefined);
    }
    const id = textAt(event, "event_id");
    try {
      requireShape(event, liveClientEvent);
      this.#handle(textAt(event, "type") ?? "", isRecord(event) ? event : {}, id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, id);
    }
  }

  closed(): void {
    this.#isClosed = true;
  }

  #handle(type: string, event: Members, id: string | undefined): void {
    if ((type === "session.start") !== (this.#session === undefined))
      throw new Refusal(400, type === "session.start" ? "The session has been started." : "Send session.start first.", {
        code: "invalid_state",
      });
    switch (type) {
      case "session.start":
        return this.#start(memberOf(event, "session"), id);
      case "session.update":
        this.#requireDelegation(memberOf(memberOf(event, "session"), "delegation"));
        return this.#send("session.updated", { session: this.#shown() }, id);
      case "session.input_audio.append":
        return this.#receiveAudio(Buffer.from(textAt(event, "audio") ?? "", "base64"));
      case "session.input_audio.mute":
        return this.#send("session.input_audio.muted", {}, id);
      case "session.input_audio.unmute":
        return this.#send("session.input_audio.unmuted", {}, id);
      case "session.instructions.append":
      case "session.thinking.append":
        return this.#send(`${type}ed`, { start_ms: this.#ms(), end_ms: this.#ms() }, id);
      case "session.commentary.append":
        this.#send(`${type}ed`, { start_ms: this.#ms(), end_ms: this.#ms() }, id);
        return void this.#speak(textAt(event, "content") ?? "");
      case "session.close":
        return this.#close(id);
      default:
        throw new Refusal(400, `${type} requires another delegation.`, { code: "invalid_delegation" });
    }
  }

  #start(session: unknown, id: string | undefined): void {
    const model = textAt(session, "model") ?? "";
    if (!model.startsWith("gpt-live-"))
      throw new Refusal(404, `The model ${model} does not exist.`, {
        code: "model_not_found",
        path: ["session", "model"],
      });
    this.#session = isRecord(session) ? session : {};
    this.#send("session.started", { session: this.#shown() }, id);
  }

  #requireDelegation(delegation: unknown): void {
    const type = textAt(delegation, "type");
    const current = textAt(memberOf(this.#session, "delegation"), "type") ?? "client";
    if (type !== undefined && type !== current)
      throw new Refusal(400, "The delegation type of a session cannot be changed.", {
        path: ["session", "delegation", "type"],
      });
  }

  #receiveAudio(samples: Buffer): void {
    const start = this.#ms();
    this.#receivedBytes += samples.length;
    const range = { start_ms: start, end_ms: this.#ms() };
    this.#send("session.input_transcript.delta", { delta: `${range.end_ms - start} ms of speech`, ...range });
    this.#send("session.usage.updated", {
      usage: this.#usage(),
      context_window: { usage_ratio: 0.1 },
    });
  }

  async #speak(content: string): Promise<void> {
    const found = directiveIn(content);
    const behaviour = found !== undefined && "behaviour" in found ? found.behaviour : this.#call.behaviour;
    await this.#peer.play(this.#frames(withoutDirective(content), behaviour.chunks ?? 1), behaviour, {
      mayContinue: () => !this.#isClosed,
      failure: liveFailure("simulated failure in the session"),
    });
  }

  *#frames(words: string, chunks: number): Generator<SocketFrame> {
    for (const piece of piecesOf(words, chunks)) {
      const sound = { type: "session.output_audio.delta", delta: toneFor(piece).toString("base64") };
      yield { event: sound, content: true };
      const range = { start_ms: this.#ms(), end_ms: this.#ms() };
      yield { event: { type: "session.output_transcript.delta", event_id: freshId("event_"), delta: piece, ...range } };
    }
  }

  #close(id: string | undefined): void {
    this.#send("session.closed", { reason: "close_requested", session: this.#shown(), usage: this.#usage() }, id);
    this.#peer.close(1_000);
  }

  #usage(): object {
    return this.#call.behaviour.usage ?? { seconds: this.#ms() / 1_000 };
  }

  #ms(): number {
    return millisecondsOf(this.#receivedBytes);
  }

  #shown(): object {
    const { audio, delegation, ...settings } = this.#session ?? {};
    const audioSettings = isRecord(audio) ? audio : {};
    return {
      ...settings,
      id: this.#id,
      expires_at: this.#expiresAt,
      status: "active",
      audio: { format: { type: "audio/pcm", rate: 24_000 }, output: { voice: "marin" }, ...audioSettings },
      delegation: delegation ?? { type: "client" },
      store: settings["store"] ?? false,
    };
  }

  #send(type: string, members: object, causedBy?: string): void {
    const cause = causedBy === undefined ? {} : { client_event_id: causedBy };
    this.#peer.send({ type, event_id: freshId("event_"), ...members, ...cause });
  }

  #refuse({ message, code = "invalid_value", path }: Refusal, causedBy: string | undefined): void {
    this.#peer.send(liveFailure(message, { code, param: bracketPath(path), causedBy }));
  }
}

interface LiveFault {
  readonly code?: string | undefined;
  readonly param?: string;
  readonly causedBy?: string | undefined;
}

/** Creates the `error` event of a failure. */
export function liveFailure(message: string, { code, param = "", causedBy }: LiveFault = {}): object {
  const cause = causedBy === undefined ? {} : { client_event_id: causedBy };
  const type = code === undefined ? "server_error" : "invalid_request_error";
  const error = { type, code: code ?? null, message, ...(param === "" ? {} : { param }), ...cause };
  return { type: "error", event_id: freshId("event_"), error, ...cause };
}
