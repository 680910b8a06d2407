import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { inBothSpellings } from "../../json/ambiguous.ts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import type { RequestPath } from "../hub/codec.ts";
import { mediaOf } from "../media.ts";
import { measurePart } from "./media.ts";
import { askedFeesOf, reliedForFees } from "./fees.ts";
import { readsBeyond } from "../reads-beyond.ts";

/** The members that decide what a call may do and cost. */
export const relied = [
  "contents",
  ...inBothSpellings(["generationConfig", "cachedContent"]),
  ...configMembers(),
  ...reliedForFees,
];

/** The members of the settings that decide what an answer may cost, wherever they stand. */
function configMembers(): readonly string[] {
  const thoughts = inBothSpellings(["thinkingBudget", "thinkingLevel"]);
  const settings = [
    ...inBothSpellings(["maxOutputTokens", "candidateCount", "thinkingConfig"]),
    ...inBothSpellings(["thinkingConfig"]).flatMap((name) => thoughts.map((each) => `${name}.${each}`)),
  ];
  return inBothSpellings(["generationConfig"]).flatMap((name) => settings.map((each) => `${name}.${each}`));
}

const shape = Compile(bodies.GenerateContentRequest);

/**
 * Checks the fields that the gateway relies on; names may be in snake_case. Model and streaming stand in the path.
 * Throws Failure (400) naming the field.
 */
export function readAsk(body: unknown, path: RequestPath): TextAsk {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const config = new Fields(body, "", "either").fields("generationConfig");
  const choices = config?.count("candidateCount", 1) ?? 1;
  const most = config?.count("maxOutputTokens", 1);
  return {
    model: path.model ?? "",
    stream: path.stream ?? false,
    includeUsage: true,
    maxOutputTokens: most === undefined ? undefined : most * choices,
    // Two spellings of its one member are refused.
    boundNames: [],
    readsBeyond: readsBeyond(body),
    choices,
    media: mediaOf(body.contents, measurePart),
    imageSize: config?.fields("imageConfig")?.text("imageSize"),
    fees: askedFeesOf(body),
  };
}

/** Finds the request inside a `:countTokens` body: its contents alone, or a whole one. */
export function countedContent(body: JsonRecord): JsonRecord {
  const whole = body["generateContentRequest"] ?? body["generate_content_request"];
  return isRecord(whole) ? whole : body;
}
