import { expect, test } from "vitest";
import { field } from "../src/field.ts";
import { accountCommands } from "../src/gatectl/accounts.ts";
import { CommandFailed, type Server } from "../src/gatectl/server.ts";
import { runCommand } from "./run-command.ts";

const run = (name: string, args: Parameters<typeof runCommand>[2], server: Partial<Server>) =>
  runCommand(accountCommands, name, args, server);

test("a list of accounts has those of all pages", async () => {
  const ids = ["a", "b", "c"];
  const get: Server["get"] = async (_path, { after = "" } = {}) =>
    ids
      .filter((id) => id > after)
      .slice(0, 2)
      .map((id) => ({ id }));
  const all = ids.map((id) => ({ id }));
  expect((await run("account list", {}, { get })).data).toEqual(all);
  expect((await run("account list", { options: { after: "a" } }, { get })).data).toEqual(all.slice(1));
});

test.each([
  ["gets no answer", undefined, true],
  ["fails at the server", "internal_error", true],
  ["is refused", "invalid_value", false],
])("a top-up that %s names its operation id: %s %s", async (_, code, isNamed) => {
  const ids: unknown[] = [];
  const post: Server["post"] = async (_path, body) => {
    ids.push(field(body, "operationId"));
    throw new CommandFailed("It failed.", { code });
  };
  const message = await run("account top-up", { positionals: ["acme", "5"] }, { post }).then(
    () => expect.unreachable(),
    String,
  );
  expect(ids).toEqual([expect.stringMatching(/^[\w-]{36}$/)]);
  expect(message.includes(`--operation-id ${String(ids[0])}`)).toBe(isNamed);
});
