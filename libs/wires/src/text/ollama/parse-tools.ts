import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { Tool } from "../hub/request.ts";

/** Tools that a request may have. */
const mostTools = 4_096;

/** The functions that a model may call. */
export function parseTools(body: Fields): readonly Tool[] {
  return body.each("tools", mostTools).map(parseTool);
}

function parseTool(tool: Fields): Tool {
  const type = tool.text("type") ?? "function";
  if (type !== "function") throw tool.unsupported("type");
  const named = tool.fields("function");
  if (named === undefined) throw tool.wrong("function", "an object");
  return {
    kind: "function",
    name: named.needText("name"),
    ...present({ description: named.text("description"), parameters: named.record("parameters") }),
  };
}
