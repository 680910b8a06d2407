import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { memberOf, named, records, type MadeId } from "../../vendor-stores/made.ts";
import type { StoreDialect } from "../../vendor-stores/members.ts";

/** What messages name in their vendor's store: the container that code runs in, and the files that it writes. */
export const stores = {
  opaque: ["input", "input_schema", "input_examples", "schema", "json_schema", "metadata"],
  made: {
    needles: ['"container"', '"file_id"'],
    isAsked: ({ container, tools }) =>
      (container ?? undefined) !== undefined || (Array.isArray(tools) && tools.some(isVendors)),
    read(answer) {
      const message = isRecord(answer["message"]) ? answer["message"] : answer;
      const blocks = [...records(message["content"]), answer["content_block"]].filter(isRecord);
      return [
        ...named("container", memberOf(message["container"], "id")),
        ...named("container", memberOf(memberOf(answer["delta"], "container"), "id")),
        ...blocks.filter(isFromCode).flatMap((block) => filesIn(block["content"])),
      ];
    },
  },
} as const satisfies StoreDialect;

/** Whether the vendor runs a tool by itself. */
function isVendors(tool: unknown): boolean {
  return isRecord(tool) && typeof tool["type"] === "string" && tool["type"] !== "custom";
}

/** Results of the vendor's code execution; a result of any other tool is not the vendor's own word. */
function isFromCode({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("code_execution_tool_result");
}

/** `content` is a result whose own `content` lists the files that were written. */
function filesIn(result: unknown): readonly MadeId[] {
  return records(memberOf(result, "content")).flatMap((output) => named("file", output["file_id"]));
}
