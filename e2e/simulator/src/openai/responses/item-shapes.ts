import { textAt } from "../../checks/members.ts";
import {
  anyObject,
  anyText,
  base64,
  closed,
  closedOrNull,
  either,
  filledText,
  flag,
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

const cacheCut = { prompt_cache_breakpoint: anyObject };
const inputParts = tagged("type", {
  input_text: closed({ type, text: anyText }, cacheCut),
  input_image: closedOrNull(
    { type },
    { image_url: imageUrl, file_id: anyText, detail: oneOf("low", "high", "auto", "original"), ...cacheCut },
  ),
  input_file: closedOrNull(
    { type },
    { file_data: fileData, file_url: anyText, file_id: anyText, filename: anyText, detail: anyText, ...cacheCut },
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

/** Items of tools that run at the vendor: it takes back what it sent, whatever that was. */
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
    "additional_tools",
    "configuration_update",
    "program",
    "program_output",
  ].map((name) => [name, anyObject]),
);

const reference = closedOrNull({ id: filledText }, { type: oneOf("item_reference") });

/** An input item, by its type; a message may lack it, and so may a reference. */
export const inputItem: Shape = tagged(
  "type",
  {
    message,
    function_call: closedOrNull(
      { type, call_id: filledText, name: toolName, arguments: anyText },
      { id: idOf("fc"), status, namespace: anyText, async: flag, caller: anyObject },
    ),
    function_call_output: closedOrNull({ type, call_id: filledText, output }, { id: idOf("fc"), status }),
    custom_tool_call: closedOrNull(
      { type, call_id: filledText, name: toolName, input: anyText },
      { id: idOf("ctc"), status, namespace: anyText, caller: anyObject },
    ),
    custom_tool_call_output: closedOrNull({ type, call_id: filledText, output }, { id: idOf("ctc"), status }),
    reasoning: closedOrNull(
      { type, summary: list(closed({ type: oneOf("summary_text"), text: anyText })) },
      {
        // The official types demand it; the vendor does not where the sealed content is there, and its own CLI leaves it out.
        id: idOf("rs"),
        content: list(closed({ type: oneOf("reasoning_text"), text: anyText })),
        encrypted_content: anyText,
        status,
      },
    ),
    item_reference: reference,
    compaction: closedOrNull({ type, encrypted_content: filledText }, { id: anyText }),
    compaction_trigger: closed({ type }),
    ...ofVendorTools,
  },
  (value, path) => (textAt(value, "role") === undefined ? reference : message)(value, path),
);
