import { watch } from "node:fs";
import { dirname } from "node:path";
import type { ApplyDeps } from "./apply.ts";
import { DeclaredAccounts, type DeclareDeps } from "./declare-accounts.ts";
import { ConfigurationInForce, type ConfigurationStatus } from "./in-force.ts";

/** Applies the configuration until disposed. */
export interface Follower extends AsyncDisposable {
  readonly status: ConfigurationStatus;
}

/** Editors write in several steps: a change is looked at when it has been quiet for this long. */
const settleMs = 100;

/**
 * Applies the file and follows it and the key files that it names: a good change takes effect, after a wrong one the last
 * good configuration stays, and so does a key whose file has gone. A file that is wrong at the start is a StartError.
 */
export async function followConfiguration(
  deps: Omit<ApplyDeps, "declared"> & DeclareDeps,
  path: string,
  pollMs: number,
): Promise<Follower> {
  await using opening = new AsyncDisposableStack();
  const declared = opening.use(new DeclaredAccounts(deps));
  const inForce = await ConfigurationInForce.open({ ...deps, declared }, path);
  const open = opening.move();
  let looking = Promise.resolve();
  const lookSoon = (): void => {
    looking = looking
      .then(() => inForce.look())
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
      return inForce.status;
    },
    async [Symbol.asyncDispose]() {
      watcher[Symbol.dispose]();
      clearTimeout(quiet);
      clearInterval(poll);
      await open.disposeAsync();
      await looking;
    },
  };
}

/** Watches a folder for changes; without a watch (a system has only so many), the poll goes on alone. */
function watchFolder(folder: string, onChange: () => void): Disposable {
  try {
    const watcher = watch(folder, onChange).on("error", () => undefined);
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { [Symbol.dispose]: () => undefined };
  }
}
