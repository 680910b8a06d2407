import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./places.mjs";

/** Runs a program; its output is shown only where it fails. Throws with the given sentence. */
export function run(command, args, sentence, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status === 0) return stdout;
  const words = [stdout, stderr, error?.message].filter(Boolean).join("\n").trim().split("\n").slice(-15).join("\n");
  throw new Error(`${sentence}\n${words}`);
}

/** What a program prints, or undefined where it is not there or fails. */
export function ask(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** A program on PATH or in the folders that users' PATH leaves out. */
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
