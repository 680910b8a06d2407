import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { authoriseBySession } from "../../src/console/authorise.ts";
import { ConsoleCookies } from "../../src/console/cookie.ts";

/** Role of visitors, who may sign in. */
const allowed = "viewer";

/** Returns the role of the caller of a sign-in, or the code of its refusal. */
async function signInFrom(origin: string, host: string, consoleUrl?: string): Promise<unknown> {
  const unused = (): never => {
    throw new Error("a sign-in needs no session");
  };
  const people = { findByKey: unused };
  const sessions = { find: unused };
  const authorise = authoriseBySession(
    { sessions, people, cookies: new ConsoleCookies(consoleUrl), env: { consoleUrl } },
    unused,
  );
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: "/session", headers: { origin, host } });
  return Promise.resolve(authorise(request)).then(
    ({ role }) => role,
    (error: unknown) => error instanceof Error && "code" in error && error.code,
  );
}

const consoleUrl = "https://console.example.com";

test.each([
  ["the host of the request", "http://control:8080", "control:8080", undefined, allowed],
  ["CONSOLE_URL behind a proxy with its own Host", consoleUrl, "control:8080", `${consoleUrl}/`, allowed],
  ["another site", "https://evil.example", "control:8080", consoleUrl, "permission_denied"],
  ["CONSOLE_URL without https", "http://console.example.com", "control:8080", consoleUrl, "permission_denied"],
  ["a sandboxed frame", "null", "control:8080", consoleUrl, "permission_denied"],
])("a change from %s", async (_, origin, host, url, answer) => {
  expect(await signInFrom(origin, host, url)).toBe(answer);
});
