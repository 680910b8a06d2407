import { directiveIn } from "../../behaviour.ts";
import { bracketPath, requireShape, Refusal } from "../../checks/refusal.ts";
import { isRecord, listAt, memberOf, textAt } from "../../checks/members.ts";
import { freshId } from "../../core/ids.ts";
import { questionFrom } from "../../core/question.ts";
import { millisecondsOf, TurnDetector } from "../../core/speech.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Peer } from "../../sockets/peer.ts";
import type { Conversation, SocketCall } from "../../sockets/socket-vendor.ts";
import { itemFrom, shownItem, spokenItem, type Item, type ItemTokens } from "./items.ts";
import { failureEvent, newEventHead, Response } from "./response.ts";
import { ConversationItems, tokensOfItems } from "./conversation-items.ts";
import { choiceOf, defaultSettings, mergeSettings, toolsOf, type Settings } from "./settings.ts";
import { clientEvent } from "./shape.ts";
import { transcriptionOf } from "./transcription.ts";

/** Time, in ms, to transcribe speech. */
const writingMs = 30;

export class RealtimeConversation implements Conversation {
  readonly #peer: Peer;
  readonly #call: SocketCall;
  readonly #model: string;
  readonly #id = freshId("sess_");
  readonly #conversationId = freshId("conv_");
  readonly #conversationItems = new ConversationItems();
  readonly #voice = new TurnDetector();
  #settings: Settings;
  #audio: Buffer[] = [];
  /** Running responses by id, also those outside the conversation. */
  readonly #responses = new Map<string, Response>();
  /** Running response of the conversation. */
  #active: Response | undefined;

  constructor(peer: Peer, call: SocketCall) {
    this.#peer = peer;
    this.#call = call;
    this.#model = call.query.get("model") ?? "";
    this.#settings = defaultSettings(this.#model);
    this.#send("session.created", { session: this.#session() });
  }

