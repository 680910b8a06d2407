/** Content of an answer of a text vendor. */
export interface TextAnswer {
  readonly model?: unknown;
  readonly text?: string;
  readonly usage?: object | undefined;
  readonly tier?: string | undefined;
  /** Items, blocks or parts before the text. */
  readonly before?: readonly object[];
  /**
   * Further members of the answer. In the wire `content`, they belong to its candidate; in `messages`, to the event of
   * its end.
   */
  readonly more?: object;
  /** Further members of the message in the wire `chat`. */
  readonly message?: object;
}

/** One answer in two forms: the complete body, and the parts of a stream (`begin`, any number of `word`s, `end`). */
export interface TextFrames {
  readonly whole: object;
  readonly begin: string;
  word(text: string): string;
  readonly end: string;
}

export type TextWire = "chat" | "completions" | "responses" | "messages" | "content";

/** Formats events as a server-sent event stream. */
export function sse(...events: readonly object[]): string {
  const frame = (event: object) =>
    `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  return events.map(frame).join("");
}

/** Returns the wire of a vendor's path; undefined for other paths. */
export function textWireOf(path: string): TextWire | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/completions")) return "completions";
  if (path.endsWith("/responses")) return "responses";
  if (path.endsWith("/messages")) return "messages";
  return /:(?:streamG|g)enerateContent$/.test(path) ? "content" : undefined;
}

/** Functions that render the used tokens in each wire's form. */
export const textUsage: Readonly<Record<TextWire, (input: unknown, output: unknown) => object>> = {
  chat: (input, output) => ({ prompt_tokens: input, completion_tokens: output }),
  completions: (input, output) => ({ prompt_tokens: input, completion_tokens: output }),
  responses: (input, output) => ({ input_tokens: input, output_tokens: output }),
  messages: (input, output) => ({ input_tokens: input, output_tokens: output }),
  content: (input, output) => ({ promptTokenCount: input, candidatesTokenCount: output }),
};

/** Functions that render answers as the vendors of each wire do. */
export const textAnswers: Readonly<Record<TextWire, (answer: TextAnswer) => TextFrames>> = {
  chat({ model = "m", text = "", usage, tier, more, message }) {
    const head = {
      id: "chatcmpl-1",
      created: 1,
      model,
      service_tier: tier,
      ...more,
    };
    const role = { role: "assistant", content: text, ...message };
    const chunk = (choices: readonly object[], last?: object) =>
      sse({ ...head, object: "chat.completion.chunk", choices, ...last });
    const delta = (members: object, finish: string | null) => [{ index: 0, delta: members, finish_reason: finish }];
    return {
      whole: {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message: role, finish_reason: "stop" }],
        usage,
      },
      begin: chunk(delta({ ...role, content: "" }, null)),
      word: (content) => chunk(delta({ content }, null)),
      end: `${chunk(delta({}, "stop"))}${usage ? chunk([], { usage }) : ""}data: [DONE]\n\n`,
    };
  },

  completions({ model = "m", text = "", usage, more }) {
    const head = { id: "cmpl-1", object: "text_completion", created: 1, model, ...more };
    const choice = (words: string, finish: string | null) => ({
      ...head,
      choices: [{ index: 0, text: words, finish_reason: finish, logprobs: null }],
    });
    return {
      whole: { ...choice(text, "stop"), usage },
      begin: "",
      word: (words) => sse(choice(words, null)),
      end: `${sse(choice("", "stop"))}${usage ? sse({ ...head, choices: [], usage }) : ""}data: [DONE]\n\n`,
    };
  },

  responses({ model = "m", text = "", usage, tier, before = [], more }) {
    const part = { type: "output_text", text, annotations: [] };
    const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part] };
    const head = { id: "resp_1", object: "response", created_at: 1, model, ...more };
    const whole = {
      ...head,
      status: "completed",
      output: [...before, message],
      service_tier: tier,
      usage,
    };
    const at = { item_id: message.id, output_index: before.length, content_index: 0 };
    const done = (item: object, index: number) => ({ type: "response.output_item.done", output_index: index, item });
    const started = { ...message, status: "in_progress", content: [] };
    return {
      whole,
      begin: sse(
        { type: "response.created", response: { ...head, status: "in_progress", output: [] } },
        ...before.map(done),
        { type: "response.output_item.added", output_index: before.length, item: started },
        { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      ),
      word: (delta) => sse({ type: "response.output_text.delta", ...at, delta }),
      end: sse(done(message, before.length), { type: "response.completed", response: whole }),
    };
  },

  messages({ model = "m", text = "", usage, before = [], more }) {
    const head = { id: "msg_1", type: "message", role: "assistant", model };
    const stop = { stop_reason: "end_turn", stop_sequence: null, ...more };
    const index = before.length;
    const startUsage = usage && { ...usage, output_tokens: 1 };
    return {
      whole: {
        ...head,
        content: [...before, { type: "text", text }],
        ...stop,
        usage,
      },
      begin: sse(
        { type: "message_start", message: { ...head, content: [], stop_reason: null, usage: startUsage ?? {} } },
        ...before.flatMap((block, at) => [
          { type: "content_block_start", index: at, content_block: block },
          { type: "content_block_stop", index: at },
        ]),
        { type: "content_block_start", index, content_block: { type: "text", text: "" } },
      ),
      word: (words) => sse({ type: "content_block_delta", index, delta: { type: "text_delta", text: words } }),
      end: sse(
        { type: "content_block_stop", index },
        { type: "message_delta", delta: stop, usage: usage ?? {} },
        { type: "message_stop" },
      ),
    };
  },

  content({ model = "m", text = "", usage, tier, before = [], more }) {
    const candidate = (parts: readonly object[], last?: object) => ({
      candidates: [{ index: 0, content: { role: "model", parts }, ...last }],
      modelVersion: model,
    });
    const end = { finishReason: "STOP", ...more };
    const usageMetadata = usage || tier ? { ...usage, trafficType: tier } : undefined;
    return {
      whole: { ...candidate([...before, { text }], end), usageMetadata },
      begin: before.length === 0 ? "" : sse(candidate(before)),
      word: (words) => sse(candidate([{ text: words }])),
      end: sse({ ...candidate([{ text: "" }], end), usageMetadata }),
    };
  },
};

/** Returns the complete stream of an answer. */
export function streamOf({ begin, word, end }: TextFrames, text: string): string {
  return begin + word(text) + end;
}
