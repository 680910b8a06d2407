import { field } from "../field.ts";
import { positionalInPath, requiredPositional, type Arguments, type Command, type Output } from "./command.ts";
import type { Server } from "./server.ts";
import { fieldCell, renderTable, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ORGANISATION", fieldCell("id")],
  ["NAME", fieldCell("name")],
  ["ACCOUNTS", fieldCell("accounts")],
  ["ADMINS", fieldCell("admins")],
  ["TEAMS", (row) => namesOf(field(row, "teams"), "id")],
];

const teamColumns: readonly Column[] = [
  ["TEAM", fieldCell("id")],
  ["NAME", fieldCell("name")],
  ["ACCOUNT", fieldCell("account")],
  ["MEMBERS", (row) => membersText(field(row, "members"))],
];

const memberColumns: readonly Column[] = [
  ["NAME", fieldCell("name")],
  ["ROLE", fieldCell("role")],
  ["TEAM", fieldCell("team")],
];

function namesOf(rows: unknown, name: string): string {
  return Array.isArray(rows) && rows.length > 0 ? rows.map((row) => fieldCell(name)(row)).join(", ") : "-";
}

function membersText(rows: unknown): string {
  if (!Array.isArray(rows) || rows.length === 0) return "-";
  return rows.map((row) => `${fieldCell("name")(row)} (${fieldCell("role")(row)})`).join(", ");
}

const showOrganisations = (data: unknown): Output => ({ data, text: renderTable(data, columns, "no organisations") });
const showTeams = (data: unknown): Output => ({
  data,
  text: renderTable(field(data, "teams"), teamColumns, "no teams"),
});

async function showInvitation(invitation: unknown, server: Server): Promise<Output> {
  const link = field(invitation, "url");
  const url = typeof link === "string" ? new URL(link, await server.address()).href : null;
  const data = typeof invitation === "object" ? { ...invitation, url } : { url };
  const next = url ?? "The person has access already and signs in as before.";
  return { data, text: `${renderTable(data, memberColumns, "")}\n\n${next}` };
}

const pathOf = (args: Arguments): string => `/organisations/${positionalInPath(args, 0, "ORGANISATION")}`;

const teamPathOf = (args: Arguments): string => `${pathOf(args)}/teams/${positionalInPath(args, 1, "TEAM")}`;

const team = "id of the team; without one, the person administers the organisation";

/** Commands for organisations, their teams and members, and for the members of an account. */
export const organisationCommands: readonly Command[] = [
  {
    name: "org create",
    summary: "Create an organisation.",
    positionals: ["ORGANISATION"],
    options: { name: "display name" },
    example: "gatectl org create acme --name 'Acme Inc.'",
    async run(args, server) {
      const body = { id: requiredPositional(args, 0, "ORGANISATION"), name: args.options["name"] };
      return showOrganisations(await server.post("/organisations", body));
    },
  },
  {
    name: "org list",
    summary: "List organisations.",
    positionals: [],
    options: {},
    example: "gatectl org list",
    run: async (_, server) => showOrganisations(await server.get("/organisations")),
  },
  {
    name: "org rename",
    summary: "Rename an organisation.",
    positionals: ["ORGANISATION", "NAME"],
    options: {},
    example: "gatectl org rename acme 'Acme Ltd.'",
    async run(args, server) {
      return showOrganisations(await server.post(pathOf(args), { name: requiredPositional(args, 1, "NAME") }));
    },
  },
  {
    name: "org delete",
    summary: "Delete an organisation without teams and admins. Its accounts stay.",
    positionals: ["ORGANISATION"],
    options: {},
    example: "gatectl org delete acme",
    run: async (args, server) => ({ data: await server.post(`${pathOf(args)}/delete`), text: "deleted" }),
  },
  {
    name: "org invite",
    summary: "Invite a person to a team or to the admins, or change the person's role; prints a link that works once.",
    positionals: ["ORGANISATION", "NAME"],
    options: { team, role: "member or admin (default: member)" },
    example: "gatectl org invite acme ada --team search --role admin",
    async run(args, server) {
      const { team: of, role = of === undefined ? "admin" : undefined } = args.options;
      const body = { name: requiredPositional(args, 1, "NAME"), team: of, role };
      return showInvitation(await server.post(`${pathOf(args)}/members`, body), server);
    },
  },
  {
    name: "org remove",
    summary: "Remove a person from a team or from the admins. The person's keys stay.",
    positionals: ["ORGANISATION", "NAME"],
    options: { team },
    example: "gatectl org remove acme ada --team search",
    async run(args, server) {
      const path = `${pathOf(args)}/members/${positionalInPath(args, 1, "NAME")}/remove`;
      return { data: await server.post(path, { team: args.options["team"] }), text: "removed" };
    },
  },
  {
    name: "team create",
    summary: "Create a team of an organisation, whose calls an account pays for.",
    positionals: ["ORGANISATION", "TEAM"],
    options: { "account!": "account that pays; teams may share one", name: "display name" },
    example: "gatectl team create acme search --account acme-wallet",
    async run(args, server) {
      const { account, name } = args.options;
      const body = { id: requiredPositional(args, 1, "TEAM"), account, name };
      return showTeams(await server.post(`${pathOf(args)}/teams`, body));
    },
  },
  {
    name: "team rename",
    summary: "Rename a team.",
    positionals: ["ORGANISATION", "TEAM", "NAME"],
    options: {},
    example: "gatectl team rename acme search 'Search and ranking'",
    async run(args, server) {
      return showTeams(await server.post(teamPathOf(args), { name: requiredPositional(args, 2, "NAME") }));
    },
  },
  {
    name: "team delete",
    summary:
      "Delete a team without members and budgets that never had a key. With its last team, an account leaves the organisation.",
    positionals: ["ORGANISATION", "TEAM"],
    options: {},
    example: "gatectl team delete acme search",
    async run(args, server) {
      const data = await server.post(`${teamPathOf(args)}/delete`);
      const isReleased = field(data, "accountReleased") === true;
      return { data, text: isReleased ? "deleted; its account has left the organisation" : "deleted" };
    },
  },
  {
    name: "team list",
    summary: "List the teams of an organisation with their members.",
    positionals: ["ORGANISATION"],
    options: {},
    example: "gatectl team list acme",
    run: async (args, server) => showTeams(await server.get(pathOf(args))),
  },
  {
    name: "account members",
    summary: "List the members of an account, who see all of it.",
    positionals: ["ID"],
    options: {},
    example: "gatectl account members acme",
    async run(args, server) {
      const data = await server.get(`/accounts/${positionalInPath(args, 0, "ID")}/members`);
      return { data, text: renderTable(data, memberColumns.slice(0, 2), "no members") };
    },
  },
  {
    name: "account invite",
    summary: "Invite a member of an account; prints a link that works once.",
    positionals: ["ID", "NAME"],
    options: { role: "viewer or operator (default: viewer)" },
    example: "gatectl account invite acme ada --role operator",
    async run(args, server) {
      const body = { name: requiredPositional(args, 1, "NAME"), role: args.options["role"] };
      return showInvitation(await server.post(`/accounts/${positionalInPath(args, 0, "ID")}/members`, body), server);
    },
  },
];
