import { findAccount, listAccountIds, listTokens, makeToken, newKey, type Token } from "@modelgate/accounts";
import { readPublishedConfiguration } from "@modelgate/catalog";
import { Failure, withoutUndefined } from "@modelgate/contracts";
import type { Operator, OperatorCall, OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { memberName } from "../organisations/access.ts";
import { requireOrganisation } from "../organisations/routes.ts";
import { fields } from "./fields.ts";
import { boundingKeyCandidates, sharedBudget } from "./member-limits.ts";
import { deleteExpiredKeys, lifetimeSeconds, makePlaygroundKey, rememberKeys } from "./playground-keys.ts";
import { checkNames } from "./tokens.ts";

/** Account that pays for a person's playground, and the team whose budgets apply. */
interface PayingAccount {
  readonly account: string;
  readonly team: string | null;
}

/** Routes of the console's playground. */
export function playgroundRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  return {
    "GET /playground/accounts": ({ operator }) => accountsOf(redis, ledger, operator),
    "POST /playground/key": async (call) => {
      const { operator, actor } = call;
      const person = operator.name;
      const { id: _, ...made } = await makePlaygroundKey({ redis, ledger }, { person, actor }, () =>
        createPlaygroundToken(redis, ledger, call),
      );
      return made;
    },
  };
}

interface PlaygroundKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string;
  readonly account: string;
  readonly team: string | null;
  readonly group: string;
}

/** Makes a key for a playground. It replaces the key of the person's token with the same account, team and group. */
async function createPlaygroundToken(redis: Redis, ledger: Ledger, call: OperatorCall): Promise<PlaygroundKey> {
  const { body, operator, actor } = call;
  const { account, team } = await chosenAccount(redis, ledger, call);
  const tokens = await listTokens(redis, account);
  const settings = await settingsOfNewKey(redis, tokens, { operator, team, group: fields.optionalText(body, "group") });
  const key = newKey();
  const { digest, token: newToken } = makeToken(key, {
    ...settings,
    accountId: account,
    name: `Playground ${operator.email ?? operator.name}`,
  });
  const personsKeys = tokens.filter(
    (token) => token.playgroundOf === operator.name && token.team === team && token.group === settings.group,
  );
  // Stored before the key exists, so that a simultaneous sign-out ends the key.
  await rememberKeys(redis, operator.name, [newToken.id, ...personsKeys.map(({ id }) => id)]);
  // Without `max`, because the number of playground keys is not limited.
  const { token } = await ledger.createToken(
    { digest, token: withoutUndefined({ ...newToken, playgroundOf: operator.name, ...settings.ofMember }) },
    actor,
  );
  if (token.disabled)
    throw new Failure("permission_denied", "Your key of the playground is disabled; ask an admin to enable it.");
  await deleteExpiredKeys(
    ledger,
    tokens.filter(({ id }) => id !== token.id),
    actor,
  );
  const { group, expiresAt } = settings;
  return { id: token.id, key, expiresAt, account, team: team ?? null, group };
}

/** Lists the accounts and teams that may pay for a person's playground. */
async function accountsOf(
  redis: Redis,
  ledger: Ledger,
  { account, access }: Operator,
): Promise<readonly PayingAccount[]> {
  if (account === undefined) return (await listAccountIds(redis)).map((id) => ({ account: id, team: null }));
  if (access === undefined) return [{ account, team: null }];
  const teams = access.teams ?? (await requireOrganisation(ledger, access.organisation)).teams;
  return teams.map((team) => ({ account: team.account, team: team.id }));
}

/** Returns the account and team of a request. Throws Failure (400) if the caller does not have them. */
async function chosenAccount(
  redis: Redis,
  ledger: Ledger,
  { body, operator }: OperatorCall,
): Promise<{ readonly account: string; readonly team: string | undefined }> {
  const [account, team] = [fields.text(body, "account"), fields.optionalText(body, "team")];
  const isKnown =
    operator.account === undefined
      ? team === undefined && (await findAccount(redis, account)) !== undefined
      : (await accountsOf(redis, ledger, operator)).some(
          (each) => each.account === account && each.team === (team ?? null),
        );
  if (isKnown) return { account, team };
  throw new Failure("invalid_value", `You cannot make calls for ${JSON.stringify((team ?? account).slice(0, 100))}.`, {
    param: team === undefined ? "account" : "team",
  });
}

type PlaygroundKeySettings = Pick<Token, "allowedAddresses" | "budget" | "group" | "member" | "models" | "team"> & {
  readonly expiresAt: string;
  readonly ofMember: Pick<Token, "ofMember" | "within">;
};

/**
 * Returns the settings of a playground's new key. A member's key is bounded by an operator's key; an operator's key has
 * only a group.
 */
async function settingsOfNewKey(
  redis: Redis,
  tokens: readonly Token[],
  {
    operator,
    team,
    group,
  }: { readonly operator: Operator; readonly team: string | undefined; readonly group: string | undefined },
): Promise<PlaygroundKeySettings> {
  const end = Date.now() + lifetimeSeconds * 1_000;
  const keys = boundingKeyCandidates(tokens, { team });
  if (operator.account === undefined) {
    await checkNames(redis, { group });
    const first = group ?? keys[0]?.group ?? Object.keys((await readPublishedConfiguration(redis))?.groups ?? {})[0];
    if (first === undefined) throw new Failure("invalid_value", "There is no group yet.", { param: "group" });
    return { group: first, expiresAt: new Date(end).toISOString(), ofMember: {} };
  }
  const bound = keys.find((key) => group === undefined || key.group === group);
  if (bound === undefined)
    throw new Failure(
      "invalid_value",
      "The account has no key from an operator in this group: name another one, or ask an operator to create one.",
      { param: "group" },
    );
  const { models, allowedAddresses, budget } = bound;
  return {
    group: bound.group,
    models,
    allowedAddresses,
    budget,
    expiresAt: new Date(Math.min(end, Date.parse(bound.expiresAt ?? new Date(end).toISOString()))).toISOString(),
    team,
    member: memberName(team, operator),
    ofMember: { ofMember: true, within: sharedBudget(bound) },
  };
}
