import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { configCommands } from "../src/gatectl/config.ts";
import type { Server } from "../src/gatectl/server.ts";
import { runCommand } from "./run-command.ts";

const file = fileURLToPath(import.meta.url);

async function importFile(options: Readonly<Record<string, string>>): Promise<unknown> {
  const bodies: unknown[] = [];
  const post: Server["post"] = async (_path, body) => {
    bodies.push(body);
    return { version: 8, problems: [], warnings: [], copy: null };
  };
  await runCommand(configCommands, "config import", { positionals: [file], options }, { post });
  return bodies[0];
}

test("an import names the version that its file is based on", async () => {
  expect(await importFile({ "based-on": "7" })).toMatchObject({ basedOn: 7 });
  expect(await importFile({})).toMatchObject({ basedOn: undefined });
  await expect(importFile({ "based-on": "v7" })).rejects.toThrow("--based-on must be the number of a version");
});
