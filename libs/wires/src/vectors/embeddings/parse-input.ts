import { isRecord, type Fields } from "../../json/fields.ts";
import { mostInputs, type VectorContent } from "../hub/request.ts";

/** Tokens of one input; no model reads more. */
const mostTokens = 131_072;

/** `input`: a text, tokens, or an array of texts, of token arrays or of a vendor's own objects. None may be empty. */
export function parseTurns(fields: Fields): readonly VectorContent[] {
  const input = fields.need("input");
  if (typeof input === "string") return [parseOne(input, "input", fields)];
  if (!Array.isArray(input) || input.length === 0)
    throw fields.wrong("input", "a string or an array that is not empty");
  if (typeof input[0] === "number") return [{ kind: "tokens", tokens: parseTokens(input, "input", fields) }];
  if (input.length > mostInputs) throw fields.wrong("input", `at most ${mostInputs} inputs`);
  const contents = input.map((value: unknown, index) => parseOne(value, `input[${index}]`, fields));
  const strange = contents.findIndex(({ kind }) => kind !== contents[0]?.kind);
  if (strange >= 0) throw fields.wrong(`input[${strange}]`, "of the same kind as the first");
  return contents;
}

function parseOne(value: unknown, at: string, fields: Fields): VectorContent {
  if (typeof value === "string") {
    if (value === "") throw fields.wrong(at, "a string that is not empty");
    return { kind: "text", text: value };
  }
  if (Array.isArray(value)) return { kind: "tokens", tokens: parseTokens(value, at, fields) };
  if (isRecord(value)) return { kind: "own", wire: "embeddings", value };
  throw fields.wrong(at, "a string or an array of tokens");
}

function parseTokens(values: readonly unknown[], at: string, fields: Fields): readonly number[] {
  if (values.length === 0 || values.length > mostTokens) throw fields.wrong(at, `1 to ${mostTokens} tokens`);
  return values.map((value, index) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    throw fields.wrong(`${at}[${index}]`, "a whole number from 0");
  });
}
