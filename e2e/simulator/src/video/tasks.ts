import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { ServedFile } from "../core/serve-file.ts";
import { freshId } from "../core/ids.ts";
import { mp4Of } from "./mp4.ts";

/** What a vendor was asked to make. */
export interface AskedVideo {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

/** A task at a simulated vendor. */
export interface SimulatedTask extends AskedVideo {
  readonly id: string;
  readonly createdAt: number;
  /** What the prompt's directive asks for. */
  readonly behaviour: Behaviour;
  looks: number;
}

/** How far a task is. */
export type Phase =
  | { readonly state: "queued" | "completed" }
  | { readonly state: "in_progress"; readonly progress: number }
  | { readonly state: "failed"; readonly message: string };

const maxTasks = 200_000;
const usualLooks = 2;
const tasks = new Map<string, SimulatedTask>();

/** The behaviour that a prompt asks for. Throws a Refusal for an invalid directive. */
export function directiveOf(prompt: string): Behaviour {
  const found = directiveIn(prompt);
  if (found === undefined) return {};
  if ("wrong" in found) throw new Refusal(400, `The directive is wrong: ${found.wrong}`, { path: ["prompt"] });
  return found.behaviour;
}

/** Takes a task; states move with the looks at it. */
export function takeTask(prefix: string, asked: AskedVideo): SimulatedTask {
  const behaviour = directiveOf(asked.prompt);
  const task = { ...asked, id: freshId(prefix), createdAt: Date.now(), behaviour, looks: 0 };
  const [oldest] = tasks.keys();
  if (tasks.size >= maxTasks && oldest !== undefined) tasks.delete(oldest);
  tasks.set(task.id, task);
  return task;
}

/** A task by its id; undefined where there is none. */
export function findTask(id: string): SimulatedTask | undefined {
  return tasks.get(id);
}

/** Looks at a task, which moves it on: queued, then in progress, then its end. */
export function lookAt(task: SimulatedTask): Phase {
  task.looks++;
  return phaseOf(task);
}

/** How far a task is, without moving it. */
export function phaseOf({ looks, behaviour }: SimulatedTask): Phase {
  const needed = behaviour.looks ?? usualLooks;
  if (looks >= needed)
    return behaviour.taskError === undefined
      ? { state: "completed" }
      : { state: "failed", message: behaviour.taskError };
  return looks <= 1 ? { state: "queued" } : { state: "in_progress", progress: Math.floor((looks * 100) / needed) };
}

/** The video of a finished task; undefined where it is not there (any more). */
export function videoOf(task: SimulatedTask): ServedFile | undefined {
  if (phaseOf(task).state !== "completed" || task.behaviour.expired === true) return undefined;
  return { bytes: filmOf(task), contentType: "video/mp4" };
}

/** What a task makes. */
export function filmOf(task: SimulatedTask): Buffer {
  const words = withoutDirective(task.prompt);
  return mp4Of({ ...task, words, minBytes: task.behaviour.bodyBytes });
}

/** Sides of a video, by the pixels of the shorter one and a ratio such as 16:9. */
export function sidesOf(lines: number, ratio: string): { readonly width: number; readonly height: number } {
  const [across = 16, down = 9] = ratio.split(":").map(Number);
  const longer = Math.round((lines * Math.max(across, down)) / Math.min(across, down));
  return across < down ? { width: lines, height: longer } : { width: longer, height: lines };
}
