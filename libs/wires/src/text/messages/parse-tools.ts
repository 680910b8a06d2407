import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { JsonObject, TextRequest, Tool } from "../hub/request.ts";
import { parseCache } from "./cache.ts";
import { parseSearch } from "./search.ts";

/** Tools that one request may have. */
const mostTools = 1_024;

/** Functions, the vendor's search, and its other typed tools as its own. */
export function parseTools(body: Fields): readonly Tool[] {
  return body.each("tools", mostTools).map((tool) => {
    const type = tool.text("type") ?? "custom";
    if (type === "custom") return parseFunction(tool);
    const definition = tool.whole();
    if (type.startsWith("web_search_")) return parseSearch(definition);
    const { name } = definition;
    return { kind: "vendor", wire: "messages", name: typeof name === "string" ? name : type, definition };
  });
}

function parseFunction(tool: Fields): Tool {
  // Whether arguments come in small pieces is the vendor's affair.
  tool.ignore("eager_input_streaming");
  const schema = tool.record("input_schema");
  return {
    kind: "function",
    name: tool.needText("name"),
    ...present({
      description: tool.text("description"),
      parameters: schema === undefined || isEmpty(schema) ? undefined : schema,
      strict: tool.flag("strict") === true ? true : undefined,
    }),
    ...parseCache(tool),
  };
}

/** A schema without properties is how this wire says that there are no arguments. */
function isEmpty({ type, properties, ...rest }: JsonObject): boolean {
  const none = typeof properties !== "object" || properties === null || Object.keys(properties).length === 0;
  return (type === undefined || type === "object") && none && Object.keys(rest).length === 0;
}

const modes = { auto: "auto", any: "required", none: "none", tool: "required" } as const;

/** Which tools, and whether several at once. */
export function parseToolChoice(body: Fields): Pick<TextRequest, "toolChoice" | "parallelTools"> {
  const choice = body.fields("tool_choice");
  if (choice === undefined) return {};
  const word = choice.word("type", ["auto", "any", "none", "tool"]);
  if (word === undefined) throw choice.wrong("type", "one of auto, any, none, tool");
  return {
    toolChoice: { mode: modes[word], ...(word === "tool" ? { names: [choice.needText("name")] } : {}) },
    // Several at once is what every wire does where nothing is said.
    parallelTools: choice.flag("disable_parallel_tool_use") === true ? false : undefined,
  };
}
