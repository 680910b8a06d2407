import type { IncomingMessage } from "node:http";

const sessionName = "modelgate_session";
/** Name of the cookie during a sign-in at an OpenID provider. */
const signInName = "modelgate_sign_in";
const signInSeconds = 600;

/**
 * Cookies of the console, which scripts cannot read. The prefix `__Host-` stops neighbouring hosts from setting them.
 */
export class ConsoleCookies {
  readonly #prefix: string;
  readonly #attributes: string;

  /** Creates the cookies. `consoleUrl` is the address for browsers. */
  constructor(consoleUrl: string | undefined) {
    const isSecure = consoleUrl?.startsWith("https:") === true;
    this.#prefix = isSecure ? "__Host-" : "";
    this.#attributes = `Path=/; HttpOnly${isSecure ? "; Secure" : ""}`;
  }

  findSession(headers: IncomingMessage["headers"]): string | undefined {
    return this.#find(headers, sessionName);
  }

  /** Returns the header that sets the session cookie. Browsers do not send it with requests from other sites. */
  setSession(session: string): string {
    return `${this.#prefix}${sessionName}=${session}; ${this.#attributes}; SameSite=Strict`;
  }

  /** Header that deletes the session cookie. */
  get forgetSession(): string {
    return `${this.setSession("")}; Max-Age=0`;
  }

  /** Returns the state of a sign-in that the browser has started at a provider. */
  findSignIn(headers: IncomingMessage["headers"]): string | undefined {
    return this.#find(headers, signInName);
  }

  /**
   * Returns the header that stores the state of a sign-in. SameSite is Lax, because the browser returns from the
   * provider's site.
   */
  setSignIn(signIn: string): string {
    return `${this.#signInCookie(signIn)}; Max-Age=${signInSeconds}`;
  }

  /** Header that deletes the state of a sign-in. */
  get forgetSignIn(): string {
    return `${this.#signInCookie("")}; Max-Age=0`;
  }

  #signInCookie(signIn: string): string {
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
