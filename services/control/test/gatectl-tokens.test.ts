import { expect, test } from "vitest";
import { CommandFailed, type Server } from "../src/gatectl/server.ts";
import { tokenCommands } from "../src/gatectl/tokens.ts";
import { runCommand } from "./run-command.ts";

const token = {
  id: "tok_1",
  accountId: "acme",
  group: "default",
  models: ["m"],
  disabled: false,
  hint: "sk-a…b",
  team: "search",
};

test.each([
  ["addresses", { allowedAddresses: ["2001:db8::/32"] }, ["search", "2001:db8::/32"]],
  ["no addresses", {}, ["search", "all"]],
])("a token is shown with its team and with %s", async (_, limits, cells) => {
  const get: Server["get"] = async () => ({ ...token, ...limits });
  const { text } = await runCommand(tokenCommands, "token show", { positionals: ["tok_1"] }, { get });
  const [heads = "", row = ""] = text.split("\n");
  expect(heads.split(/ +/).slice(-2)).toEqual(["TEAM", "ADDRESSES"]);
  expect(row.trimEnd().split(/ +/).slice(-2)).toEqual(cells);
});

test.each([
  ["gets no answer", undefined, true],
  ["fails at the server", "server_overloaded", true],
  ["is refused", "invalid_value", false],
])("a rotation that %s says whether the key may have been replaced: %s %s", async (_, code, isNamed) => {
  const post: Server["post"] = async () => {
    throw new CommandFailed("It failed.", { code });
  };
  const message = await runCommand(tokenCommands, "token rotate", { positionals: ["tok_1"] }, { post }).then(
    () => expect.unreachable(),
    String,
  );
  expect(message.includes("see `gatectl token show tok_1`")).toBe(isNamed);
});
