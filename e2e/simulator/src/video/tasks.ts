import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { ServedFile } from "../core/serve-file.ts";
import { freshId } from "../core/ids.ts";
import { mp4Of } from "./mp4.ts";

/** Properties of a requested video, independent of the vendor. */
export interface VideoRequest {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

/** Video task of a simulated vendor, with the number of its polls (`looks`). */
export interface SimulatedTask extends VideoRequest {
  readonly id: string;
  readonly createdAt: number;
  /** Behaviour that the prompt's directive requests. */
  readonly behaviour: Behaviour;
  looks: number;
}

/** State of a task after its polls so far, with its progress or its error. */
export type Phase =
  | { readonly state: "queued" | "completed" }
  | { readonly state: "in_progress"; readonly progress: number }
  | { readonly state: "failed"; readonly message: string };

const maxTasks = 200_000;
const defaultPolls = 2;
const tasks = new Map<string, SimulatedTask>();

/** Returns the behaviour that a prompt requests. Throws a Refusal for an invalid directive. */
export function directiveOf(prompt: string): Behaviour {
  const found = directiveIn(prompt);
  if (found === undefined) return {};
  if ("wrong" in found) throw new Refusal(400, `The directive is wrong: ${found.wrong}`, { path: ["prompt"] });
  return found.behaviour;
}

/** Creates a task. Its state changes with the polls. */
export function createTask(prefix: string, request: VideoRequest): SimulatedTask {
  const behaviour = directiveOf(request.prompt);
  const task = { ...request, id: freshId(prefix), createdAt: Date.now(), behaviour, looks: 0 };
  const [oldest] = tasks.keys();
  if (tasks.size >= maxTasks && oldest !== undefined) tasks.delete(oldest);
  tasks.set(task.id, task);
  return task;
}

/** Finds a task, whichever vendor and API key it belongs to; undefined for an unknown id. */
export function findTask(id: string): SimulatedTask | undefined {
  return tasks.get(id);
}

/** Polls a task, which advances it: queued, in progress, then its end. Returns its phase. */
export function poll(task: SimulatedTask): Phase {
  task.looks++;
  return phaseOf(task);
}

/** Returns the phase of a task without advancing it. */
export function phaseOf({ looks, behaviour }: SimulatedTask): Phase {
  const needed = behaviour.looks ?? defaultPolls;
  if (looks >= needed)
    return behaviour.taskError === undefined
      ? { state: "completed" }
      : { state: "failed", message: behaviour.taskError };
  return looks <= 1 ? { state: "queued" } : { state: "in_progress", progress: Math.floor((looks * 100) / needed) };
}

/** Returns the video of a task; undefined if the task has not completed, or if its video has expired. */
export function videoOf(task: SimulatedTask): ServedFile | undefined {
  if (phaseOf(task).state !== "completed" || task.behaviour.expired === true) return undefined;
  return { bytes: videoBytesOf(task), contentType: "video/mp4" };
}

/** Creates the video of a task, even if the task has not finished. */
export function videoBytesOf(task: SimulatedTask): Buffer {
  const words = withoutDirective(task.prompt);
  return mp4Of({ ...task, words, minBytes: task.behaviour.bodyBytes });
}

/** Returns the width and height of a video from the pixels of its shorter side and a ratio such as 16:9. */
export function sidesOf(lines: number, ratio: string): { readonly width: number; readonly height: number } {
  const [across = 16, down = 9] = ratio.split(":").map(Number);
  const longer = Math.round((lines * Math.max(across, down)) / Math.min(across, down));
  return across < down ? { width: lines, height: longer } : { width: longer, height: lines };
}
