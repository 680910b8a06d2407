import { directiveIn } from "../../behaviour.ts";
import { bracketPath, demand, Refusal } from "../../checks/refusal.ts";
import { isRecord, listAt, memberOf, textAt } from "../../checks/members.ts";
import { freshId } from "../../core/ids.ts";
import { questionFrom, type OfferedTool } from "../../core/question.ts";
import { heardTokens, milliseconds } from "../../core/speech.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Peer } from "../../sockets/peer.ts";
import type { Conversation, SocketCall } from "../../sockets/socket-vendor.ts";
import { itemFrom, shownItem, spokenItem, tokensOfItem, type Item, type ItemTokens } from "./items.ts";
import { named, Response } from "./response.ts";
import { clientEvent } from "./shape.ts";
import { Voice } from "../../core/voice.ts";

type Json = Readonly<Record<string, unknown>>;

/** A realtime conversation with this vendor. */
export class RealtimeConversation implements Conversation {
  readonly #peer: Peer;
  readonly #call: SocketCall;
  readonly #model: string;
  readonly #id = freshId("sess_");
  readonly #conversationId = freshId("conv_");
  readonly #items: Item[] = [];
  readonly #voice = new Voice();
  /** Items that a response has read already. */
  readonly #known = new Set<string>();
  #settings: Json;
  #audio: Buffer[] = [];
  #active: Response | undefined;

  constructor(peer: Peer, call: SocketCall) {
    this.#peer = peer;
    this.#call = call;
    this.#model = call.query.get("model") ?? "";
    this.#settings = defaults(this.#model);
    this.#tell("session.created", { session: this.#session() });
  }

  text(data: string): void {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return this.#refuse(new Refusal(400, "The event is not valid JSON.", { code: "invalid_json" }), undefined);
    }
    try {
      demand(event, clientEvent);
      this.#on[textAt(event, "type") ?? ""]?.(isRecord(event) ? event : {});
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, textAt(event, "event_id"));
    }
  }

  closed(): void {
    if (this.#active !== undefined) this.#active.cancelled = "client_cancelled";
  }

  readonly #on: Readonly<Record<string, (event: Json) => void>> = {
    "session.update": ({ session }) => {
      const model = textAt(session, "model");
      if (model !== undefined && model !== this.#model)
        throw new Refusal(400, "The model of a session cannot be changed.", { path: ["session", "model"] });
      this.#settings = merged(this.#settings, isRecord(session) ? session : {});
      this.#tell("session.updated", { session: this.#session() });
    },
    "input_audio_buffer.append": ({ audio }) => this.#hear(Buffer.from(String(audio), "base64")),
    "input_audio_buffer.commit": () => this.#commit(),
    "input_audio_buffer.clear": () => {
      this.#audio = [];
      this.#tell("input_audio_buffer.cleared", {});
    },
    "conversation.item.create": ({ item }) => {
      const created = itemFrom(item, textAt(item, "id") ?? freshId("item_"));
      this.#checkCall(created);
      this.#add(created);
    },
    "conversation.item.retrieve": ({ item_id: id }) =>
      this.#tell("conversation.item.retrieved", { item: shownItem(this.#find(id)) }),
    "conversation.item.truncate": ({ item_id: id, content_index: index, audio_end_ms: end }) => {
      this.#find(id);
      this.#tell("conversation.item.truncated", { item_id: id, content_index: index, audio_end_ms: end });
    },
    "conversation.item.delete": ({ item_id: id }) => {
      this.#items.splice(this.#items.indexOf(this.#find(id)), 1);
      this.#tell("conversation.item.deleted", { item_id: id });
    },
    "response.create": ({ response }) => this.#respond(isRecord(response) ? response : {}),
    "response.cancel": () => {
      if (this.#active === undefined)
        throw new Refusal(400, "There is no response to cancel.", { code: "response_cancel_not_active" });
      this.#active.cancelled = "client_cancelled";
    },
  };

  #hear(samples: Buffer): void {
    this.#audio.push(samples);
    const detection = memberOf(this.#input(), "turn_detection");
    if (!isRecord(detection)) return;
    const heard = this.#voice.hear(samples);
    if (heard === "speech began") {
      if (this.#active !== undefined && detection["interrupt_response"] !== false)
        this.#active.cancelled = "turn_detected";
      this.#tell("input_audio_buffer.speech_started", { audio_start_ms: 0, item_id: freshId("item_") });
    }
    if (heard !== "speech ended") return;
    this.#tell("input_audio_buffer.speech_stopped", { audio_end_ms: this.#heardMs(), item_id: freshId("item_") });
    this.#commit();
    if (detection["create_response"] !== false) this.#respond({});
  }

  #commit(): void {
    const audio = Buffer.concat(this.#audio);
    if (audio.length === 0)
      throw new Refusal(400, "The audio buffer is empty.", { code: "input_audio_buffer_commit_empty" });
    this.#audio = [];
    const item = spokenItem(freshId("item_"), audio);
    this.#tell("input_audio_buffer.committed", { previous_item_id: this.#items.at(-1)?.id ?? null, item_id: item.id });
    this.#add(item);
    const transcription = memberOf(this.#input(), "transcription");
    if (isRecord(transcription)) this.#transcribe(item, textAt(transcription, "model") ?? "");
  }

  #transcribe({ id, words, audioBytes }: Item, model: string): void {
    const place = { item_id: id, content_index: 0 };
    const type = "conversation.item.input_audio_transcription";
    this.#tell(`${type}.delta`, { ...place, delta: words });
    const [heard, written] = [heardTokens(audioBytes), tokensOf(words)];
    const usage = model.startsWith("whisper")
      ? { type: "duration", seconds: milliseconds(audioBytes) / 1_000 }
      : {
          type: "tokens",
          total_tokens: heard + written,
          input_tokens: heard,
          output_tokens: written,
          input_token_details: { text_tokens: 0, audio_tokens: heard },
        };
    this.#tell(`${type}.completed`, { ...place, transcript: words, usage });
  }

  #respond(wished: Json): void {
    const apart = wished["conversation"] === "none";
    if (this.#active !== undefined && !apart)
      throw new Refusal(400, "Conversation already has an active response.", {
        code: "conversation_already_has_active_response",
      });
    const settings = { ...this.#settings, ...wished };
    const items =
      apart && Array.isArray(wished["input"]) ? listAt(wished, "input").map((item) => itemFrom(item, "")) : this.#items;
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
      conversationId: apart ? null : this.#conversationId,
      modality: listAt(settings, "output_modalities")[0] === "text" ? "text" : "audio",
      question,
      behaviour: lastDirective(last) ?? this.#call.behaviour,
      read: { all: this.#tokens(items, settings), cached: this.#cachedTokens(items) },
      metadata: wished["metadata"],
    });
    for (const { id } of items) this.#known.add(id);
    if (!apart) this.#active = response;
    void this.#play(response, apart);
  }

  async #play(response: Response, apart: boolean): Promise<void> {
    const behaviour = lastDirective(this.#items.at(-1)) ?? this.#call.behaviour;
    const failure = failureEvent("simulated failure in the session");
    const whole = await this.#peer.play(response.frames(), behaviour, {
      goes: () => response.cancelled === undefined,
      failure,
    });
    // A stalled vendor stays busy, a cancelled one says how far it came.
    if (!whole && response.cancelled === undefined) return;
    if (this.#active === response) this.#active = undefined;
    if (!apart) this.#items.push(...response.items);
    if (!whole) this.#peer.send(response.done("cancelled"));
  }

  #add(item: Item): void {
    const previous = this.#items.at(-1)?.id ?? null;
    this.#items.push(item);
    for (const type of ["conversation.item.added", "conversation.item.done"])
      this.#tell(type, { previous_item_id: previous, item: shownItem(item) });
  }

  #find(id: unknown): Item {
    const found = this.#items.find((item) => item.id === id);
    if (found === undefined)
      throw new Refusal(400, `There is no item ${String(id)}.`, { code: "item_not_found", path: ["item_id"] });
    return found;
  }

  /** A result must be that of a call that was made. */
  #checkCall({ type, callId }: Item): void {
    if (type !== "function_call_output") return;
    if (!this.#items.some((item) => item.type === "function_call" && item.callId === callId))
      throw new Refusal(400, `There is no call ${String(callId)}.`, { path: ["item", "call_id"] });
  }

  #tokens(items: readonly Item[], settings: Json): ItemTokens {
    const told = [textAt(settings, "instructions") ?? "", JSON.stringify(settings["tools"] ?? [])];
    return items
      .map(tokensOfItem)
      .reduce((sum, { text, audio }) => ({ text: sum.text + text, audio: sum.audio + audio }), {
        text: tokensOf(told.join("")),
        audio: 0,
      });
  }

  #cachedTokens(items: readonly Item[]): ItemTokens {
    return items
      .filter(({ id }) => this.#known.has(id))
      .map(tokensOfItem)
      .reduce((sum, { text, audio }) => ({ text: sum.text + text, audio: sum.audio + audio }), { text: 0, audio: 0 });
  }

  #input(): unknown {
    return memberOf(this.#settings["audio"], "input");
  }

  #heardMs(): number {
    return milliseconds(this.#audio.reduce((sum, piece) => sum + piece.length, 0));
  }

  #session(): object {
    return { ...this.#settings, object: "realtime.session", id: this.#id, model: this.#model };
  }

  #tell(type: string, members: object): void {
    this.#peer.send({ ...named(type), ...members });
  }

  #refuse({ message, code, path }: Refusal, eventId: string | undefined): void {
    this.#peer.send(failureEvent(message, { code: code ?? "invalid_value", path: bracketPath(path) || null, eventId }));
  }
}

