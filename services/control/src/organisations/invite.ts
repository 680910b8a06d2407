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

/** Link that signs in an invited person once; null if the person has access already and signs in as before. */
interface InviteLink {
  readonly url: string | null;
  readonly expiresAt: string | null;
}

/**
 * Creates a person, and the link with which the person signs in. A person who exists without a password gets a new
 * link, and the person's earlier links and sessions end: who made or used them must not get the new access too. Throws
 * Failure (409) if the name belongs to somebody with other access, (403) if the caller does not administer everything
 * that the person may access.
 */
export async function inviteOf(
  { people, sessions, consoleUrl }: InviteDeps,
  invited: Operator & { readonly account: string },
  { actor, operator }: Pick<OperatorCall, "actor" | "operator">,
  administersAll: () => boolean,
): Promise<InviteLink> {
  const { name, role, account } = invited;
  const known = await people.find(name);
  if (known !== undefined && known.account !== account)
    throw new Failure("invalid_value", `The name ${JSON.stringify(name)} is taken.`, { param: "name", status: 409 });
  if (known === undefined) await people.create({ name, role, account, password: undefined }, actor);
  else if (!administersAll())
    throw new Failure("permission_denied", "This person is in other teams too; ask an admin of the organisation.");
  else if (known.disabled || known.hasPassword) return { url: null, expiresAt: null };
  else await sessions.revoke(name);
  const { link, expiresAt } = await sessions.makeLink({ name, role, account }, operator.name);
  // In the fragment, which browsers do not send, so that no log contains it.
  const path = `/console/sign-in#${link}`;
  return { url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
}
