import {
  anyObject,
  anyText,
  base64,
  closed,
  either,
  filledText,
  flag,
  list,
  oneOf,
  orNull,
  tagged,
  text,
  type Shape,
} from "../checks/shape.ts";

const type = anyText;
/** Where the prompt's cache may be cut. */
export const cacheControl: Shape = orNull(closed({ type: oneOf("ephemeral") }, { ttl: oneOf("5m", "1h") }));
const cached = { cache_control: cacheControl };
const toolUseId = text(/^[\w-]+$/, "an id of letters, digits, underscores and hyphens");
export const toolName: Shape = text(/^[\w-]{1,128}$/, "1 to 128 letters, digits, underscores or hyphens");
const webAddress = text(/^https?:\/\/\S+$/, "an address on the web");

/** Words: never blank. */
export const textBlock: Shape = closed({ type, text: filledText }, { ...cached, citations: orNull(list(anyObject)) });
const imageTypes = oneOf("image/jpeg", "image/png", "image/gif", "image/webp");
const imageSource = tagged("type", {
  base64: closed({ type, media_type: imageTypes, data: base64 }),
  url: closed({ type, url: webAddress }),
  file: closed({ type, file_id: filledText }),
});
const image = closed({ type, source: imageSource }, cached);
const document = closed(
  {
    type,
    source: tagged("type", {
      base64: closed({ type, media_type: oneOf("application/pdf"), data: base64 }),
      text: closed({ type, media_type: oneOf("text/plain"), data: anyText }),
      url: closed({ type, url: webAddress }),
      content: closed({ type, content: either(anyText, list(tagged("type", { text: textBlock, image }))) }),
      file: closed({ type, file_id: filledText }),
    }),
  },
  { ...cached, title: orNull(anyText), context: orNull(anyText), citations: orNull(closed({}, { enabled: flag })) },
);
const searchResult = closed(
  { type, source: filledText, title: filledText, content: list(textBlock, { least: 1 }) },
  { ...cached, citations: anyObject },
);

const toolResult = closed(
  { type, tool_use_id: toolUseId },
  {
    ...cached,
    content: either(anyText, list(tagged("type", { text: textBlock, image, document, search_result: searchResult }))),
    is_error: flag,
    toolset_name: orNull(anyText),
  },
);

const serverToolBlocks = Object.fromEntries(
  [
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "container_upload",
  ].map((name) => [name, anyObject]),
);

const userBlock = tagged("type", {
  text: textBlock,
  image,
  document,
  search_result: searchResult,
  tool_result: toolResult,
  ...serverToolBlocks,
});
const assistantBlock = tagged("type", {
  text: textBlock,
  tool_use: closed(
    { type, id: toolUseId, name: toolName, input: anyObject },
    { ...cached, caller: anyObject, toolset_name: orNull(anyText) },
  ),
  thinking: closed({ type, thinking: anyText, signature: anyText }),
  redacted_thinking: closed({ type, data: anyText }),
  ...serverToolBlocks,
});

const contentOf = (block: Shape): Shape => either(filledText, list(block, { least: 1 }));

/** A message, by its role. */
export const message: Shape = tagged("role", {
  user: closed({ role: anyText, content: contentOf(userBlock) }),
  assistant: closed({ role: anyText, content: contentOf(assistantBlock) }),
  system: closed({ role: anyText, content: contentOf(tagged("type", { text: textBlock })) }),
});
