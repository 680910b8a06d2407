import { Failure } from "@modelgate/contracts";
import { Fields } from "../../json/fields.ts";
import { present } from "../../json/present.ts";
import type { Parsed } from "../hub/codec.ts";
import type { JsonObject, OutputFormat, TextRequest } from "../hub/request.ts";
import { parseTools, parseToolChoice } from "./parse-tools.ts";
import { parseTurns } from "./parse-turns.ts";
import { parseThinking } from "./thinking.ts";

/** What is in one vendor account's store, at its places or on its servers: no other wire can say it. */
const refused = ["container", "mcp_servers", "inference_geo"] as const;

/** A request to the messages endpoint in the neutral form (interface section 4.2). */
export function parseRequest(body: JsonObject): Parsed {
  const fields = new Fields(body);
  for (const name of refused) if (fields.has(name)) throw fields.unsupported(name);
  const { instructions, turns } = parseTurns(fields);
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
      format: output === undefined ? undefined : parseFormat(output),
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

function parseMaxTokens(fields: Fields): number {
  const given = fields.count("max_tokens", 1);
  if (given !== undefined) return given;
  throw new Failure("missing_required_parameter", "Missing required parameter: max_tokens.", { param: "max_tokens" });
}

function parseFormat(output: Fields): OutputFormat | undefined {
  const format = output.fields("format");
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
