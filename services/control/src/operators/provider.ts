import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Configuration } from "openid-client";
import type { Logger, Operator } from "@modelgate/platform";
import { cookieIn, sessionCookie, setSession } from "../console/cookie.ts";
import type { Sessions } from "../console/sessions.ts";
import { readGroupRoles, roleOf, type GroupRole } from "./group-roles.ts";
import type { People } from "./people.ts";

/** How an OpenID provider is set up. */
export interface ProviderSettings {
  readonly issuer: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly groupsClaim: string;
  readonly roles: string;
}

/** What signing in through a provider works with. */
export interface ProviderDeps {
  readonly sessions: Sessions;
  readonly people: Pick<People, "isDisabled">;
  readonly consoleUrl: string | undefined;
  readonly log: Logger;
}

/** An OpenID provider that people sign in with. */
export interface Provider {
  /** Sends a browser to the provider. */
  begin(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes a browser back from there, signed in or with what was refused. */
  end(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The two addresses of the sign-in; the second is registered at the provider. */
const beginPath = "/session/provider";
const endPath = "/session/provider/callback";
/** What a browser keeps between the two, s. */
const flowCookie = "modelgate_sign_in";
const flowSeconds = 600;

/** Opens the way to a provider; undefined where none is set up. Throws StartError for roles that cannot be read. */
export function openProvider(settings: ProviderSettings, deps: ProviderDeps): Provider | undefined {
  const { issuer } = settings;
  return issuer === undefined ? undefined : new OpenIdProvider({ ...settings, issuer }, deps);
}

/** Serves the two addresses of a provider's sign-in and hands every other request on. */
export function withProvider(api: RequestListener, provider: Provider | undefined): RequestListener {
  if (provider === undefined) return api;
  return (request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET" || (path !== beginPath && path !== endPath)) return api(request, response);
    void (path === beginPath ? provider.begin(request, response) : provider.end(request, response));
  };
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
        redirect_uri: this.#at(request, endPath).href,
        scope: "openid profile email",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      // Lax: the browser comes back from another site, and must still have it.
      const flow = `${flowCookie}=${[state, nonce, verifier].join(".")}; Path=${beginPath}; HttpOnly; SameSite=Lax; Max-Age=${flowSeconds}${this.#secure}`;
      response.writeHead(302, { location: to.href, "set-cookie": flow }).end();
    } catch (error) {
      this.#refuse(response, "The provider does not answer.", error);
    }
  }

  async end(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const operator = await this.#identify(request);
      if (operator === undefined) return this.#refuse(response, "None of your groups has a role here.");
      if (await this.#deps.people.isDisabled(operator.name)) return this.#refuse(response, "You may not sign in here.");
      const before = sessionCookie(request.headers);
      const session = await this.#deps.sessions.begin(operator, request.socket.remoteAddress ?? "", before);
      const forget = `${flowCookie}=; Path=${beginPath}; HttpOnly; SameSite=Lax; Max-Age=0`;
      const cookies = [setSession(session, this.#secure !== ""), forget];
      response.writeHead(302, { location: "/console/", "set-cookie": cookies }).end();
    } catch (error) {
      this.#refuse(response, "The provider did not sign you in.", error);
    }
  }

  /** Who came back; undefined where none of their groups has a role. Rejects where the provider's answer does not hold. */
  async #identify(request: IncomingMessage): Promise<Operator | undefined> {
    const client = await import("openid-client");
    const [expectedState = "", expectedNonce = "", pkceCodeVerifier = ""] = (
      cookieIn(request.headers, flowCookie) ?? ""
    ).split(".");
    if (expectedState === "") throw new Error("the browser brings no sign-in that began here");
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(configuration, this.#at(request, request.url ?? ""), {
      expectedState,
      expectedNonce,
      pkceCodeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("the provider gave no ID token");
    const { groupsClaim } = this.#settings;
    // Many providers have groups in the user's information only.
    const more = Object.hasOwn(claims, groupsClaim)
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
    const found = roleOf(textsIn(all[groupsClaim]), this.#roles);
    if (found === undefined) return undefined;
    const [name = claims.sub] = [all["email"], all["preferred_username"]].filter((word) => typeof word === "string");
    return { name: name.slice(0, 100), role: found.role, account: found.account };
  }

  #configuration(): Promise<Configuration> {
    return (this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined; // asked again with the next sign-in
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

  #at({ headers: { host = "localhost" } }: IncomingMessage, path: string): URL {
    return new URL(path, this.#deps.consoleUrl ?? `http://${host}`);
  }

  get #secure(): string {
    return this.#deps.consoleUrl?.startsWith("https:") === true ? "; Secure" : "";
  }

  #refuse(response: ServerResponse, say: string, cause?: unknown): void {
    this.#deps.log.warn({ err: cause }, `sign-in through the provider refused: ${say}`);
    response.writeHead(302, { location: `/console/sign-in?problem=${encodeURIComponent(say)}` }).end();
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
