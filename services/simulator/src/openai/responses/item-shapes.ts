import {
  anyObject,
  anyText,
  base64,
  closed,
  closedOrNull,
  either,
  filledText,
  list,
  oneOf,
  tagged,
  text,
  type Shape,
} from "../../checks/shape.ts";
import { fileData, imageUrl, toolName } from "../shapes.ts";

const type = anyText;
const status = oneOf("in_progress", "completed", "incomplete");
const idOf = (prefix: string): Shape => text(new RegExp(`^${prefix}`), `an id that begins with ${prefix}`);

const inputParts = tagged("type", {
  input_text: closed({ type, text: anyText }),
  input_image: closedOrNull(
    { type },
    { image_url: imageUrl, file_id: anyText, detail: oneOf("low", "high", "auto", "original") },
  ),
  input_file: closedOrNull(
    { type },
    { file_data: fileData, file_url: anyText, file_id: anyText, filename: anyText, detail: anyText },
  ),
  input_audio: closed({ type, input_audio: closed({ data: base64, format: oneOf("wav", "mp3") }) }),
});
const outputParts = tagged("type", {
  output_text: closed({ type, text: anyText }, { annotations: list(anyObject), logprobs: list(anyObject) }),
  refusal: closed({ type, refusal: anyText }),
});

const role = anyText;
const asked = closedOrNull(
  { role, content: either(anyText, list(inputParts, { least: 1 })) },
  { type, id: idOf("msg"), status },
);
const message = tagged("role", {
  user: asked,
  system: asked,
  developer: asked,
  assistant: closedOrNull(
    { role, content: either(anyText, list(outputParts, { least: 1 })) },
    { type, id: idOf("msg"), status, phase: oneOf("commentary", "final_answer") },
  ),
});

const output = either(anyText, list(inputParts));

/** Items of tools that run at the vendor: it takes back what it told, whatever that was. */
const ofVendorTools = Object.fromEntries(
  [
    "web_search_call",
    "file_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "mcp_list_tools",
    "mcp_call",
    "mcp_approval_request",
    "mcp_approval_response",
    "tool_search_call",
    "tool_search_output",
  ].map((name) => [name, anyObject]),
);

/** An input item, by its type; a message may lack it. */
export const inputItem: Shape = tagged(
  "type",
  {
    message,
    function_call: closedOrNull(
      { type, call_id: filledText, name: toolName, arguments: anyText },
      { id: idOf("fc"), status, namespace: anyText },
    ),
    function_call_output: closedOrNull({ type, call_id: filledText, output }, { id: idOf("fc"), status }),
    custom_tool_call: closedOrNull(
      { type, call_id: filledText, name: toolName, input: anyText },
      { id: idOf("ctc"), status, namespace: anyText },
    ),
    custom_tool_call_output: closedOrNull({ type, call_id: filledText, output }, { id: idOf("ctc"), status }),
    reasoning: closedOrNull(
      { type, id: idOf("rs"), summary: list(closed({ type: oneOf("summary_text"), text: anyText })) },
      {
        content: list(closed({ type: oneOf("reasoning_text"), text: anyText })),
        encrypted_content: anyText,
        status,
      },
    ),
    item_reference: closed({ type, id: filledText }),
    compaction: closedOrNull({ type, encrypted_content: filledText }, { id: anyText }),
    compaction_trigger: closed({ type }),
    ...ofVendorTools,
  },
  message,
);
