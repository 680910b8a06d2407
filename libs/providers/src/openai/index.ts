import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";

/** OpenAI, and every vendor that speaks its formats under another base URL. */
export const openai: Provider = {
  name: "openai",
  wires: ["chat"],
  address: (baseUrl) => new URL(`${baseUrl.replace(/\/+$/, "")}/chat/completions`),
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  failureOf,
};
