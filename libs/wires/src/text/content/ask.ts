import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { Fields, isRecord } from "../../json/fields.ts";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { mediaOf } from "../media.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfContent = ["contents", "generationConfig", "generation_config"];

const shape = Compile(bodies.GenerateContentRequest);

/**
 * Checks the fields that the gateway relies on; names may be in snake_case. Model and streaming stand in the path.
 * Throws Failure (400) naming the field.
 */
export function askOfContent(body: unknown, path: { readonly model: string; readonly stream: boolean }): TextAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const config = new Fields(body, "", "either").fields("generationConfig");
  const choices = config?.count("candidateCount", 1) ?? 1;
  const most = config?.count("maxOutputTokens", 1);
  return {
    model: path.model,
    stream: path.stream,
    includeUsage: true,
    maxOutputTokens: most === undefined ? undefined : most * choices,
    choices,
    media: mediaOf(body.contents),
  };
}

/** The request inside a `:countTokens` body: its contents alone, or a whole one. */
export function countedContent(body: unknown): unknown {
  if (!isRecord(body)) return body;
  return body["generateContentRequest"] ?? body["generate_content_request"] ?? body;
}
