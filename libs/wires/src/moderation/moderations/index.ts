import { bodies, Failure, withoutUndefined } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, readVendor, additionalMembers, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import { chatUsage } from "../../text/chat/usage.ts";
import type { Parsed, Rendered, Target } from "../../wire.ts";
import type {
  ModerationAnswer,
  ModerationResult,
  ModerationItem,
  ModerationPart,
  ModerationRequest,
} from "../hub/index.ts";
import { requireResultCount, maxItems, maxParts } from "../hub/index.ts";

export const moderations = {
  name: "moderations",
  // Some vendors of this wire report usage as in the chat wire.
  vendor: { render: renderRequest, parse: parseAnswer, usage: ({ usage }) => chatUsage(usage) },
  client: {
    ...schemaReader(bodies.ModerationsRequest, parseRequest),
    render: renderAnswer,
    spelling: { items: "input" },
  },
} as const satisfies UnstreamedWire<ModerationRequest, ModerationAnswer>;

export const defaultModerationModel = "omni-moderation-latest";

function parseRequest(body: JsonRecord): Parsed<ModerationRequest> {
  const fields = new Fields(body);
  const model = fields.text("model") ?? defaultModerationModel;
  if (model === "") throw fields.wrong("model", "a non-empty string");
  const request: ModerationRequest = {
    model,
    items: parseInput(fields),
    ...withoutUndefined({ additional: additionalMembers("moderations", fields) }),
  };
  return { request, dropped: [] };
}

function parseInput(fields: Fields): readonly ModerationItem[] {
  const input = fields.need("input");
  if (typeof input === "string") return [textItem(input)];
  if (!Array.isArray(input) || input.length === 0) throw fields.wrong("input", "a non-empty string or array");
  if (isRecord(input[0])) return [{ parts: fields.each("input", maxParts).map(parsePart) }];
  if (input.length > maxItems) throw fields.wrong("input", `at most ${maxItems} texts`);
  return (fields.texts("input") ?? []).map(textItem);
}

function textItem(text: string): ModerationItem {
  return { parts: [{ kind: "text", text }] };
}

function parsePart(part: Fields): ModerationPart {
  const type = part.oneOf("type", ["text", "image_url"]);
  if (type === "text") return { kind: "text", text: part.needText("text") };
  if (type === undefined) part.need("type");
  part.need("image_url");
  return { kind: "image", url: part.fields("image_url")?.needText("url") ?? "" };
}

function renderRequest(request: ModerationRequest, { model }: Target): Rendered {
  const additional = renderAdditionalMembers(request.additional, "moderations");
  return { body: { ...additional.members, model, input: renderInput(request.items) }, dropped: additional.dropped };
}

/** Renders the input. All models of this wire accept strings; only newer ones accept parts. */
function renderInput(items: readonly ModerationItem[]): unknown {
  const texts = items.flatMap(({ parts: [part, ...others] }) =>
    part?.kind === "text" && others.length === 0 ? [part.text] : [],
  );
  if (texts.length < items.length) return items.flatMap(({ parts }) => parts.map(renderPart));
  return texts.length === 1 ? texts[0] : texts;
}

function renderPart(part: ModerationPart): JsonRecord {
  return part.kind === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } };
}

function parseAnswer(body: JsonRecord): ModerationAnswer {
  return readVendor(body, (fields) => {
    const results = fields.each("results", maxItems).map(parseResult);
    if (results.length === 0) throw new Failure("upstream_error", "The vendor's answer has no results.");
    return { id: fields.text("id") ?? "", results };
  });
}

function parseResult(item: Fields): ModerationResult {
  const categories = readMembers(item, "categories", "true, false or null", isBooleanOrNull);
  const flagged = item.flag("flagged");
  // Mistral reports only categories.
  const verdicts = Object.values(categories).filter((value) => value !== null);
  if (flagged === undefined && verdicts.length === 0) item.need("flagged");
  const applied = item.has("category_applied_input_types")
    ? readMembers(item, "category_applied_input_types", "an array of words", isStringList)
    : undefined;
  return withoutUndefined({
    flagged: flagged ?? verdicts.includes(true),
    categories,
    scores: readMembers(item, "category_scores", "a number", (value) => typeof value === "number"),
    appliedInputTypes: applied,
  });
}

/**
 * Reads an object with one value for each category. A null stands for a category that the model lacks, and is skipped
 * unless null is a valid value.
 */
function readMembers<Value>(
  item: Fields,
  name: string,
  kind: string,
  isValue: (value: unknown) => value is Value,
): Readonly<Record<string, Value>> {
  const member = item.need(name);
  if (!isRecord(member)) throw item.wrong(name, "an object");
  const entries: [string, Value][] = [];
  for (const [category, value] of Object.entries(member)) {
    if (isValue(value)) entries.push([category, value]);
    else if (value !== null) throw item.wrong(`${name}.${category}`, kind);
  }
  return Object.fromEntries(entries);
}

function isBooleanOrNull(value: unknown): value is boolean | null {
  return value === null || typeof value === "boolean";
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function renderAnswer(answer: ModerationAnswer, context: UnstreamedContext<ModerationRequest>): JsonRecord {
  return {
    id: answer.id === "" ? `modr-${context.answerId}` : answer.id,
    model: context.model,
    results: requireResultCount(context.request, answer.results).map(
      ({ flagged, categories, scores, appliedInputTypes }) =>
        withoutUndefined({
          flagged,
          categories,
          category_scores: scores,
          category_applied_input_types: appliedInputTypes,
        }),
    ),
  };
}
