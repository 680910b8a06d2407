import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Configuration } from "openid-client";
import { createHash } from "node:crypto";
import { withoutUndefined } from "@modelgate/contracts";
import { clientAddress, type Logger, type Operator } from "@modelgate/platform";
import type { ConsoleCookies } from "../console/cookie.ts";
import type { Sessions } from "../console/sessions.ts";
import { readGroupRoles, roleOf, type GroupRole } from "./group-roles.ts";
import type { People } from "./people.ts";

/** Settings of an OpenID provider. */
export interface ProviderSettings {
  readonly issuer: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly groupsClaim: string;
  readonly roles: string;
}

/** Dependencies of the sign-in through an OpenID provider. */
export interface ProviderDeps {
  readonly sessions: Sessions;
  readonly people: Pick<People, "find" | "isDisabled" | "remember">;
  readonly cookies: ConsoleCookies;
  readonly consoleUrl: string | undefined;
  /** Number of proxies in front of the console. */
  readonly proxies: number;
  readonly log: Logger;
}

/** OpenID provider for sign-ins. */
export interface Provider {
  /** Redirects a browser to the provider. */
  begin(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Signs in the person who returns from the provider, or reports the refusal. */
  end(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const beginPath = "/session/provider";
const endPath = "/session/provider/callback";
const maxNameLength = 100;

/** Opens the provider, if one is configured. Throws StartError for invalid roles. */
export function openProvider(settings: ProviderSettings, deps: ProviderDeps): Provider | undefined {
  const { issuer } = settings;
  return issuer === undefined ? undefined : new OpenIdProvider({ ...settings, issuer }, deps);
}

/** Serves the paths of the provider's sign-in, and passes other requests to `api`. */
export function withProvider(api: RequestListener, provider: Provider | undefined): RequestListener {
  if (provider === undefined) return api;
  return (request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET" || (path !== beginPath && path !== endPath)) return api(request, response);
    void (path === beginPath ? provider.begin(request, response) : provider.end(request, response));
  };
}

/** Reason of a refusal, for which the console has a text. */
type SignInProblem = "provider_unavailable" | "provider_failed" | "no_role" | "not_permitted";

interface IdentifiedPerson {
  readonly name: string;
  /** Undefined if none of the person's groups has a role. */
  readonly operator: Operator | undefined;
  /** Unverified names. The person is refused if one of them is a disabled operator. */
  readonly otherNames: readonly string[];
}

class OpenIdProvider implements Provider {
  readonly #settings: ProviderSettings & { readonly issuer: string };
  readonly #deps: ProviderDeps;
  readonly #roles: readonly GroupRole[];
  #discovered: Promise<Configuration> | undefined;

  constructor(settings: ProviderSettings & { readonly issuer: string }, deps: ProviderDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#roles = readGroupRoles(settings.roles);
  }

  async begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const client = await import("openid-client");
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const to = client.buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: this.#urlOf(request, endPath).href,
        scope: "openid profile email",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const cookie = this.#deps.cookies.setSignIn([state, nonce, verifier].join("."));
      response.writeHead(302, { location: to.href, "set-cookie": cookie }).end();
    } catch (error) {
      this.#refuse(response, "provider_unavailable", error);
    }
  }

  async end(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { people, sessions, cookies } = this.#deps;
      const { name, operator, otherNames } = await this.#identify(request);
      if (operator === undefined) {
        if ((await people.find(name)) !== undefined) await sessions.revoke(name);
        return this.#refuse(response, "no_role");
      }
      const isDisabled = async (): Promise<boolean> => {
        const checks = await Promise.all([name, ...otherNames].map((each) => people.isDisabled(each)));
        return checks.includes(true);
      };
      if (await isDisabled()) return this.#refuse(response, "not_permitted");
      // Sessions end before the person is recorded, so that the next sign-in repeats a failed revocation.
      if (await this.#hadOtherAccess(operator)) await sessions.revoke(name);
      await people.remember(operator);
      // Read before the last check, so that the session is refused if the person is disabled meanwhile.
      const permissionVersions = await sessions.permissionVersions.of([name]);
      if (await isDisabled()) return this.#refuse(response, "not_permitted");
      const before = cookies.findSession(request.headers);
      const address = clientAddress(request, this.#deps.proxies);
      const session = await sessions.begin({ operator, permissionVersions }, address, before);
      response
        .writeHead(302, { location: "/console/", "set-cookie": [cookies.setSession(session), cookies.forgetSignIn] })
        .end();
    } catch (error) {
      this.#refuse(response, "provider_failed", error);
    }
  }

  /** Returns whether the books or an open session have another role or account of a person. */
  async #hadOtherAccess({ name, role, account }: Operator): Promise<boolean> {
    const { people, sessions } = this.#deps;
    const [known, open] = await Promise.all([people.find(name), sessions.list()]);
    const earlier = [known, ...open].filter((each) => each?.name === name);
    return earlier.some((each) => each?.role !== role || each.account !== (account ?? null));
  }

  /** Identifies the person who returned. Rejects an invalid answer of the provider. */
  async #identify(request: IncomingMessage): Promise<IdentifiedPerson> {
    const client = await import("openid-client");
    const [expectedState = "", expectedNonce = "", pkceCodeVerifier = ""] = (
      this.#deps.cookies.findSignIn(request.headers) ?? ""
    ).split(".");
    if (expectedState === "") throw new Error("the browser has no sign-in that started here");
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(configuration, this.#urlOf(request, request.url ?? ""), {
      expectedState,
      expectedNonce,
      pkceCodeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("the provider gave no ID token");
    const { groupsClaim } = this.#settings;
    // Many providers return groups only from the user-info endpoint.
    const userInfo = Object.hasOwn(claims, groupsClaim)
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    const all: Readonly<Record<string, unknown>> = { ...userInfo, ...claims };
    const found = roleOf(textsIn(all[groupsClaim]), this.#roles);
    const name = personNameOf(claims.iss, claims.sub);
    const emails = textsIn(all["email"]);
    const email = all["email_verified"] === true ? emails[0]?.slice(0, maxNameLength) : undefined;
    const operator = found && withoutUndefined({ name, role: found.role, account: found.account, email });
    return { name, operator, otherNames: [...emails, ...textsIn(all["preferred_username"])] };
  }

  #configuration(): Promise<Configuration> {
    return (this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined; // requested again at the next sign-in
      throw error;
    }));
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery } = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.startsWith("http:"); // on this machine, or in a mesh that encrypts
    return discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      undefined,
      isPlain ? { execute: [allowInsecureRequests] } : {},
    );
  }

  #urlOf({ headers: { host = "localhost" } }: IncomingMessage, path: string): URL {
    return new URL(path, this.#deps.consoleUrl ?? `http://${host}`);
  }

  #refuse(response: ServerResponse, problem: SignInProblem, cause?: unknown): void {
    this.#deps.log.warn({ err: cause }, `sign-in through the provider refused: ${problem}`);
    response.writeHead(302, { location: `/console/sign-in?problem=${problem}` }).end();
  }
}

/** Returns a name from issuer and subject, the only claims that identify a person permanently. */
function personNameOf(issuer: string, subject: string): string {
  const name = `oidc:${subject}@${issuer.replace(/^https?:\/\//, "")}`;
  return name.length <= maxNameLength ? name : `oidc:${createHash("sha256").update(name).digest("hex")}`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
