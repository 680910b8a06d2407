import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord } from "../../json/fields.ts";
import type { TextAnswer } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { finishOf } from "./endings.ts";
import { parseContent } from "./parse-parts.ts";
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
