import type { Edit } from "../api/types.ts";
import { partChoices, type priceUnits } from "../api/words.ts";
import type { TextKey } from "../texts/translate.ts";

/** Field in the form of a model, group or channel. */
export interface PartField {
  /** Path within the part, such as `price.input`. */
  readonly path: string;
  readonly label: TextKey;
  /**
   * Kind of the input. `names` are separated by commas or line breaks. A line of `models` may be `name = upstream`, and
   * a line of `headers` is `name: value`. A `secret` is added to a channel's `keys`.
   */
  readonly kind:
    | "text"
    | "number"
    | "names"
    | "lines"
    | "models"
    | "choice"
    | "flag"
    | "provider"
    | "secret"
    | "headers"
    | "json";
  readonly choices?: readonly string[];
}

/** Labels of prices. The compiler requires one for each price of the API. */
export const priceLabels: Readonly<Record<keyof typeof priceUnits, TextKey>> = {
  input: "Input, $ per million tokens",
  output: "Output, $ per million tokens",
  cachedInput: "Cached input, $ per million tokens",
  cacheWrite: "Cache write, $ per million tokens",
  cacheWrite1h: "Cache write for one hour, $ per million tokens",
  inputAudio: "Audio input, $ per million tokens",
  outputAudio: "Audio output, $ per million tokens",
  inputImage: "Image input, $ per million tokens",
  outputImage: "Image output, $ per million tokens",
  request: "$ per request",
  image: "$ per image",
  second: "$ per second",
  character: "$ per character",
};

/** Fields of each section's form, in order. */
export const partFields: Readonly<Record<Edit["section"], readonly PartField[]>> = {
  models: [
    { path: "kind", label: "Kind", kind: "choice", choices: partChoices.models.kind },
    { path: "ownedBy", label: "Owned by", kind: "text" },
    ...Object.entries(priceLabels).map(([name, label]): PartField => ({
      path: `price.${name}`,
      label,
      kind: "number",
    })),
    { path: "contextTokens", label: "Context tokens", kind: "number" },
    { path: "maxOutputTokens", label: "Maximum output tokens", kind: "number" },
    { path: "choice", label: "Channel selection", kind: "choice", choices: partChoices.models.choice },
    { path: "fallbacks", label: "Fallbacks, separated by commas", kind: "names" },
  ],
  groups: [
    { path: "models", label: "Models, separated by commas (*: all)", kind: "names" },
    { path: "multiplier", label: "Price multiplier", kind: "number" },
    { path: "limits.requestsPerMinute", label: "Requests per minute per key", kind: "number" },
    { path: "limits.requestsPerDay", label: "Requests per day per key (UTC)", kind: "number" },
    { path: "limits.tokensPerMinute", label: "Tokens per minute per key", kind: "number" },
    { path: "limits.concurrency", label: "Concurrent calls per key", kind: "number" },
    { path: "limits.dollarsPerDay", label: "Daily budget per account ($)", kind: "number" },
    { path: "limits.dollarsPerMonth", label: "Monthly budget per account ($)", kind: "number" },
    { path: "unpriced", label: "Units without a price", kind: "choice", choices: partChoices.groups.unpriced },
    {
      path: "vendorStores",
      label: "Objects stored at vendors",
      kind: "choice",
      choices: partChoices.groups.vendorStores,
    },
    { path: "showChannel", label: "Show the channel in headers", kind: "flag" },
  ],
  channels: [
    { path: "provider", label: "Vendor", kind: "provider" },
    { path: "baseUrl", label: "Address (empty: the vendor's own)", kind: "text" },
    { path: "keys", label: "Keys, one per line (env:NAME, file:/path; kept: means encrypted)", kind: "lines" },
    { path: "newKey", label: "Add a key", kind: "secret" },
    { path: "models", label: "Models, one per line (name = the vendor's name; *: all)", kind: "models" },
    { path: "groups", label: "Groups, separated by commas (empty: all)", kind: "names" },
    { path: "priority", label: "Priority", kind: "number" },
    { path: "weight", label: "Weight", kind: "number" },
    { path: "maxConcurrency", label: "Maximum concurrent calls", kind: "number" },
    { path: "keyConcurrency", label: "Maximum concurrent calls per key", kind: "number" },
    { path: "requestsPerMinute", label: "Maximum requests per minute", kind: "number" },
    { path: "timeoutMs", label: "Timeout (ms)", kind: "number" },
    { path: "firstByteTimeoutMs", label: "First-byte timeout (ms)", kind: "number" },
    {
      path: "headers",
      label: "Headers, one per line (name: value; env:NAME is a variable; kept: means encrypted)",
      kind: "headers",
    },
    { path: "defaults", label: "Default request fields, as JSON", kind: "json" },
    { path: "force", label: "Fixed request fields, as JSON", kind: "json" },
    { path: "proxy", label: "Proxy (empty: the default; none: no proxy)", kind: "text" },
  ],
};
