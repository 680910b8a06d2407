import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../build/claim.mjs";

/** Data of a running `npm start` for gatectl. Only its owner can read the file. */
export interface RunFile {
  readonly pid: number;
  readonly edgeUrl: string;
  readonly controlUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
}

/** Data folder that this process has claimed. */
export interface FolderClaim {
  /** Writes the file by which gatectl finds the suite. */
  write(run: RunFile): void;
  release(): void;
}

/** Maximum attempts to claim a folder. Two processes may refuse each other, and retry after different pauses. */
const tries = 5;
const tryAgainMs = 60;

/** Claims a data folder. Returns the id of the process that has already claimed it, if any. */
export async function claimFolder(folder: string): Promise<FolderClaim | { readonly heldBy: number }> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "run.json");
  for (let attempt = 1; ; attempt++) {
    const { heldBy, release } = claim(folder, "running");
    if (release !== undefined) {
      const remove = (): void => rmSync(file, { force: true });
      remove(); // left by a process that was killed
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
    if (attempt === tries) return { heldBy };
    await new Promise((resolve) => setTimeout(resolve, tryAgainMs * (0.5 + Math.random())));
  }
}
