import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord } from "../../json/fields.ts";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import { CallPairs } from "../hub/call-ids.ts";
import { withSources } from "../hub/content.ts";
import { parseLogProbabilities } from "../hub/log-probabilities.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { parseCitations } from "./citations.ts";
import type { ChatDialect } from "./dialect.ts";
import { finishOf } from "./endings.ts";
import { failureOf } from "./failure.ts";
import { modelParts } from "./parse-model.ts";
import { usageOf } from "./usage.ts";

/** Parses a vendor's completion. Throws Failure upstream_error if it failed or cannot be read. */
export function parseAnswer(body: JsonObject, dialect: ChatDialect = {}): TextAnswer {
  const choices = answeredChoices(body);
  const head = headOf(body);
  const usage = usageOf(body, dialect);
  const tier = body["service_tier"];
  return present({
    ...head,
    choices: choices.map((choice, index) => choiceOf(choice, [head.id, index])),
    usage,
    ...(typeof tier === "string" ? { serviceTier: tier } : {}),
  });
}

/** Who answered, and when: what whole answers and chunks share. The time is 0 where the vendor gives none. */
export function headOf({ id, model, created }: JsonObject): Pick<TextAnswer, "id" | "model" | "createdAt"> {
  return { id: textOf(id), model: textOf(model), createdAt: typeof created === "number" ? created : 0 };
}

export function choicesOf({ choices }: JsonObject): readonly JsonObject[] {
  return Array.isArray(choices) ? choices.filter(isRecord) : [];
}

/** The choices of a completion, at least one. Throws Failure upstream_error if it failed or holds none. */
export function answeredChoices(body: JsonObject): readonly [JsonObject, ...JsonObject[]] {
  const failed = failureOf(body);
  if (failed !== undefined) throw new Failure("upstream_error", failed.message === "" ? undefined : failed.message);
  const [first, ...others] = choicesOf(body);
  if (first === undefined) throw new Failure("upstream_error", "The vendor's answer has no choices.");
  return [first, ...others];
}

function choiceOf(choice: JsonObject, path: readonly (string | number)[]): Choice {
  const message = isRecord(choice["message"]) ? choice["message"] : {};
  const parts = answerParts(message, path);
  const logprobs = choice["logprobs"];
  const logProbabilities = parseLogProbabilities(isRecord(logprobs) ? logprobs["content"] : undefined);
  return {
    parts: withSources(parts, parseCitations(message["annotations"]), logProbabilities),
    ...finishOf(choice, new Set(parts.map(({ kind }) => kind))),
  };
}

function answerParts(message: JsonObject, path: readonly (string | number)[]): readonly Part[] {
  try {
    return modelParts(new Fields(message), { calls: new CallPairs(), path, google: "chat" });
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor's answer has a message that cannot be read.", { cause });
  }
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
