import type { Suite } from "@modelgate/testkit";
import { keys } from "../../../../libs/relay/test/config.ts";

/** Client with the cookie and the origin of a browser. */
export interface BrowserClient {
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Answer of control's API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: any;
  readonly error: any;
}

/** Sends a request to control's API. */
export async function requestControl(
  suite: Suite,
  method: "GET" | "POST",
  path: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const answer = await fetch(suite.controlUrl + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  const { data, error }: { readonly data?: unknown; readonly error?: unknown } = isJson
    ? JSON.parse(text)
    : { data: text };
  return { status: answer.status, headers: answer.headers, data, error };
}

/** Signs in with a link or a password, as a browser does. */
export async function signIn(suite: Suite, credentials: object): Promise<BrowserClient & { readonly answer: Answer }> {
  const origin = suite.controlUrl;
  const answer = await requestControl(suite, "POST", "/session", { body: credentials, headers: { origin } });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { ...browserWith(suite, cookie), answer };
}

export function browserWith(suite: Suite, cookie: string): BrowserClient {
  const origin = suite.controlUrl;
  return {
    cookie,
    get: (path) => requestControl(suite, "GET", path, { headers: { cookie } }),
    post: (path, body = {}, headers = {}) =>
      requestControl(suite, "POST", path, { body, headers: { cookie, origin, ...headers } }),
  };
}

export async function signInByLink(
  suite: Suite,
  role: "admin" | "operator" | "viewer",
  account?: string,
): Promise<BrowserClient & { readonly answer: Answer }> {
  const args = ["operator", "link", "--role", role, "--name", `${role} by link`];
  const { url } = await suite.ask<{ url: string }>(...args, ...(account === undefined ? [] : ["--account", account]));
  return signIn(suite, { link: new URL(url).hash.slice(1) });
}

/** Sends a chat call to the edge of a suite. */
export function post({ edgeUrl }: Pick<Suite, "edgeUrl">, body: object, key: string = keys.demo): Promise<Response> {
  return fetch(`${edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
