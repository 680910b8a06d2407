import { Failure, withoutUndefined } from "@modelgate/contracts";
import { Fields, isRecord, memberOf, asRecords, asText, type JsonRecord } from "@modelgate/formats/json";
import type { FinishReason, TextAnswer } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import { parseFinishReason, parseTime, isEmptyText, readAnswerPart } from "../hub/answer.ts";
import { parseModelStep, envelopeOfStep } from "./parts.ts";
import { interactionsUsage } from "./usage.ts";

export function parseAnswer(body: JsonRecord): TextAnswer {
  const steps = stepsOfAnswer(body);
  const parts = steps.flatMap(parseAnswerStep).filter((part) => !isEmptyText(part));
  const kinds = new Set(parts.map(({ kind }) => kind));
  const tier = body["service_tier"];
  return withoutUndefined({
    ...headOf(body),
    choices: [
      { parts, finish: steps.some(isFiltered) ? "filtered" : parseFinishReason(finishReasons, body["status"], kinds) },
    ],
    usage: interactionsUsage(body["usage"]),
    serviceTier: typeof tier === "string" ? tier : undefined,
  });
}

export function headOf(body: JsonRecord): Pick<TextAnswer, "id" | "model" | "createdAt"> {
  return {
    id: asText(body["id"]),
    model: asText(body["model"] ?? body["agent"]),
    createdAt: parseTime(body["created"]),
  };
}

/** Statuses of an interaction that has failed. */
export const failedStatuses: ReadonlySet<unknown> = new Set(["failed", "cancelled", "budget_exceeded"]);

/** Returns the steps of an interaction. Throws Failure upstream_error if it failed. */
export function stepsOfAnswer(body: JsonRecord): readonly JsonRecord[] {
  const { status, steps } = body;
  if (failedStatuses.has(status)) throw new Failure("upstream_error", messageOf(body));
  if (typeof status !== "string") throw new Failure("upstream_error", "The vendor's answer is not an interaction.");
  return asRecords(steps);
}

export function messageOf({ errors, error }: JsonRecord): string | undefined {
  const [first = error] = asRecords(errors);
  const message = memberOf(first, "message");
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** Parses a step of an answer. Steps of the client, which some answers repeat, are skipped. */
export function parseAnswerStep(step: JsonRecord): readonly Part[] {
  const fields = new Fields(step, "", "either");
  if (envelopeOfStep(fields) !== undefined) return [];
  return readAnswerPart("a step", () => parseModelStep(fields) ?? []);
}

export function isFiltered({ type, error }: JsonRecord): boolean {
  return type === "model_output" && isRecord(error);
}

/** Returns the id by which an unfinished interaction can be polled. */
export function taskOf({ status, id }: JsonRecord): string | undefined {
  return (status === "queued" || status === "in_progress") && typeof id === "string" ? id : undefined;
}

/**
 * Statuses other than a normal end. The vendor sends `requires_continuation` when the tokens of one request are used
 * up.
 */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  incomplete: "length",
  requires_continuation: "length",
  requires_action: "tool-calls",
};

const statuses = {
  stop: "completed",
  "stop-sequence": "completed",
  length: "incomplete",
  "context-full": "incomplete",
  "tool-calls": "requires_action",
  filtered: "incomplete",
  refused: "incomplete",
  paused: "completed",
  "malformed-tool-call": "incomplete",
  other: "completed",
} as const satisfies Record<FinishReason, string>;

/** Returns the status of an interaction, and a step with an error if a filter withheld content. */
export function endingOf(finish: FinishReason): { readonly status: string; readonly steps: readonly JsonRecord[] } {
  const isWithheld = finish === "filtered" || finish === "refused";
  const error = { code: invalidArgument, message: "The rest of the answer was withheld by a filter." };
  return { status: statuses[finish], steps: isWithheld ? [{ type: "model_output", error }] : [] };
}

/** INVALID_ARGUMENT of google.rpc.Status. */
const invalidArgument = 3;
