import { watch } from "node:fs";
import type { Configuration } from "@modelgate/contracts";
import { runOnSharedTick } from "@modelgate/platform";
import type { ApplyDeps } from "./apply.ts";
import { DeclaredAccounts, type DeclareDeps } from "./declare-accounts.ts";
import { ActiveConfiguration, type ConfigurationStatus } from "./in-force.ts";
import type { ConfigurationSource } from "./source.ts";

/** Active configuration, which follows changes of its source. */
export interface ConfigurationFollower extends AsyncDisposable {
  readonly status: ConfigurationStatus;
  /** Default proxy of channels. */
  readonly defaultProxy: string | undefined;
  /** Reads the configuration now. Never throws, because a failed read is retried. */
  refresh(): Promise<void>;
  /** Creates the missing accounts and API keys of a configuration. */
  declare(configuration: Configuration): Promise<void>;
}

/** Time in ms without further writes before a changed file is read, because editors write in steps. */
const settleMs = 100;

/**
 * Applies a configuration, and follows changes of it and of its key files. After an invalid change, or if a key file is
 * missing, the last valid state stays active. Throws StartError if a file is invalid at the start.
 */
export async function followConfiguration(
  deps: Omit<ApplyDeps, "declared"> & DeclareDeps,
  sourceFor: (declared: DeclaredAccounts) => ConfigurationSource,
  pollMs: number,
): Promise<ConfigurationFollower> {
  await using opening = new AsyncDisposableStack();
  const declared = opening.use(new DeclaredAccounts(deps));
  const source = sourceFor(declared);
  const active = await ActiveConfiguration.open({ ...deps, declared }, source);
  const resources = opening.move();
  let refreshing = Promise.resolve();
  let hasLoggedFailure = false;
  const readSource = (isChanged: boolean): Promise<void> =>
    (refreshing = refreshing.then(async () => {
      try {
        await active.refresh(isChanged);
        hasLoggedFailure = false;
      } catch (error) {
        if (!hasLoggedFailure) deps.log.warn({ err: error }, "configuration could not be read; trying again");
        hasLoggedFailure = true;
      }
    }));
  const refresh = (): Promise<void> => readSource(true);
  const readNow = (): void => void refresh();
  if (!source.mustBeValid) readNow();
  let settleTimer: NodeJS.Timeout | undefined;
  // Watches the folder, because editors and ConfigMaps replace the file.
  const watcher = watchFolder(source.folder, () => {
    clearTimeout(settleTimer);
    settleTimer = setTimeout(readNow, settleMs);
  });
  const polls = runOnSharedTick(pollMs, () => void readSource(false));
  return {
    get status() {
      return active.status;
    },
    get defaultProxy() {
      return active.defaultProxy;
    },
    refresh,
    declare: (configuration) => declared.declare(configuration),
    async [Symbol.asyncDispose]() {
      watcher[Symbol.dispose]();
      clearTimeout(settleTimer);
      polls[Symbol.dispose]();
      await resources.disposeAsync();
      await refreshing;
    },
  };
}

/** Watches a folder. If that is impossible, only polling finds changes. */
function watchFolder(folder: string | undefined, onChange: () => void): Disposable {
  try {
    if (folder === undefined) return { [Symbol.dispose]: () => undefined };
    const watcher = watch(folder, onChange).on("error", () => undefined);
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { [Symbol.dispose]: () => undefined };
  }
}
