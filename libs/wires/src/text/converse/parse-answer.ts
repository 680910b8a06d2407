import { Failure, present, type Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { TextAnswer } from "../hub/answer.ts";
import type { JsonObject } from "../hub/request.ts";
import { finishOf } from "./endings.ts";
import { converseFees } from "./fees.ts";
import { parseBlock } from "./parse-parts.ts";
import { converseUsage } from "./usage.ts";

/** Parses a vendor's answer, which has no id, model or time. Throws Failure upstream_error if it cannot be read. */
export function parseAnswer(body: JsonObject): TextAnswer {
  const parts = blocksOf(body).flatMap(parseBlock);
  const usage = converseUsage(body["usage"]);
  const finish = finishOf(body["stopReason"], new Set(parts.map(({ kind }) => kind)));
  const tier = converseFees(body)?.tier;
  const stopSequence = stopSequenceOf(body["additionalModelResponseFields"]);
  return present({
    id: "",
    model: "",
    createdAt: 0,
    choices: [present({ parts, finish, stopSequence })],
    usage,
    serviceTier: tier,
  });
}

/** Reads the usage that a complete answer reports. Throws Failure upstream_error if it is not one. */
export function readUsage(body: JsonObject): Units | undefined {
  blocksOf(body);
  return converseUsage(body["usage"]);
}

/** Which of the client's sequences ended the answer, of models that say so when they are asked. */
export function stopSequenceOf(fields: unknown): string | undefined {
  const sequence = isRecord(fields) ? fields["stop_sequence"] : undefined;
  return typeof sequence === "string" ? sequence : undefined;
}

function blocksOf({ output }: JsonObject): readonly JsonObject[] {
  const message = isRecord(output) ? output["message"] : undefined;
  const content = isRecord(message) ? message["content"] : undefined;
  if (Array.isArray(content) && content.every(isRecord)) return content;
  throw new Failure("upstream_error", "The vendor's answer has no content.");
}
