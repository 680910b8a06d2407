import { Failure, type Units, withoutUndefined } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord, ownEntry, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { parseFinishReason, notJsonFailure, reportEvents, type TextEvent, type FailureEvent } from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import { renderArguments } from "../hub/tool-calls.ts";
import { parseSignature } from "../hub/signatures.ts";
import { parseCitation, readEnvelope } from "./parts.ts";
import { callOfBlock, messagesFees, chargedUsage, messagesUsage } from "./usage.ts";
import { finishReasons, refusalOf } from "./vendor-answer.ts";

/** Maximum buffered characters of a vendor's block. */
export const maxBufferedCharacters = 8 * 2 ** 20;

interface OpenVendorBlock {
  readonly block: JsonRecord;
  /** True for a block that becomes one part at its end. */
  readonly whole: boolean;
  signature: string;
  input: string;
}

type MessagesHandler = (event: JsonRecord) => readonly TextEvent[];

/** Types of blocks that are streamed as parts. All other blocks become vendor parts. */
const openedTypes: ReadonlySet<unknown> = new Set(["text", "thinking", "tool_use"]);

/** Reads a vendor's stream of message events. */
export class MessagesReader implements StreamReader {
  readonly #tracker = new PartTracker(0);
  readonly #open = new Map<string, OpenVendorBlock>();
  #started = false;
  #hasContent = false;
  #finished = false;
  isComplete = false;
  #usage: Units | undefined;
  readonly #on: Readonly<Record<string, MessagesHandler>> = {
    message_start: ({ message }) => this.#start(asRecord(message)),
    content_block_start: ({ index, content_block: block }) =>
      isRecord(block) ? this.#begin(String(index), block) : [],
    content_block_delta: ({ index, delta }) => (isRecord(delta) ? this.#addDelta(String(index), delta) : []),
    content_block_stop: ({ index }) => this.#end(String(index)),
    message_delta: (event) => this.#delta(event),
    message_stop: () => {
      this.isComplete = true;
      return this.#finish(undefined, undefined);
    },
    ping: () => [{ type: "ping" }],
    error: ({ error }) => [failureOf(asRecord(error))],
  };

  get done(): boolean {
    return this.isComplete;
  }

  read({ event: name, data }: Frame): readonly TextEvent[] {
    if (data === "" || data === "[DONE]") return [];
    const event = parseRecord(data);
    if (event === undefined) return notJsonFailure;
    const type = event["type"];
    return ownEntry(this.#on, typeof type === "string" ? type : (name ?? ""))?.(event) ?? [];
  }

  end(): readonly TextEvent[] {
    return this.#tracker.endAll();
  }

  #start(message: JsonRecord): readonly TextEvent[] {
    if (this.#started) return [];
    this.#started = true;
    this.#usage = messagesUsage(message["usage"]);
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    const start = {
      type: "start",
      id: asText(message["id"]),
      model: asText(message["model"]),
      createdAt: 0,
    } as const;
    return [{ ...start, ...usage }, ...reportEvents(undefined, messagesFees(message["usage"]))];
  }

  #begin(key: string, block: JsonRecord): readonly TextEvent[] {
    const { type } = block;
    this.#hasContent = true;
    this.#open.set(key, {
      block,
      whole: !openedTypes.has(type),
      signature: asText(block["signature"]),
      input: "",
    });
    const calls = callOfBlock(block);
    if (calls.length > 0) return [{ type: "fees", fees: { calls } }];
    if (type === "tool_use")
      return this.#tracker.start(key, {
        kind: "tool-call",
        id: asText(block["id"]),
        name: asText(block["name"]),
      });
    if (type === "thinking") return this.#addDelta(key, { type: "thinking_delta", thinking: block["thinking"] });
    return type === "text" ? this.#addDelta(key, { type: "text_delta", text: block["text"] }) : [];
  }

  #addDelta(key: string, delta: JsonRecord): readonly TextEvent[] {
    this.#hasContent = true;
    if (delta["type"] === "text_delta")
      return [...this.#tracker.start(key, { kind: "text" }), ...this.#tracker.delta(key, asText(delta["text"]))];
    if (delta["type"] === "thinking_delta")
      return [
        ...this.#tracker.start(key, { kind: "reasoning" }),
        ...this.#tracker.delta(key, asText(delta["thinking"])),
      ];
    const block = this.#open.get(key);
    if (block === undefined) return [];
    if (delta["type"] === "input_json_delta") return this.#input(key, block, asText(delta["partial_json"]));
    if (delta["type"] === "signature_delta") block.signature += asText(delta["signature"]);
    const part = delta["type"] === "citations_delta" ? this.#tracker.numberOf(key) : undefined;
    if (part === undefined) return [];
    return parseCitation(delta["citation"]).map((citation) => ({ type: "citation", choice: 0, part, citation }));
  }

  #input(key: string, block: OpenVendorBlock, text: string): readonly TextEvent[] {
    if (!block.whole) return this.#tracker.delta(key, text);
    block.input += text;
    if (block.input.length > maxBufferedCharacters)
      throw new Failure("upstream_error", "A vendor's block is too large.");
    return [];
  }

  #end(key: string): readonly TextEvent[] {
    const block = this.#open.get(key);
    this.#open.delete(key);
    if (block?.whole === true) return this.#readWhole(block);
    // Vendors that send no deltas send the arguments when the call begins.
    const lateArgumentEvents =
      block?.block["type"] === "tool_use" && !this.#tracker.hasText(key)
        ? this.#tracker.delta(key, renderArguments(block.block["input"]))
        : [];
    return [...lateArgumentEvents, ...this.#tracker.end(key, parseSignature(block?.signature ?? "", "messages"))];
  }

  #readWhole({ block, input }: OpenVendorBlock): readonly TextEvent[] {
    if (block["type"] === "redacted_thinking") {
      const { signature } = readEnvelope(asText(block["data"]));
      return this.#tracker.whole({ kind: "reasoning", text: "", signature });
    }
    const parsed = input === "" ? undefined : parseRecord(input);
    const value = parsed === undefined ? block : { ...block, input: parsed };
    return this.#tracker.whole({ kind: "vendor", wire: "messages", value });
  }

  #delta({ delta, usage: report }: JsonRecord): readonly TextEvent[] {
    const { stop_reason: reason, stop_sequence: sequence } = asRecord(delta);
    const usage = chargedUsage(report, { stopReason: reason, hasContent: this.#hasContent }, this.#usage);
    this.#usage = usage ?? this.#usage;
    const explained = this.#finished || !isRecord(delta) ? [] : refusalOf(delta);
    const refusal = explained.flatMap((part) => [...this.#tracker.endAll(), ...this.#tracker.whole(part)]);
    const finish = typeof reason === "string" ? this.#finish(reason, sequence) : [];
    return [...refusal, ...finish, ...reportEvents(usage, messagesFees(report))];
  }

  #finish(reason: unknown, sequence: unknown): readonly TextEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    const stopSequence = typeof sequence === "string" ? { stopSequence: sequence } : {};
    return [
      ...this.#tracker.endAll(),
      {
        type: "finish",
        choice: 0,
        reason: parseFinishReason(finishReasons, reason, this.#tracker.kinds),
        ...stopSequence,
      },
    ];
  }
}

/** HTTP statuses of the vendor's errors, as it sends them outside of streams. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Reads the failure in an `error` event. */
export function failureOf(error: JsonRecord): FailureEvent {
  const type = asText(error["type"]);
  const status = ownEntry(statuses, type);
  return withoutUndefined({
    type: "failure",
    code: type === "" ? "api_error" : type,
    message: asText(error["message"]),
    status,
  });
}
