import { field } from "../field.ts";
import { CommandFailed } from "./command-failed.ts";
import type { Command } from "./command.ts";

/** Those who operate the gateway through the console. */
export const operatorCommands: readonly Command[] = [
  {
    name: "operator link",
    summary: "Make a link that signs in to the console once, within ten minutes.",
    positionals: [],
    options: {
      name: "what the console calls them, operator where absent",
      role: "viewer, operator or admin; admin where absent",
    },
    example: "gatectl operator link --role viewer --name ada",
    async run({ options: { name, role } }, server) {
      const made = await server.post("/sign-in-links", { name, role });
      const link = field(made, "url");
      if (typeof link !== "string") throw new CommandFailed("The server made no link.");
      const url = new URL(link, await server.address()).href;
      return { data: { url, expiresAt: field(made, "expiresAt") }, text: url };
    },
  },
];
