import { Refusal } from "../checks/refusal.ts";
import type { Endpoint } from "../vendor.ts";
import { findTask, videoOf } from "./tasks.ts";

const path = /^\/files\/([^/]+)\.mp4$/;

/** Where vendors that answer with an address have their films: a host of files, and nothing there when a film has expired. */
export const filmHost: Endpoint = {
  method: "GET",
  path,
  open({ groups: [id = ""] }) {
    const task = findTask(id);
    const film = task && videoOf(task);
    if (film === undefined) throw new Refusal(404, "no such file");
    return { whole: () => ({}), file: () => film };
  },
};

/** Whether a path is one of the host's, which need no key. */
export function isFilm(of: string): boolean {
  return path.test(of);
}

/** The address of a task's film; `address` is the vendor's own. */
export function addressOfFilm(address: string, taskId: string): string {
  return `${address}/files/${taskId}.mp4`;
}
