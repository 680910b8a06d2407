import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { ServedFile } from "../core/serve-file.ts";
import { freshId } from "../core/ids.ts";
import { mp4Of } from "./mp4.ts";

export interface VideoRequest {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

/** Video task, with the number of its polls. */
export interface SimulatedTask extends VideoRequest {
  readonly id: string;
  readonly createdAt: number;
  readonly behaviour: Behaviour;
  polls: number;
}

/** State of a task after its polls so far. */
export type Phase =
  | { readonly state: "queued" | "completed" }
  | { readonly state: "in_progress"; readonly progress: number }
  | { readonly state: "failed"; readonly message: string };

const maxTasks = 200_000;
const defaultPolls = 2;
const tasks = new Map<string, SimulatedTask>();

/** Returns the behaviour that a prompt requests. Throws a Refusal if it is invalid. */
export function directiveOf(prompt: string): Behaviour {
  const found = directiveIn(prompt);
  if (found === undefined) return {};
  if ("wrong" in found) throw new Refusal(400, `The directive is wrong: ${found.wrong}`, { path: ["prompt"] });
  return found.behaviour;
}

/** Creates a task. Polls change its state. */
export function createTask(prefix: string, request: VideoRequest): SimulatedTask {
  const behaviour = directiveOf(request.prompt);
  const task = { ...request, id: freshId(prefix), createdAt: Date.now(), behaviour, polls: 0 };
  const [oldest] = tasks.keys();
  if (tasks.size >= maxTasks && oldest !== undefined) tasks.delete(oldest);
  tasks.set(task.id, task);
  return task;
}

/** Returns a task of any vendor and API key. */
export function findTask(id: string): SimulatedTask | undefined {
  return tasks.get(id);
}

/** Polls a task, which changes its phase. */
export function poll(task: SimulatedTask): Phase {
  task.polls++;
  return phaseOf(task);
}

export function phaseOf({ polls, behaviour }: SimulatedTask): Phase {
  const needed = behaviour.polls ?? defaultPolls;
  if (polls >= needed)
    return behaviour.taskError === undefined
      ? { state: "completed" }
      : { state: "failed", message: behaviour.taskError };
  return polls <= 1 ? { state: "queued" } : { state: "in_progress", progress: Math.floor((polls * 100) / needed) };
}

/** Returns the video of a task; undefined if it is not completed, or has expired. */
export function videoOf(task: SimulatedTask): ServedFile | undefined {
  if (phaseOf(task).state !== "completed" || task.behaviour.expired === true) return undefined;
  return { bytes: videoBytesOf(task), contentType: "video/mp4" };
}

/** Creates the video of a task, even if it is not completed. */
export function videoBytesOf(task: SimulatedTask): Buffer {
  const words = withoutDirective(task.prompt);
  return mp4Of({ ...task, words, minBytes: task.behaviour.bodyBytes });
}

/** Returns the sides of a video from its shorter side and a ratio such as 16:9. */
export function sidesOf(lines: number, ratio: string): { readonly width: number; readonly height: number } {
  const [across = 16, down = 9] = ratio.split(":").map(Number);
  const longer = Math.round((lines * Math.max(across, down)) / Math.min(across, down));
  return across < down ? { width: lines, height: longer } : { width: longer, height: lines };
}
