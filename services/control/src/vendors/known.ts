import { providers } from "@modelgate/providers";

/** A vendor that can be added. */
export interface KnownVendor {
  /** Prefix of its channels' names. */
  readonly name: string;
  readonly title: string;
  /** Provider that speaks to it. */
  readonly provider: string;
  /** Null where only its customer knows it. */
  readonly baseUrl: string | null;
}

/** The vendors that this build can speak to, by title, and any other that follows OpenAI's formats. */
export const knownVendors: readonly KnownVendor[] = [
  ...Object.entries(providers)
    .map(([name, { title = name, baseUrl = null }]) => ({ name, title, provider: name, baseUrl }))
    .toSorted((one, other) => one.title.localeCompare(other.title)),
  { name: "compatible", title: "Another that speaks OpenAI's formats", provider: "openai", baseUrl: null },
];
