import { dirname } from "node:path";
import { readConfigurationFile, type FoundConfiguration } from "./read.ts";
import type { KeptKeys } from "./resolve.ts";

/** Source of the configuration. */
export interface ConfigurationSource {
  /** Name for people: a file's path, or the books. */
  readonly name: string;
  /** Folder to watch for changes; absent: only polled. */
  readonly folder?: string;
  /** Interval, in ms, between reads while no change is announced; absent: every poll reads. */
  readonly everyMs?: number;
  /** True if the start fails with an invalid configuration. */
  readonly mustBeGood: boolean;
  /** Reads the current configuration. Throws if the source is unavailable. */
  read(): Promise<FoundConfiguration & { readonly kept?: KeptKeys }>;
}

/** Returns the source of a YAML file, which MODELGATE_CONFIG names. */
export function fileSource(path: string): ConfigurationSource {
  let last: FoundConfiguration | undefined;
  const read = async (): Promise<FoundConfiguration> => (last = await readConfigurationFile(path, last));
  return { name: path, folder: dirname(path), mustBeGood: true, read };
}
