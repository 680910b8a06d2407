import type { Suite } from "@modelgate/testkit";
import { keys } from "../../../../libs/relay/test/config.ts";

/** A browser's half of control's API: its cookie, and where its pages are from. */
export interface Browserlike {
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** An answer of control's API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: any;
  readonly error: any;
}

/** Asks control's API with these headers. */
export async function askControl(
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

/** Signs in by a link or by name and password, as a browser does. */
export async function signIn(suite: Suite, credentials: object): Promise<Browserlike & { readonly answer: Answer }> {
  const origin = suite.controlUrl;
  const answer = await askControl(suite, "POST", "/session", { body: credentials, headers: { origin } });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { ...browserWith(suite, cookie), answer };
}

/** A browser that has a cookie. */
export function browserWith(suite: Suite, cookie: string): Browserlike {
  const origin = suite.controlUrl;
  return {
    cookie,
    get: (path) => askControl(suite, "GET", path, { headers: { cookie } }),
    post: (path, body = {}, headers = {}) =>
      askControl(suite, "POST", path, { body, headers: { cookie, origin, ...headers } }),
  };
}

/** Signs in by a link that is made for this. */
export async function signInByLink(
  suite: Suite,
  role: "admin" | "operator" | "viewer",
  account?: string,
): Promise<Browserlike & { readonly answer: Answer }> {
  const words = ["operator", "link", "--role", role, "--name", `${role} by link`];
  const { url } = await suite.ask<{ url: string }>(...words, ...(account === undefined ? [] : ["--account", account]));
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
