import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claim } from "./bootstrap/claim.mjs";

/** What a running `npm start` leaves for gatectl: readable by its owner only. */
export interface RunFile {
  readonly pid: number;
  readonly edgeUrl: string;
  readonly controlUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
}

/** A data folder that is this process's own until it lets go of it. */
export interface FolderClaim {
  /** Writes where gatectl finds the suite. */
  write(run: RunFile): void;
  release(): void;
}

/** Two that start at the same moment may both be refused: each tries so often, after a while that differs. */
const tries = 5;
const tryAgainMs = 60;

/** Takes a data folder, from before anything is started in it; gives the process that has it already, if one does. */
export async function claimFolder(folder: string): Promise<FolderClaim | { readonly heldBy: number }> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "run.json");
  for (let tried = 1; ; tried++) {
    const { heldBy, release } = claim(folder, "running");
    if (release !== undefined) {
      const remove = (): void => rmSync(file, { force: true });
      remove(); // of one that was killed
      return {
        write(run) {
          remove();
          writeFileSync(file, `${JSON.stringify(run, undefined, 2)}\n`, { mode: 0o600 });
        },
        release() {
          remove();
          release();
        },
      };
    }
    if (tried === tries) return { heldBy };
    await new Promise((resolve) => setTimeout(resolve, tryAgainMs * (0.5 + Math.random())));
  }
}
