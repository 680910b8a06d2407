import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Type of a steering event as it appears in JSON. */
const steerMark = '"response.steer"';

/** Returns true if a message may be a `response.steer` event. */
export function mayBeSteer(message: Buffer): boolean {
  return message.includes(steerMark);
}

const eventMembers = new Set(["type", "previous_response_id", "input"]);
const messageMembers = new Set(["type", "role", "content", "id", "status"]);
/** Maximum characters of an unknown member's name that an error message repeats. */
const maxNameCharacters = 100;
const partTypes = new Set<unknown>(["input_text", "input_image", "input_file"]);

/** Returns the reason why a `response.steer` event is invalid; undefined for a valid one. */
export function steerProblem(event: JsonObject): string | undefined {
  const other = Object.keys(event).find((name) => !eventMembers.has(name));
  if (other !== undefined) return `response.steer has no member ${JSON.stringify(other.slice(0, maxNameCharacters))}.`;
  const { input } = event;
  if (typeof input === "string") return input === "" ? "input must not be empty." : undefined;
  if (!Array.isArray(input) || input.length === 0) return "input must be a text or a list of user messages.";
  return input.every(isUserMessage)
    ? undefined
    : "input may have messages of the user only, with texts, images and files.";
}

function isUserMessage(item: unknown): boolean {
  if (!isRecord(item) || item["role"] !== "user" || Object.keys(item).some((name) => !messageMembers.has(name)))
    return false;
  const { type = "message", content } = item;
  if (type !== "message") return false;
  return (
    typeof content === "string" ||
    (Array.isArray(content) && content.every((part) => isRecord(part) && partTypes.has(part["type"])))
  );
}

/** Returns stubs of the tool results and approvals that the client must send after a response with this output. */
export function requiredInput(output: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(
    output.filter(({ type }) => String(type).endsWith("_output")).map(({ call_id: callId }) => callId),
  );
  return output.flatMap((item) => {
    const stub = stubOf(item);
    return stub === undefined || (stub["call_id"] !== undefined && answered.has(stub["call_id"])) ? [] : [stub];
  });
}

function stubOf({ type, id, call_id: callId, name, execution }: JsonObject): JsonObject | undefined {
  switch (type) {
    case "function_call":
      return { type: "function_call_output", call_id: callId, name };
    case "custom_tool_call":
    case "computer_call":
    case "shell_call":
    case "apply_patch_call":
      return { type: `${type}_output`, call_id: callId };
    case "tool_search_call":
      return execution === "client" ? { type: "tool_search_output", call_id: callId, execution } : undefined;
    case "mcp_approval_request":
      return { type: "mcp_approval_response", approval_request_id: id };
    default:
      return undefined;
  }
}
