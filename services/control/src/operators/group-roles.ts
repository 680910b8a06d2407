import { StartError, operatorRoles, type Operator } from "@modelgate/platform";

/** Role that the members of a group at the identity provider have. */
export interface GroupRole {
  readonly group: string;
  readonly role: Operator["role"];
  /** Account in which the role is valid; undefined means all accounts. */
  readonly account: string | undefined;
}

/**
 * Parses OIDC_ROLES: comma-separated `group=role` or `group=role@account`. Throws StartError for anything else, and for
 * an admin of an account.
 */
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
          `OIDC_ROLES: ${JSON.stringify(row)} is not group=role or group=role@account; roles are ${operatorRoles.join(", ")}, and no account has an admin.`,
        );
      return { group, role, account };
    });
}

/**
 * Returns the highest role that a person's groups have; undefined if they have none. A role in all accounts precedes
 * any role in a single account.
 */
export function roleOf(groups: readonly string[], roles: readonly GroupRole[]): GroupRole | undefined {
  const rank = ({ role, account }: GroupRole): number =>
    operatorRoles.indexOf(role) + (account === undefined ? operatorRoles.length : 0);
  return roles.filter(({ group }) => groups.includes(group)).toSorted((one, other) => rank(other) - rank(one))[0];
}
