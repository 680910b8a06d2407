import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { onInterrupt, signalGroup, throwIfInterrupted } from "./interrupt.mjs";
import { root } from "./places.mjs";

/** Maximum ms for a program to end after a signal. */
const killAfterMs = 2_000;

/** Runs a program, and returns its output. Throws an error with the sentence and the last output. */
export async function run(command, args, sentence, options = {}) {
  const { status, stdout, stderr } = await finished(command, args, options);
  if (status === 0) return stdout;
  const words = [stdout, stderr].filter(Boolean).join("\n").trim().split("\n").slice(-15).join("\n");
  throw new Error(`${sentence}\n${words}`);
}

/** Returns the output of a program; undefined if it does not exist or fails. */
export async function ask(command, args) {
  const { status, stdout } = await finished(command, args);
  return status === 0 ? stdout.trim() : undefined;
}

/** Runs a program to its end, in a separate process group. An interruption ends the whole group. */
async function finished(command, args, options = {}) {
  throwIfInterrupted();
  const ended = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: true, ...options });
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (chunk) => (output[stream] += chunk));
    let killTimer;
    const removeListener = onInterrupt(() => {
      signalGroup(child.pid, "SIGTERM");
      killTimer ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), killAfterMs);
    });
    const end = (status) => {
      clearTimeout(killTimer);
      removeListener();
      resolve({ status, ...output });
    };
    child.once("error", (error) => {
      output.stderr += error.message;
      end(undefined);
    });
    child.once("close", end);
  });
  throwIfInterrupted();
  return ended;
}

/** Returns the path of a program on PATH or in system folders. */
export function onPath(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
