import { watch } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "@modelgate/platform";
import { applyConfiguration, type ApplyDeps } from "./apply.ts";
import { problemLines, readConfigurationFile } from "./read.ts";

/** What operators see of the configuration in force. */
interface ConfigurationStatus {
  readonly path: string;
  readonly version: string;
  readonly loadedAt: string;
  /** What is wrong with the file as it stands now; the version above is the last good one. */
  readonly problems: readonly { readonly path: string; readonly say: string }[];
}

/** Applies the configuration until disposed. */
export interface Follower extends AsyncDisposable {
  readonly status: ConfigurationStatus;
}

/** Editors write in several steps: a change is looked at when it has been quiet for this long. */
const settleMs = 100;

/**
 * Applies the file and follows it: a good change takes effect, a wrong one is logged with the path of each wrong field
 * and the last good configuration stays. A file that is wrong at the start is a StartError.
 */
export async function followConfiguration(deps: ApplyDeps, path: string, pollMs: number): Promise<Follower> {
  const first = await readConfigurationFile(path);
  if (first.configuration === undefined)
    throw new StartError(`The configuration ${path} is wrong:\n${problemLines(first.problems)}`);
  let seen = first.text;
  let status: ConfigurationStatus = {
    path,
    version: await applyConfiguration(deps, first.configuration),
    loadedAt: new Date().toISOString(),
    problems: [],
  };

  async function look(): Promise<void> {
    const { text, configuration, problems } = await readConfigurationFile(path);
    if (text === seen && text !== "") return;
    if (configuration === undefined) {
      if (JSON.stringify(problems) !== JSON.stringify(status.problems))
        deps.log.error({ problems }, `configuration refused, the last good one stays:\n${problemLines(problems)}`);
      status = { ...status, problems };
      seen = text;
      return;
    }
    status = {
      path,
      version: await applyConfiguration(deps, configuration),
      loadedAt: new Date().toISOString(),
      problems: [],
    };
    seen = text;
  }

  let looking = Promise.resolve();
  const lookSoon = (): void => {
    looking = looking
      .then(look)
      .catch((error: unknown) => deps.log.warn({ err: error }, "configuration not looked at; trying again"));
  };
  let quiet: NodeJS.Timeout | undefined;
  // The directory, not the file: editors and ConfigMaps put a new file in its place.
  const watcher = watchFolder(dirname(path), () => {
    clearTimeout(quiet);
    quiet = setTimeout(lookSoon, settleMs);
  });
  const poll = setInterval(lookSoon, pollMs);
  return {
    get status() {
      return status;
    },
    async [Symbol.asyncDispose]() {
      watcher[Symbol.dispose]();
      clearTimeout(quiet);
      clearInterval(poll);
      await looking;
    },
  };
}

/** Tells of changes in a folder; where the system gives no watch (it has only so many), the poll beneath goes on alone. */
function watchFolder(folder: string, onChange: () => void): Disposable {
  try {
    const watcher = watch(folder, onChange).on("error", () => undefined);
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { [Symbol.dispose]: () => undefined };
  }
}
