import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Members of events that set up a session, or one response of it. */
const settings = ["session", "response"] as const;

/** Refuses (400) tools of a session or a response that are not functions: the vendor runs them, and they have no price. */
export function refuseVendorTools(event: JsonRecord): void {
  for (const name of settings) {
    const setting = event[name];
    const tools: unknown = isRecord(setting) ? setting["tools"] : undefined;
    const listed: readonly unknown[] = Array.isArray(tools) ? tools : [tools];
    const at = listed.findIndex((tool) => isRecord(tool) && (tool["type"] ?? "function") !== "function");
    if (at < 0) continue;
    const param = Array.isArray(tools) ? `${name}.tools[${at}]` : `${name}.tools`;
    throw new Failure(
      "unsupported_parameter",
      `${param} is a tool that the vendor runs, and this model has no price for it. Leave it out, or ask the operator to let it pass.`,
      { param },
    );
  }
}
