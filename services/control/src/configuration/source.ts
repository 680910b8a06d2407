import { dirname } from "node:path";
import { readConfigurationFile, type FoundConfiguration } from "./read.ts";
import type { StoredKeys } from "./resolve.ts";

/** Source from which control reads the configuration. */
export interface ConfigurationSource {
  /** Path of the file, or `books`. */
  readonly name: string;
  readonly folder?: string;
  /** Interval in ms between reads without an announced change; if absent, every poll reads. */
  readonly everyMs?: number;
  /** True if control must not start with an invalid configuration. */
  readonly mustBeValid: boolean;
  /** Reads the current configuration. Throws if the source is unavailable. */
  read(): Promise<FoundConfiguration & { readonly storedKeys?: StoredKeys }>;
}

/** Returns the source for a YAML file. */
export function fileSource(path: string): ConfigurationSource {
  let last: FoundConfiguration | undefined;
  const read = async (): Promise<FoundConfiguration> => (last = await readConfigurationFile(path, last));
  return { name: path, folder: dirname(path), mustBeValid: true, read };
}
