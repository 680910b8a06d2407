import { Failure } from "@modelgate/contracts";
import { isRecord, parseRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { wires, type StreamReader, type TextAnswer, type TextWire, type TextEvent } from "../../../src/text/index.ts";
import { lengthPrefixed } from "./framing.ts";

/** Wire of vendors whose streams are not server-sent events. */
export const toy = {
  name: "toy",
  framing: lengthPrefixed,
  isFirstEvent: (event) => !isRecord(event["problem"]),
  vendor: {
    render({ instructions, turns, maxTokens, stream }, { model, defaultMaxTokens }) {
      const lines = [...instructions, ...turns.flatMap(({ parts }) => parts)].map((part) =>
        part.kind === "text" ? part.text : "",
      );
      return { body: { who: model, lines, limit: maxTokens ?? defaultMaxTokens, live: stream }, dropped: [] };
    },
    parse: parseAnswer,
    usage: (answer) => parseAnswer(answer).usage,
    fees: () => undefined,
    stream: () => new ToyReader(),
    requestedFees: () => undefined,
    fields: wires.converse.vendor.fields,
  },
} as const satisfies TextWire<"toy">;

function parseAnswer({ text, spent }: JsonRecord): TextAnswer {
  if (typeof text !== "string") throw new Failure("upstream_error", "The vendor's answer says nothing.");
  const choice = { parts: [{ kind: "text", text }], finish: "stop" } as const;
  return { id: "toy-1", model: "toy-model", createdAt: 1, choices: [choice], usage: usageOf(spent) };
}

function usageOf(spent: unknown): TextAnswer["usage"] {
  if (!isRecord(spent)) return undefined;
  return { inputTokens: Number(spent["in"]), outputTokens: Number(spent["out"]) };
}

/** Reader of a stream: words, and then the usage, which ends the stream. */
class ToyReader implements StreamReader {
  #started = false;
  #whole = false;

  get isComplete(): boolean {
    return this.#whole;
  }

  get done(): boolean {
    return this.#whole;
  }

  read({ data }: Frame): readonly TextEvent[] {
    const { delta, spent, problem } = parseRecord(data) ?? {};
    if (isRecord(problem)) return [{ type: "failure", code: "toy", message: String(problem["words"]) }];
    const at = { choice: 0, part: 0 } as const;
    const start: readonly TextEvent[] = this.#started
      ? []
      : [
          { type: "start", id: "toy-1", model: "toy-model", createdAt: 1 },
          { type: "part-start", ...at, opened: { kind: "text" } },
        ];
    this.#started = true;
    if (typeof delta === "string") return [...start, { type: "part-delta", ...at, text: delta }];
    this.#whole = true;
    const usage = usageOf(spent);
    return [
      ...start,
      { type: "part-end", ...at },
      { type: "finish", choice: 0, reason: "stop" },
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ];
  }

  end(): readonly TextEvent[] {
    return [];
  }
}
