import { wantsCost } from "../../cost/with-cost.ts";
import { Failure, present } from "@modelgate/contracts";
import { Fields } from "../../json/fields.ts";
import type { Parsed } from "../hub/codec.ts";
import type { FilePart, ImagePart, Part, TextPart, ToolResultPart } from "../hub/part.ts";
import type { JsonObject, OutputFormat, TextRequest, Turn } from "../hub/request.ts";
import { parseCache } from "./cache.ts";
import { parseTools, parseToolChoice } from "./parse-tools.ts";
import { parseTurns } from "./parse-turns.ts";
import { parseThinking } from "./thinking.ts";

/** What is in one vendor account's store, at its places or on its servers: no other wire can say it. */
const refused = ["container", "mcp_servers", "inference_geo"] as const;

/** A request to the messages endpoint in the neutral form (interface section 4.2). */
export function parseRequest(body: JsonObject): Parsed {
  const fields = new Fields(body);
  // A wish to see the cost is granted here: no vendor hears of it.
  if (wantsCost(fields.value)) fields.ignore("usage");
  for (const name of refused) if (fields.has(name)) throw fields.unsupported(name);
  const { instructions, turns: said } = parseTurns(fields);
  const turns = markedAtEnd(said, parseCache(fields));
  const tools = parseTools(fields);
  const output = fields.fields("output_config");
  const request: TextRequest = {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions,
    turns,
    maxTokens: parseMaxTokens(fields),
    ...(tools.length > 0 ? { tools } : {}),
    ...present({
      ...parseToolChoice(fields),
      stop: fields.texts("stop_sequences"),
      format: parseFormat(output?.fields("format") ?? fields.fields("output_format")),
      reasoning: parseThinking(fields, output),
      temperature: fields.number("temperature"),
      topP: fields.number("top_p"),
      topK: fields.count("top_k"),
      user: fields.fields("metadata")?.text("user_id"),
      serviceTier: parseTier(fields),
    }),
  };
  return { request, dropped: fields.unread() };
}

/** The whole prompt's mark, which stands beside it here, on its last part. */
function markedAtEnd(turns: readonly Turn[], mark: ReturnType<typeof parseCache>): readonly Turn[] {
  const [turn, part] = [turns.at(-1), turns.at(-1)?.parts.at(-1)];
  if (mark.cache === undefined || turn === undefined || part === undefined || !takesMark(part)) return turns;
  return [...turns.slice(0, -1), { ...turn, parts: [...turn.parts.slice(0, -1), { ...part, ...mark }] }];
}

function takesMark(part: Part): part is TextPart | ImagePart | FilePart | ToolResultPart {
  return part.kind === "text" || part.kind === "image" || part.kind === "file" || part.kind === "tool-result";
}

function parseMaxTokens(fields: Fields): number {
  const given = fields.count("max_tokens", 1);
  if (given !== undefined) return given;
  throw new Failure("missing_required_parameter", "Missing required parameter: max_tokens.", { param: "max_tokens" });
}

/** The form of the answer, which stood in \`output_format\` before it stood in \`output_config\`. */
function parseFormat(format: Fields | undefined): OutputFormat | undefined {
  if (format === undefined) return undefined;
  if (format.word("type", ["json_schema"]) === undefined) throw format.wrong("type", "json_schema");
  const schema = format.record("schema");
  if (schema === undefined) throw format.wrong("schema", "an object");
  return { kind: "schema", schema };
}

/** The words of the neutral form are those of the wire with the most tiers. */
function parseTier(fields: Fields): string | undefined {
  const word = fields.word("service_tier", ["auto", "standard_only"]);
  return word === "standard_only" ? "default" : word;
}
