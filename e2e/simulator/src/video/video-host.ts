import { Refusal } from "../checks/refusal.ts";
import type { Endpoint } from "../vendor.ts";
import { findTask, videoOf } from "./tasks.ts";

/** Creates the endpoint of finished videos. The first group of the path is the task. */
export function videoEndpoint(path: RegExp): Endpoint {
  return {
    method: "GET",
    path,
    open({ groups: [id = ""] }) {
      const task = findTask(id);
      const film = task && videoOf(task);
      if (film === undefined) throw new Refusal(404, "File not found.");
      return { whole: () => ({}), file: () => film };
    },
  };
}

const path = /^\/files\/([^/]+)\.mp4$/;

/** File host of finished videos. */
export const videoHost = videoEndpoint(path);

/** Returns true for a path of the file host, which requires no key. */
export function isVideoPath(requestPath: string): boolean {
  return path.test(requestPath);
}

/** Returns the address of a task's video. `address` is that of the vendor. */
export function videoAddress(address: string, taskId: string): string {
  return `${address}/files/${taskId}.mp4`;
}
