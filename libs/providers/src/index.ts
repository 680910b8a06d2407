import { openai } from "./openai/index.ts";
import type { Provider } from "./provider.ts";

export { cleanWords } from "./clean.ts";
export type { Provider, UpstreamWire, VendorFailure } from "./provider.ts";

/** Every vendor, by the name that a channel's `provider` gives: one line each. */
export const providers: Readonly<Record<string, Provider>> = { openai };
