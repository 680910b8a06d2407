import { operatorRoles } from "@modelgate/platform";
import { Type } from "typebox";
import { teamRoles } from "../organisations/access.ts";

/** Schema of a text. */
const text = Type.String();
const nullable = Type.Union([text, Type.Null()]);

export const Role = Type.Enum([...operatorRoles]);

export const Session = Type.Object({ name: text, role: Role, account: nullable, email: nullable });
export const OpenSession = Type.Object({
  id: text,
  name: text,
  role: Role,
  account: nullable,
  email: nullable,
  since: text,
  from: text,
});
export const Person = Type.Object({
  name: text,
  role: Role,
  account: nullable,
  email: nullable,
  hasPassword: Type.Boolean(),
  disabled: Type.Boolean(),
  createdAt: text,
});
const operatorKey = {
  id: text,
  name: text,
  role: Role,
  account: nullable,
  hint: text,
  createdAt: text,
};
export const OperatorKey = Type.Object(operatorKey);
export const NewOperatorKey = Type.Object({ ...operatorKey, key: text });

const teamRole = Type.Enum([...teamRoles]);
const teamMember = Type.Object({ name: text, role: teamRole });
const mayAdminister = Type.Boolean({ description: "true if the caller may change it and its members" });
export const Team = Type.Object({
  id: text,
  name: text,
  account: text,
  createdAt: text,
  mayAdminister,
  members: Type.Array(teamMember),
});
export const Organisation = Type.Object({
  id: text,
  name: text,
  createdAt: text,
  mayAdminister,
  accounts: Type.Array(text),
  admins: Type.Array(text),
  teams: Type.Array(Team),
});
const invite = {
  url: Type.Union([text, Type.Null()], {
    description: "link that signs in once; null if the person has access already",
  }),
  expiresAt: nullable,
};
export const Invitation = Type.Object({ name: text, team: nullable, role: teamRole, ...invite });
export const AccountMember = Type.Object({
  name: text,
  role: Role,
  email: nullable,
  disabled: Type.Boolean(),
});
export const AccountInvitation = Type.Object({ name: text, role: Role, ...invite });
