import { dirname } from "node:path";
import { readConfigurationFile, type FoundConfiguration } from "./read.ts";
import type { KeptKeys } from "./resolve.ts";

/** Where the configuration comes from. */
export interface ConfigurationSource {
  /** For people: a file's path, or the books. */
  readonly name: string;
  /** The folder to watch for changes; absent: it is only polled. */
  readonly folder?: string;
  /** How often it is read where nothing says that it has changed; absent: at every look. */
  readonly everyMs?: number;
  /** Whether a start with a wrong one is refused. */
  readonly mustBeGood: boolean;
  /** What is there now. Throws where that cannot be known at the moment. */
  read(): Promise<FoundConfiguration & { readonly kept?: KeptKeys }>;
}

/** A YAML file, the truth where MODELGATE_CONFIG names it. */
export function fileSource(path: string): ConfigurationSource {
  let last: FoundConfiguration | undefined;
  const read = async (): Promise<FoundConfiguration> => (last = await readConfigurationFile(path, last));
  return { name: path, folder: dirname(path), mustBeGood: true, read };
}
