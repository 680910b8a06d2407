import {
  anyObject,
  anyText,
  base64,
  closedOrNull,
  either,
  flag,
  oneOf,
  record,
  text,
  type Shape,
} from "../checks/shape.ts";

/** Names of functions and tools. */
export const toolName: Shape = text(/^[\w-]{1,64}$/, "1 to 64 letters, digits, underscores or hyphens");

export const effort: Shape = oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max");
export const verbosity: Shape = oneOf("low", "medium", "high");
export const serviceTier: Shape = oneOf("auto", "default", "flex", "scale", "priority", "fast", "ultrafast");
export const metadata: Shape = record(anyText);
export const cacheRetention: Shape = oneOf("in_memory", "24h");
export const streamOptions: Shape = closedOrNull({}, { include_usage: flag, include_obfuscation: flag });

/** An address on the web, or a data URL of a picture that the vendor can read. */
export const imageUrl: Shape = either(
  text(/^https?:\/\/\S+$/, "an address on the web, or a data URL of a PNG, JPEG, GIF or WebP picture"),
  dataUrl(/^data:image\/(?:png|jpeg|jpg|gif|webp);base64,/, "a data URL of a PNG, JPEG, GIF or WebP picture"),
);

/** A data URL, as this vendor wants files. */
export const fileData: Shape = either(dataUrl(/^data:[\w.+-]+\/[\w.+-]+;base64,/, "a data URL in Base64"), base64);

function dataUrl(start: RegExp, expected: string): Shape {
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    const head = start.exec(value)?.[0];
    return head === undefined || base64(value.slice(head.length), path) !== undefined
      ? { path, problem: "value", expected }
      : undefined;
  };
}

export const jsonSchemaFields = {
  required: { name: toolName, schema: anyObject },
  optional: { description: anyText, strict: flag },
} as const;