/** An `error` event. */
export function failureEvent(
  message: string,
  { code, path, eventId }: { code?: string; path?: string | null; eventId?: string | undefined } = {},
): object {
  const type = code === undefined ? "server_error" : "invalid_request_error";
  return {
    ...named("error"),
    error: { type, code: code ?? null, message, param: path ?? null, event_id: eventId ?? null },
  };
}

function defaults(model: string): Json {
  const format = { type: "audio/pcm", rate: 24_000 };
  return {
    type: "realtime",
    model,
    instructions: "",
    output_modalities: ["audio"],
    audio: {
      input: {
        format,
        transcription: null,
        noise_reduction: null,
        turn_detection: { type: "server_vad", create_response: true, interrupt_response: true },
      },
      output: { format, voice: "marin", speed: 1 },
    },
    tools: [],
    tool_choice: "auto",
    max_output_tokens: "inf",
  };
}

/** Settings with others laid over them: objects are merged, everything else is replaced. */
function merged(under: Json, over: Json): Json {
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(pairs) };
}

function toolsOf(settings: Json): readonly OfferedTool[] {
  return listAt(settings, "tools").flatMap((tool) => {
    const name = textAt(tool, "name");
    return name === undefined ? [] : [{ name, schema: memberOf(tool, "parameters") }];
  });
}

function choiceOf(choice: unknown): "auto" | "none" | "required" | { readonly name: string } {
  if (choice === "none" || choice === "required") return choice;
  const name = textAt(choice, "name");
  return name === undefined ? "auto" : { name };
}

function lastDirective(item: Item | undefined) {
  const found = directiveIn(item?.words ?? "");
  return found !== undefined && "behaviour" in found ? found.behaviour : undefined;
}
