import type { IncomingMessage } from "node:http";

const sessionName = "modelgate_session";
/** Cookie that a browser keeps while it is at an OpenID provider, and its lifetime, s. */
const signInName = "modelgate_sign_in";
const signInSeconds = 600;

/**
 * The cookies of the console. Scripts cannot read them. Behind https their names have the prefix `__Host-`: a browser takes
 * those from this very host over https alone, so no neighbouring host can plant one.
 */
export class ConsoleCookies {
  readonly #prefix: string;
  readonly #attributes: string;

  /** `consoleUrl`: where browsers reach the console, if not at its own plain address. */
  constructor(consoleUrl: string | undefined) {
    const isSecure = consoleUrl?.startsWith("https:") === true;
    this.#prefix = isSecure ? "__Host-" : "";
    this.#attributes = `Path=/; HttpOnly${isSecure ? "; Secure" : ""}`;
  }

  /** The session's secret that a browser sends; undefined where it sends none. */
  session(headers: IncomingMessage["headers"]): string | undefined {
    return this.#find(headers, sessionName);
  }

  /** The header that gives a browser its session: other sites' pages do not send it. */
  setSession(session: string): string {
    return `${this.#prefix}${sessionName}=${session}; ${this.#attributes}; SameSite=Strict`;
  }

  /** The header that makes a browser forget its session. */
  get forgetSession(): string {
    return `${this.setSession("")}; Max-Age=0`;
  }

  /** The sign-in through a provider that a browser has begun. */
  signIn(headers: IncomingMessage["headers"]): string | undefined {
    return this.#find(headers, signInName);
  }

  /** The header that has a browser keep a sign-in. Lax: it comes back from another site, and must still have it. */
  setSignIn(signIn: string): string {
    return `${this.#signIn(signIn)}; Max-Age=${signInSeconds}`;
  }

  /** The header that makes a browser forget its sign-in. */
  get forgetSignIn(): string {
    return `${this.#signIn("")}; Max-Age=0`;
  }

  #signIn(signIn: string): string {
    return `${this.#prefix}${signInName}=${signIn}; ${this.#attributes}; SameSite=Lax`;
  }

  #find({ cookie = "" }: IncomingMessage["headers"], name: string): string | undefined {
    const start = `${this.#prefix}${name}=`;
    const pair = cookie
      .split(";")
      .map((each) => each.trim())
      .find((each) => each.startsWith(start));
    return pair?.slice(start.length);
  }
}
