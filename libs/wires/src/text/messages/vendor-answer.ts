import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord, own } from "../../json/fields.ts";
import type { TextAnswer, FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { parseContent } from "./client-parts.ts";
import { messagesUsage, tierOf } from "./usage.ts";

/** Parses a vendor's message, which has no time. Throws Failure upstream_error if it cannot be read. */
export function parseAnswer(body: JsonObject): TextAnswer {
  blocksOf(body);
  const parts = partsOf(body).filter((part) => !isEmpty(part));
  const usage = messagesUsage(body["usage"]);
  const tier = isRecord(body["usage"]) ? tierOf(body["usage"]["service_tier"]) : undefined;
  const finish = finishOf(body["stop_reason"], new Set(parts.map(({ kind }) => kind)));
  const stopSequence = body["stop_sequence"];
  return present({
    id: textOf(body["id"]),
    model: textOf(body["model"]),
    createdAt: 0,
    choices: [{ parts, finish, ...(typeof stopSequence === "string" ? { stopSequence } : {}) }],
    usage,
    serviceTier: tier,
  });
}

/** Reads the content blocks of a message. Throws Failure upstream_error if there are none to read. */
export function blocksOf(body: JsonObject): readonly unknown[] {
  const { content } = body;
  if (!Array.isArray(content)) throw new Failure("upstream_error", sayOf(body));
  return content;
}

function sayOf({ error }: JsonObject): string {
  const message = isRecord(error) ? error["message"] : undefined;
  return typeof message === "string" ? message : "The vendor's answer has no content.";
}

function partsOf(body: JsonObject): readonly Part[] {
  try {
    return parseContent(new Fields(body), "content", new Map());
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor's answer has a block that cannot be read.", { cause });
  }
}

/** A text that says nothing and seals nothing. */
function isEmpty(part: Part): boolean {
  return (part.kind === "text" || part.kind === "reasoning") && part.text === "" && part.seal === undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What each neutral reason is called here. */
const stopReasons = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "context-full": "model_context_window_exceeded",
  "tool-calls": "tool_use",
  filtered: "refusal",
  refused: "refusal",
  paused: "pause_turn",
  "malformed-tool-call": "end_turn",
  other: "end_turn",
} as const satisfies Record<FinishReason, string>;

/** The word for a reason; a natural end after a call waits for the call's result, whatever the vendor said. */
export function stopReasonOf(finish: FinishReason, calls: boolean): string {
  return calls && (finish === "stop" || finish === "other") ? "tool_use" : stopReasons[finish];
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-full",
  tool_use: "tool-calls",
  refusal: "refused",
  pause_turn: "paused",
};

/** Why the model stopped; an unknown word is a natural end. */
export function finishOf(word: unknown, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  const reason = typeof word === "string" ? own(reasons, word) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}
