import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "@modelgate/contracts";
import { operatorRoles, AnswerWithHeaders, type Operator, type OperatorRoutes } from "@modelgate/platform";
import { fields } from "../api/fields.ts";
import type { People } from "../operators/people.ts";
import type { SignInLimits } from "../operators/sign-in-limits.ts";
import type { ConsoleCookies } from "./cookie.ts";
import type { Sessions, SignedIn } from "./sessions.ts";

/** Dependencies of the session routes. */
export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly people: People;
  readonly limits: SignInLimits;
  readonly cookies: ConsoleCookies;
  /** Address of the console for browsers. */
  readonly consoleUrl: string | undefined;
  /** True if an OpenID provider is configured. */
  readonly hasProvider: boolean;
  /** Returns the address of the calling browser. */
  readonly addressOf: (call: { readonly headers: IncomingHttpHeaders; readonly address: string }) => string;
}

/** Routes of sign-ins, sign-in links and sessions. */
export function sessionRoutes(deps: SessionRouteDeps): OperatorRoutes {
  const { sessions, people, limits, cookies, consoleUrl } = deps;
  const signInByPassword = async (body: unknown, address: string): Promise<SignedIn> => {
    const [name, password] = [fields.text(body, "name"), fields.text(body, "password")];
    return limits.run({ address, name }, async () => {
      // Read before the password is checked, so that the session is refused if the person is disabled meanwhile.
      const permissionVersions = await sessions.permissionVersions.of([name]);
      return { operator: await people.findByPassword(name, password), permissionVersions };
    });
  };
  /** Signs in with a link. Its secret cannot be guessed, so attempts are not limited. */
  const signInByLink = async (link: string): Promise<SignedIn> => {
    const signedIn = await sessions.signInByLink(link);
    if (await people.isDisabled(signedIn.operator.name))
      throw new Failure("invalid_api_key", "This operator is disabled.");
    return signedIn;
  };
  return {
    "POST /sign-in-links": async ({ body, operator: maker }) => {
      const role = fields.optionalWord(body, "role", operatorRoles) ?? "admin";
      const name = fields.optionalText(body, "name") === undefined ? "operator" : fields.newOperatorName(body, "name");
      const account = fields.optionalText(body, "account");
      const { link, expiresAt } = await sessions.makeLink({ name, role, account }, maker.name);
      // Browsers do not send the fragment, so no log contains the secret.
      const path = `/console/sign-in#${link}`;
      return { url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
    },
    "GET /sign-in-ways": async () => ({ provider: deps.hasProvider }),
    "POST /session": async ({ body, headers, address: peer }) => {
      const address = deps.addressOf({ headers, address: peer });
      const link = fields.optionalText(body, "link");
      const signedIn = link === undefined ? await signInByPassword(body, address) : await signInByLink(link);
      const session = await sessions.begin(signedIn, address, cookies.findSession(headers));
      return new AnswerWithHeaders(sessionView(signedIn.operator), { "set-cookie": cookies.setSession(session) });
    },
    "GET /session": async ({ operator }) => sessionView(operator),
    "POST /session/end": async ({ headers }) => {
      const session = cookies.findSession(headers);
      if (session !== undefined) await sessions.end(session);
      return new AnswerWithHeaders({}, { "set-cookie": cookies.forgetSession });
    },
    "GET /sessions": () => sessions.list(),
    "POST /sessions/{id}/end": async ({ params }) => ({ ended: await sessions.endById(params["id"] ?? "") }),
  };
}

function sessionView({ name, role, account, email }: Operator) {
  return { name, role, account: account ?? null, email: email ?? null };
}
