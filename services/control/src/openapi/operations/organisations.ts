import { Type } from "typebox";
import { teamRoles } from "../../organisations/access.ts";
import * as shape from "../shapes.ts";
import { emptyObject, optionalName, text, type Operation } from "../operation.ts";

const role = Type.Optional(Type.Enum([...teamRoles]));

/** Operations on organisations, their teams and members, and on the members of an account. */
export const organisationOperations: Readonly<Record<string, Operation>> = {
  "GET /organisations": {
    summary: "List organisations with their teams and members.",
    area: "organisations",
    role: "viewer",
    member: "handler",
    teams: true,
    answer: Type.Array(shape.Organisation),
  },
  "POST /organisations": {
    summary: "Create an organisation.",
    area: "organisations",
    role: "operator",
    body: Type.Object({ id: text, name: optionalName }),
    answer: shape.Organisation,
  },
  "GET /organisations/{id}": {
    summary: "Show an organisation. People of teams see their teams and the members of these.",
    area: "organisations",
    role: "viewer",
    member: "organisation",
    teams: true,
    answer: shape.Organisation,
  },
  "POST /organisations/{id}": {
    summary: "Rename an organisation.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    body: Type.Object({ name: text }),
    answer: shape.Organisation,
  },
  "POST /organisations/{id}/delete": {
    summary: "Delete an organisation without teams and admins. Its accounts stay.",
    area: "organisations",
    role: "operator",
    body: emptyObject,
    answer: emptyObject,
  },
  "POST /organisations/{id}/teams/{team}": {
    summary: "Rename a team.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    body: Type.Object({ name: text }),
    answer: shape.Organisation,
  },
  "POST /organisations/{id}/teams/{team}/delete": {
    summary:
      "Delete a team without members and budgets that never had a key. If an operator of the gateway deletes the last team for which its account pays, the account leaves the organisation.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    body: emptyObject,
    answer: Type.Object({ accountReleased: Type.Boolean() }),
  },
  "POST /organisations/{id}/teams": {
    summary:
      "Create a team whose calls an account pays for. Operators choose any account without another organisation, which then belongs to this one; admins choose an account of the organisation.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    body: Type.Object({ id: text, name: optionalName, account: text }),
    answer: shape.Organisation,
  },
  "POST /organisations/{id}/members": {
    summary:
      "Invite a person, or change a person's role in a team; without a team, the person becomes an admin of the organisation. A new person gets a link that signs in once.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    teams: true,
    body: Type.Object({ name: text, team: optionalName, role }),
    answer: shape.Invitation,
  },
  "POST /organisations/{id}/members/{name}/remove": {
    summary: "Remove a person from a team, or without a team from the admins of the organisation. Keys stay.",
    area: "organisations",
    role: "operator",
    member: "organisation",
    teams: true,
    body: Type.Object({ team: optionalName }),
    answer: emptyObject,
  },
  "GET /accounts/{id}/members": {
    summary: "List the members of an account, who see all of it.",
    area: "organisations",
    role: "viewer",
    member: "path",
    answer: Type.Array(shape.AccountMember),
  },
  "POST /accounts/{id}/members": {
    summary: "Invite a member of an account, with a link that signs in once.",
    area: "organisations",
    role: "operator",
    body: Type.Object({ name: text, role: Type.Optional(shape.Role) }),
    answer: shape.AccountInvitation,
  },
};
