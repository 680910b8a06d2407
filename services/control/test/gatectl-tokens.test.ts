import { expect, test } from "vitest";
import type { Server } from "../src/gatectl/server.ts";
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
