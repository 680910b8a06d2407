import { text as readAll } from "node:stream/consumers";
import { field } from "../field.ts";
import { CommandFailed } from "./server.ts";
import { requiredPositional, positionalInPath, type Command, type Output } from "./command.ts";
import { fieldCell, renderTable, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["NAME", fieldCell("name")],
  ["ROLE", fieldCell("role")],
  ["ACCOUNT", fieldCell("account")],
  ["PASSWORD", (row) => (field(row, "hasPassword") === true ? "set" : "-")],
  ["STATE", (row) => (field(row, "disabled") === true ? "disabled" : "active")],
];

const keyColumns: readonly Column[] = [
  ["ID", fieldCell("id")],
  ["NAME", fieldCell("name")],
  ["ROLE", fieldCell("role")],
  ["ACCOUNT", fieldCell("account")],
  ["KEY", fieldCell("hint")],
];

const role = "viewer, operator or admin (default: viewer)";
const account = "create a member of this account, who sees and manages only it";
const passwordFrom = "`-`: reads the password from stdin; other users could see it on the command line";

const listOperators = (data: unknown): Output => ({ data, text: renderTable(data, columns, "no operators") });

async function passwordIn(option: string | undefined): Promise<string | undefined> {
  if (option === undefined) return undefined;
  if (option !== "-") throw new CommandFailed("--password accepts only `-`: pipe the password into stdin.");
  return (await readAll(process.stdin)).replace(/\r?\n$/, "");
}

/** Commands for operators of the gateway. */
export const operatorCommands: readonly Command[] = [
  {
    name: "operator link",
    summary: "Create a link that signs in to the console once, within ten minutes.",
    positionals: [],
    options: {
      name: "name in the console (default: operator)",
      role: "viewer, operator or admin (default: admin)",
      account: "sign in a member of this account",
    },
    example: "gatectl operator link --role viewer --name ada",
    async run({ options: { name, role: wanted, account: of } }, server) {
      const created = await server.post("/sign-in-links", { name, role: wanted, account: of });
      const link = field(created, "url");
      if (typeof link !== "string") throw new CommandFailed("The server did not create a link.");
      const url = new URL(link, await server.address()).href;
      return { data: { url, expiresAt: field(created, "expiresAt") }, text: url };
    },
  },
  {
    name: "operator create",
    summary: "Create an operator with a name and a password.",
    positionals: ["NAME"],
    options: { role, account, password: passwordFrom },
    example: "echo $PASSWORD | gatectl operator create ada --role admin --password -",
    async run(args, server) {
      const { role: wanted, account: of, password } = args.options;
      const name = requiredPositional(args, 0, "NAME");
      const body = { name, role: wanted, account: of, password: await passwordIn(password) };
      return listOperators(await server.post("/operators", body));
    },
  },
  {
    name: "operator list",
    summary: "List operators and members of accounts.",
    positionals: [],
    options: {},
    example: "gatectl operator list",
    run: async (_, server) => listOperators(await server.get("/operators")),
  },
  {
    name: "operator set",
    summary: "Change an operator's role or password, and end their sessions.",
    positionals: ["NAME"],
    options: { role: "viewer, operator or admin", password: passwordFrom },
    example: "gatectl operator set ada --role viewer",
    async run(args, server) {
      const { role: wanted, password } = args.options;
      const body = { role: wanted, password: await passwordIn(password) };
      return listOperators(await server.post(`/operators/${positionalInPath(args, 0, "NAME")}`, body));
    },
  },
  ...(["disable", "enable"] as const).map((verb): Command => ({
    name: `operator ${verb}`,
    summary: verb === "disable" ? "Disable an operator and end their sessions." : "Enable an operator.",
    positionals: ["NAME"],
    options: {},
    example: `gatectl operator ${verb} ada`,
    run: async (args, server) =>
      listOperators(
        await server.post(`/operators/${positionalInPath(args, 0, "NAME")}`, { disabled: verb === "disable" }),
      ),
  })),
  {
    name: "operator-key create",
    summary: "Create an automation key. It is shown once.",
    positionals: ["NAME"],
    options: { role, account },
    example: "gatectl operator-key create terraform --role operator",
    async run(args, server) {
      const body = {
        name: requiredPositional(args, 0, "NAME"),
        role: args.options["role"],
        account: args.options["account"],
      };
      const data = await server.post("/operator-keys", body);
      return { data, text: `${renderTable(data, keyColumns, "")}\n\n${String(field(data, "key"))}` };
    },
  },
  {
    name: "operator-key list",
    summary: "List automation keys.",
    positionals: [],
    options: {},
    example: "gatectl operator-key list",
    async run(_, server) {
      const data = await server.get("/operator-keys");
      return { data, text: renderTable(data, keyColumns, "no automation keys") };
    },
  },
  {
    name: "operator-key delete",
    summary: "Delete an automation key.",
    positionals: ["ID"],
    options: {},
    example: "gatectl operator-key delete opk_0123456789abcdef",
    async run(args, server) {
      const data = await server.post(`/operator-keys/${positionalInPath(args, 0, "ID")}/delete`);
      return { data, text: "deleted" };
    },
  },
];
