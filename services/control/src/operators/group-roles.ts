import { StartError, operatorRoles, type Operator } from "@modelgate/platform";

/** Role of a group's members at the identity provider. */
export interface GroupRole {
  readonly group: string;
  readonly role: Operator["role"];
  /** Account in which the role is valid; undefined for all. */
  readonly account: string | undefined;
}

/** Parses OIDC_ROLES: comma-separated `group=role` or `group=role@account`. Throws StartError if it is invalid. */
export function readGroupRoles(text: string): readonly GroupRole[] {
  return text
    .split(",")
    .map((row) => row.trim())
    .filter((row) => row !== "")
    .map((row) => {
      const [, group = "", word = "", account] = /^(.+)=([a-z]+)(?:@([\w.~-]+))?$/.exec(row) ?? [];
      const role = operatorRoles.find((candidate) => candidate === word);
      if (role === undefined || (account !== undefined && role === "admin"))
        throw new StartError(
          `OIDC_ROLES: ${JSON.stringify(row)} is not group=role or group=role@account; roles are ${operatorRoles.join(", ")}, and the role admin cannot be limited to an account.`,
        );
      return { group, role, account };
    });
}

/** Returns the highest role of a person's groups. A role in all accounts precedes one in a single account. */
export function roleOf(groups: readonly string[], roles: readonly GroupRole[]): GroupRole | undefined {
  const rank = ({ role, account }: GroupRole): number =>
    operatorRoles.indexOf(role) + (account === undefined ? operatorRoles.length : 0);
  return roles.filter(({ group }) => groups.includes(group)).toSorted((one, other) => rank(other) - rank(one))[0];
}