  text(data: string): void {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return this.#refuse(new Refusal(400, "The event is not valid JSON.", { code: "invalid_json" }), undefined);
    }
    try {
      requireShape(event, clientEvent);
      this.#on[textAt(event, "type") ?? ""]?.(isRecord(event) ? event : {});
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, textAt(event, "event_id"));
    }
  }

  closed(): void {
    for (const response of this.#responses.values()) response.cancelled = "client_cancelled";
  }

  readonly #on: Readonly<Record<string, (event: Settings) => void>> = {
    "session.update": ({ session }) => {
      const model = textAt(session, "model");
      if (model !== undefined && model !== this.#model)
        throw new Refusal(400, "The model of a session cannot be changed.", { path: ["session", "model"] });
      this.#settings = mergeSettings(this.#settings, isRecord(session) ? session : {});
      this.#send("session.updated", { session: this.#session() });
    },
    "input_audio_buffer.append": ({ audio }) => this.#receiveAudio(Buffer.from(String(audio), "base64")),
    "input_audio_buffer.commit": () => this.#commit(),
    "input_audio_buffer.clear": () => {
      this.#audio = [];
      this.#send("input_audio_buffer.cleared", {});
    },
    "conversation.item.create": ({ item }) => {
      this.#add(itemFrom(item, textAt(item, "id") ?? freshId("item_")));
    },
    "conversation.item.retrieve": ({ item_id: id }) =>
      this.#send("conversation.item.retrieved", { item: shownItem(this.#conversationItems.find(id)) }),
    "conversation.item.truncate": ({ item_id: id, content_index: index, audio_end_ms: end }) => {
      this.#conversationItems.find(id);
      this.#send("conversation.item.truncated", { item_id: id, content_index: index, audio_end_ms: end });
    },
    "conversation.item.delete": ({ item_id: id }) => {
      this.#conversationItems.remove(id);
      this.#send("conversation.item.deleted", { item_id: id });
    },
    "response.create": ({ response }) => this.#respond(isRecord(response) ? response : {}),
    "response.cancel": (event) => {
      const id = textAt(event, "response_id");
      const response = id === undefined ? this.#active : this.#responses.get(id);
      if (response === undefined)
        throw new Refusal(400, "There is no response to cancel.", { code: "response_cancel_not_active" });
      response.cancelled = "client_cancelled";
    },
  };

  #receiveAudio(samples: Buffer): void {
    this.#audio.push(samples);
    const detection = memberOf(this.#input(), "turn_detection");
    if (!isRecord(detection)) return;
    const speech = this.#voice.addSamples(samples);
    if (speech === "speech began") {
      if (this.#active !== undefined && detection["interrupt_response"] !== false)
        this.#active.cancelled = "turn_detected";
      this.#send("input_audio_buffer.speech_started", { audio_start_ms: 0, item_id: freshId("item_") });
    }
    if (speech !== "speech ended") return;
    this.#send("input_audio_buffer.speech_stopped", { audio_end_ms: this.#receivedMs(), item_id: freshId("item_") });
    this.#commit();
    if (detection["create_response"] !== false) this.#respond({});
  }

  #commit(): void {
    const audio = Buffer.concat(this.#audio);
    if (audio.length === 0)
      throw new Refusal(400, "The audio buffer is empty.", { code: "input_audio_buffer_commit_empty" });
    this.#audio = [];
    const item = spokenItem(freshId("item_"), audio);
    this.#send("input_audio_buffer.committed", {
      previous_item_id: this.#conversationItems.last?.id ?? null,
      item_id: item.id,
    });
    this.#add(item);
    const transcription = memberOf(this.#input(), "transcription");
    if (!isRecord(transcription)) return;
    const events = transcriptionOf(item, textAt(transcription, "model") ?? "");
    // The transcript comes from another model at the same time.
    setTimeout(() => events.forEach((event) => this.#peer.send(event)), writingMs);
  }

  #respond(wished: Settings): void {
    const isOutside = wished["conversation"] === "none";
    if (this.#active !== undefined && !isOutside)
      throw new Refusal(400, "Conversation already has an active response.", {
        code: "conversation_already_has_active_response",
      });
    const settings = { ...this.#settings, ...wished };
    const items =
      isOutside && Array.isArray(wished["input"])
        ? listAt(wished, "input").map((item) => itemFrom(item, ""))
        : this.#conversationItems.items;
    const last = items.at(-1);
    const question = questionFrom(
      this.#model,
      items.filter(({ role }) => role !== "assistant").map(({ words }) => words),
      {
        tools: toolsOf(settings),
        choice: choiceOf(settings["tool_choice"]),
        results: last?.type === "function_call_output" ? [last.words] : undefined,
      },
    );
    const response = new Response({
      id: freshId("resp_"),
      conversationId: isOutside ? null : this.#conversationId,
      modality: listAt(settings, "output_modalities")[0] === "text" ? "text" : "audio",
      question,
      behaviour: lastDirective(last) ?? this.#call.behaviour,
      read: { all: allTokens(items, settings), cached: this.#conversationItems.read(items) },
      metadata: wished["metadata"],
    });
    if (!isOutside) this.#active = response;
    this.#responses.set(response.id, response);
    this.#peer.send(response.created());
    void this.#play(response, isOutside);
  }

  async #play(response: Response, isOutside: boolean): Promise<void> {
    const behaviour = lastDirective(this.#conversationItems.last) ?? this.#call.behaviour;
    const failure = failureEvent("simulated failure in the session");
    const whole = await this.#peer.play(response.frames(), behaviour, {
      mayContinue: () => response.cancelled === undefined,
      failure,
    });
    // A stalled response continues to run. A cancelled one reports its usage so far.
    if (!whole && response.cancelled === undefined) return;
    this.#responses.delete(response.id);
    if (this.#active === response) this.#active = undefined;
    if (!isOutside) this.#conversationItems.add(...response.items);
    if (!whole) this.#peer.send(response.done("cancelled"));
  }

  #add(item: Item): void {
    const previous = this.#conversationItems.last?.id ?? null;
    this.#conversationItems.add(item);
    for (const type of ["conversation.item.added", "conversation.item.done"])
      this.#send(type, { previous_item_id: previous, item: shownItem(item) });
  }

  #input(): unknown {
    return memberOf(this.#settings["audio"], "input");
  }

  #receivedMs(): number {
    return millisecondsOf(this.#audio.reduce((sum, piece) => sum + piece.length, 0));
  }

  #session(): object {
    return { ...this.#settings, object: "realtime.session", id: this.#id, model: this.#model };
  }

  #send(type: string, members: object): void {
    this.#peer.send({ ...newEventHead(type), ...members });
  }

  #refuse({ message, code, path }: Refusal, eventId: string | undefined): void {
    this.#peer.send(failureEvent(message, { code: code ?? "invalid_value", path: bracketPath(path) || null, eventId }));
  }
}

function allTokens(items: readonly Item[], { instructions, tools }: Settings): ItemTokens {
  const { text, audio } = tokensOfItems(items);
  const context = `${typeof instructions === "string" ? instructions : ""}${JSON.stringify(tools ?? [])}`;
  return { text: text + tokensOf(context), audio };
}

function lastDirective(item: Item | undefined) {
  const found = directiveIn(item?.words ?? "");
  return found !== undefined && "behaviour" in found ? found.behaviour : undefined;
}
