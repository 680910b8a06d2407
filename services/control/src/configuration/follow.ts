import { watch } from "node:fs";
import type { Configuration } from "@modelgate/contracts";
import { onBeat } from "@modelgate/platform";
import type { ApplyDeps } from "./apply.ts";
import { DeclaredAccounts, type DeclareDeps } from "./declare-accounts.ts";
import { ConfigurationInForce, type ConfigurationStatus } from "./in-force.ts";
import type { ConfigurationSource } from "./source.ts";

/** Applies the configuration until disposed. */
export interface Follower extends AsyncDisposable {
  readonly status: ConfigurationStatus;
  /** Reads it now, after a change that was made here; never throws: what fails is tried again by itself. */
  refresh(): Promise<void>;
  /** Creates the accounts and tokens that a configuration names. */
  declare(configuration: Configuration): Promise<void>;
}

/** Editors write in several steps: a change is read when the file has been quiet for this long. */
const settleMs = 100;

/**
 * Applies a configuration and follows it and the key files that it names: a good change takes effect, after a wrong one
 * the last good configuration stays, and so does a key whose file has gone. A file that is wrong at the start is a
 * StartError.
 */
export async function followConfiguration(
  deps: Omit<ApplyDeps, "declared"> & DeclareDeps,
  sourceFor: (declared: DeclaredAccounts) => ConfigurationSource,
  pollMs: number,
): Promise<Follower> {
  await using opening = new AsyncDisposableStack();
  const declared = opening.use(new DeclaredAccounts(deps));
  const source = sourceFor(declared);
  const inForce = await ConfigurationInForce.open({ ...deps, declared }, source);
  const open = opening.move();
  let refreshing = Promise.resolve();
  let complained = false;
  const readSource = (isChanged: boolean): Promise<void> =>
    (refreshing = refreshing.then(async () => {
      try {
        await inForce.refresh(isChanged);
        complained = false;
      } catch (error) {
        if (!complained) deps.log.warn({ err: error }, "configuration could not be read; trying again");
        complained = true;
      }
    }));
  const refresh = (): Promise<void> => readSource(true);
  const readSoon = (): void => void refresh();
  if (!source.mustBeGood) readSoon();
  let quiet: NodeJS.Timeout | undefined;
  // The directory, not the file: editors and ConfigMaps put a new file in its place.
  const watcher = watchFolder(source.folder, () => {
    clearTimeout(quiet);
    quiet = setTimeout(readSoon, settleMs);
  });
  const polls = onBeat(pollMs, () => void readSource(false));
  return {
    get status() {
      return inForce.status;
    },
    refresh,
    declare: (configuration) => declared.declare(configuration),
    async [Symbol.asyncDispose]() {
      watcher[Symbol.dispose]();
      clearTimeout(quiet);
      polls[Symbol.dispose]();
      await open.disposeAsync();
      await refreshing;
    },
  };
}

/** Watches a folder for changes; without a watch (a system has only so many), the poll goes on alone. */
function watchFolder(folder: string | undefined, onChange: () => void): Disposable {
  try {
    if (folder === undefined) return { [Symbol.dispose]: () => undefined };
    const watcher = watch(folder, onChange).on("error", () => undefined);
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { [Symbol.dispose]: () => undefined };
  }
}
