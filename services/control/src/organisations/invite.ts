import { Failure } from "@modelgate/contracts";
import type { Operator, OperatorCall } from "@modelgate/platform";
import type { Sessions } from "../console/sessions.ts";
import type { People } from "../operators/people.ts";

/** Dependencies of invitations. */
export interface InviteDeps {
  readonly people: People;
  readonly sessions: Sessions;
  readonly consoleUrl: string | undefined;
}

/** Role and sign-in link of an invited person. Without a link, the person signs in as before. */
interface InviteLink {
  readonly role: Operator["role"];
  readonly url: string | null;
  readonly expiresAt: string | null;
}

/** Access that an invitation gives. */
export interface InvitedAccess {
  /**
   * Returns whether the caller administers all that the person may currently access. `isNew` is true if this invitation
   * created the person.
   */
  administersAll(isNew: boolean): Promise<boolean>;
  grant(): Promise<void>;
}

/**
 * Invites a person: creates the person if necessary, gives the access, and makes a sign-in link for a person who has no
 * password and is not disabled. Such a person's earlier links and sessions end, because other people who have them must
 * not get the new access. Rights are checked again afterwards, because another admin may have given more. Throws
 * Failure if the caller may not invite the person.
 */
export async function invitePerson(
  { people, sessions, consoleUrl }: InviteDeps,
  invited: Operator & { readonly account: string },
  { actor, operator }: Pick<OperatorCall, "actor" | "operator">,
  { administersAll, grant }: InvitedAccess,
): Promise<InviteLink> {
  const { name, account } = invited;
  if (name.toLowerCase() === "operator")
    throw new Failure("invalid_value", "name must not be `operator`, the name of operators' own links.", {
      param: "name",
    });
  const existing = await people.find(name);
  const role = existing?.role ?? invited.role;
  const refused = new Failure(
    "permission_denied",
    "This person has other access too; ask an admin of the organisation or of the gateway.",
  );
  if (existing !== undefined && existing.account !== account)
    throw new Failure("invalid_value", `The name ${JSON.stringify(name)} is taken.`, { param: "name", status: 409 });
  if (existing === undefined) await people.create({ name, role, account, password: undefined }, actor);
  else if (!(await administersAll(false))) throw refused;
  // The access is given before the earlier links end. In the other order, a link that is made between the two steps
  // would also give the new access.
  await grant();
  if (existing !== undefined && (existing.disabled || existing.hasPassword)) {
    // The invitation may have reduced the person's rights.
    await sessions.endKeys(name);
    return { role, url: null, expiresAt: null };
  }
  await sessions.revoke(name);
  const { link, expiresAt } = await sessions.makeLink({ name, role, account }, operator.name);
  if (!(await administersAll(existing === undefined))) {
    await sessions.revoke(name);
    throw refused;
  }
  // Browsers do not send the fragment, so no log contains the secret.
  const path = `/console/sign-in#${link}`;
  return { role, url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
}
