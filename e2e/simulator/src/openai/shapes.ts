import { Shapes } from "../checks/notation.ts";
import { base64, text, type Shape } from "../checks/shape.ts";

const pictureUrl = dataUrl(
  /^data:image\/(?:png|jpeg|jpg|gif|webp);base64,/,
  "a data URL of a PNG, JPEG, GIF or WebP picture",
);
const webUrl = text(/^https?:\/\/\S+$/, "an address on the web, or a data URL of a PNG, JPEG, GIF or WebP picture");
const fileUrl = dataUrl(/^data:[\w.+-]+\/[\w.+-]+;base64,/, "a data URL in Base64");

function dataUrl(start: RegExp, expected: string): Shape {
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    const head = start.exec(value)?.[0];
    return head === undefined || base64(value.slice(head.length), path) !== undefined
      ? { path, problem: "value", expected }
      : undefined;
  };
}

/** Shapes that several endpoints use. */
export const sharedShapes = new Shapes(
  String.raw`
  ImageUrl = webUrl | pictureUrl;
  // Accepted forms of file contents.
  FileData = fileUrl | base64;
  ToolName = /^[\w-]{1,64}$/ "1 to 64 letters, digits, underscores or hyphens";
  Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  Verbosity = "low" | "medium" | "high";
  ServiceTier = "auto" | "default" | "flex" | "scale" | "priority" | "fast" | "ultrafast";
  Cached = nullable<{ prompt_cache_key?: string, prompt_cache_retention?: "in_memory" | "24h", prompt_cache_options?: object }>;
  StreamOptions = nullable<{ include_usage?: boolean, include_obfuscation?: boolean }>;
  JsonSchema = nullable<{ name: ToolName, schema: object, description?: string, strict?: boolean }>;
  InputAudio = { data: base64, format: "wav" | "mp3" };
  Stop = string | string[0..4];
  Penalties = { presence_penalty?: number(-2, 2), frequency_penalty?: number(-2, 2) };
`,
  { more: { webUrl, pictureUrl, fileUrl } },
);
