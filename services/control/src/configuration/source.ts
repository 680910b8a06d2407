import { dirname } from "node:path";
import { readConfigurationFile, type FoundConfiguration } from "./read.ts";
import type { KeptKeys } from "./resolve.ts";

/** Source of the configuration. */
export interface ConfigurationSource {
  /** For people: a file's path, or the books. */
  readonly name: string;
  /** The folder to watch for changes; absent: it is only polled. */
  readonly folder?: string;
  /** Interval between readings while no change is announced; absent: at every look. */
  readonly everyMs?: number;
  /** True if a start with a wrong configuration is refused. */
  readonly mustBeGood: boolean;
  /** Reads the current configuration. Throws if the source is unavailable. */
  read(): Promise<FoundConfiguration & { readonly kept?: KeptKeys }>;
}

/** A YAML file, the truth where MODELGATE_CONFIG names it. */
export function fileSource(path: string): ConfigurationSource {
  let last: FoundConfiguration | undefined;
  const read = async (): Promise<FoundConfiguration> => (last = await readConfigurationFile(path, last));
  return { name: path, folder: dirname(path), mustBeGood: true, read };
}
