import { Failure } from "@modelgate/contracts";
import type { Operator, OperatorCall } from "@modelgate/platform";
import type { Sessions } from "../console/sessions.ts";
import type { People } from "../operators/people.ts";

/** Dependencies of invitations. */
export interface InviteDeps {
  readonly people: People;
  readonly sessions: Sessions;
  /** Address of the console for browsers, if it differs from the listening address. */
  readonly consoleUrl: string | undefined;
}

/** Role of an invited person, and the link that signs the person in once; null if the person signs in as before. */
interface InviteLink {
  readonly role: Operator["role"];
  readonly url: string | null;
  readonly expiresAt: string | null;
}

/** Access that an invitation gives. */
export interface InvitedAccess {
  /**
   * Returns whether the caller administers everything that the person may access now. `isNew` is true if the invitation
   * creates the person.
   */
  administersAll(isNew: boolean): Promise<boolean>;
  grant(): Promise<void>;
}

/**
 * Creates a person, gives the access, and makes the link with which the person signs in. A person who exists gets a new
 * link too, unless the person is disabled or has a password. Before a link is made, the person's earlier links and
 * sessions end, because whoever made or used them must not get the new access. The access is given before they end, and
 * checked again after the link is made, because another admin may give the person more access at the same time. Throws
 * Failure (409) if the name belongs to a person outside of this organisation or account, (403) if the caller does not
 * administer everything that the person may access, (400) for the name `operator`.
 */
export async function inviteOf(
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
  await grant();
  if (existing !== undefined && (existing.disabled || existing.hasPassword)) {
    // The invitation may have reduced the person's rights, for example those of an admin.
    await sessions.endKeys(name);
    return { role, url: null, expiresAt: null };
  }
  await sessions.revoke(name);
  const { link, expiresAt } = await sessions.makeLink({ name, role, account }, operator.name);
  if (!(await administersAll(existing === undefined))) {
    await sessions.revoke(name);
    throw refused;
  }
  // The secret is in the fragment, which browsers do not send, so no log contains it.
  const path = `/console/sign-in#${link}`;
  return { role, url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
}
