import { Failure, withoutUndefined } from "@modelgate/contracts";
import {
  type JsonRecord,
  asRecord,
  asRecords,
  memberOf,
  Fields,
  isRecord,
  ownEntry,
  asText,
} from "@modelgate/formats/json";
import type { Choice, TextAnswer, FinishReason, FailureEvent } from "../hub/answer.ts";
import { completionFinishReasons, readAnswerPart } from "../hub/answer.ts";
import { attachCitations, parseLogProbabilities } from "../hub/content.ts";
import type { Part } from "../hub/part.ts";
import { CallPairs } from "../hub/tool-calls.ts";
import type { ChatDialect } from "./dialect.ts";
import { parseCitations, parseModelMessage } from "./parts.ts";
import { readUsage } from "./usage.ts";

export function parseAnswer(body: JsonRecord, dialect: ChatDialect = {}): TextAnswer {
  const choices = answeredChoices(body);
  const head = parseHead(body);
  const usage = readUsage(body, dialect);
  const tier = body["service_tier"];
  return withoutUndefined({
    ...head,
    choices: choices.map((choice, index) => parseChoice(choice, [head.id, index])),
    usage,
    ...(typeof tier === "string" ? { serviceTier: tier } : {}),
  });
}

/** Reads the members that answers and chunks share. The time is 0 if the vendor sends none. */
export function parseHead({ id, model, created }: JsonRecord): Pick<TextAnswer, "id" | "model" | "createdAt"> {
  return { id: asText(id), model: asText(model), createdAt: typeof created === "number" ? created : 0 };
}

/** Returns the choices of a completion. Throws Failure upstream_error if it failed or has none. */
export function answeredChoices(body: JsonRecord): readonly [JsonRecord, ...JsonRecord[]] {
  const failed = failureOf(body);
  if (failed !== undefined) throw new Failure("upstream_error", failed.message === "" ? undefined : failed.message);
  const [first, ...others] = asRecords(body["choices"]);
  if (first === undefined) throw new Failure("upstream_error", "The vendor's answer has no choices.");
  return [first, ...others];
}

function parseChoice(choice: JsonRecord, path: readonly (string | number)[]): Choice {
  const message = asRecord(choice["message"]);
  const parts = answerParts(message, path);
  const logprobs = choice["logprobs"];
  const logProbabilities = parseLogProbabilities(memberOf(logprobs, "content"));
  return {
    parts: attachCitations(parts, parseCitations(message["annotations"]), logProbabilities),
    ...parseFinish(choice, new Set(parts.map(({ kind }) => kind))),
  };
}

function answerParts(message: JsonRecord, path: readonly (string | number)[]): readonly Part[] {
  return readAnswerPart("a message", () =>
    parseModelMessage(new Fields(message), { calls: new CallPairs(), path, google: "chat" }),
  );
}

const chatFinishReasons = {
  ...completionFinishReasons,
  "tool-calls": "tool_calls",
  // This wire has no reason that is closer.
  "malformed-tool-call": "content_filter",
} as const satisfies Record<FinishReason, string>;

/** Returns the wire's finish reason. */
export function renderFinishReason(finish: FinishReason, isRefusedAsText: boolean, legacyCalls: boolean): string {
  if (finish === "refused" && isRefusedAsText) return "stop";
  return finish === "tool-calls" && legacyCalls ? "function_call" : chatFinishReasons[finish];
}

/** Vendors' finish reasons other than a normal end. */
const vendorFinishReasons: Readonly<Record<string, FinishReason>> = {
  length: "length",
  max_tokens: "length",
  model_length: "context-full",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "filtered",
  sensitive: "filtered",
};

interface Finish {
  readonly finish: FinishReason;
  readonly stopSequence?: string | undefined;
}

/** Reads how a choice ended. `stop_reason` may be the stop sequence (vLLM). */
export function parseFinish(choice: JsonRecord, kinds: ReadonlySet<Part["kind"]>): Finish {
  const finishReason = choice["finish_reason"];
  const reason = typeof finishReason === "string" ? ownEntry(vendorFinishReasons, finishReason) : undefined;
  if (reason !== undefined && reason !== "tool-calls") return { finish: reason };
  if (kinds.has("tool-call")) return { finish: "tool-calls" };
  if (kinds.has("refusal")) return { finish: "refused" };
  const stopSequence = choice["stop_reason"];
  return typeof stopSequence === "string" && stopSequence !== ""
    ? { finish: "stop-sequence", stopSequence }
    : { finish: "stop" };
}

/** Reads the failure in an answer or chunk. On older servers, the complete body is the failure. */
export function failureOf(body: JsonRecord): FailureEvent | undefined {
  const error = body["object"] === "error" ? body : body["error"];
  if (typeof error === "string") return { type: "failure", code: "server_error", message: error };
  if (!isRecord(error)) return undefined;
  const { code, type, message } = error;
  const word = [code, type].find((each) => typeof each === "string" && each !== "");
  return {
    type: "failure",
    code: typeof word === "string" ? word : "server_error",
    message: asText(message),
    // Some vendors send the HTTP status as the code.
    ...(typeof code === "number" ? { status: code } : {}),
  };
}
