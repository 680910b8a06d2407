import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator();
});
afterAll(() => started[Symbol.asyncDispose]());

const now = Math.floor(Date.now() / 1_000);
const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Creates a token without the gateway's code. */
function tokenOf(claims: object, secret = "access-secret"): string {
  const words = `${base64Json({ alg: "HS256", typ: "JWT" })}.${base64Json({ iss: "access", exp: now + 60, nbf: now - 5, ...claims })}`;
  return `${words}.${createHmac("sha256", secret).update(words).digest("base64url")}`;
}

const path = "/kling/v1/videos/text2video";
const videoRequest = { model_name: "film", prompt: "A boat" };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test.each([
  ["no token", "", 1001],
  ["a token of another secret", tokenOf({}, "another"), 1002],
  ["a refused access key", tokenOf({ iss: "bad-access" }, "bad-access-secret"), 1002],
  ["a token with invalid claims", "head.claims.signature", 1002],
  ["a token that is not valid yet", tokenOf({ nbf: now + 60 }), 1003],
  ["a token that has expired", tokenOf({ exp: now - 60 }), 1004],
])("%s is refused with the vendor's message", async (_, token, code) => {
  expect(await started.post(path, videoRequest, bearer(token))).toMatchObject({ status: 401, body: { code } });
});

test("a task runs at the first poll, is done at the second, and its video needs no key", async () => {
  const { body } = await started.post(path, videoRequest, bearer(tokenOf({})));
  const id: string = body.data.task_id;
  const poll = async (): Promise<any> =>
    (await fetch(`${started.url}${path}/${id}`, { headers: bearer(tokenOf({})) })).json();
  expect((await poll()).data.task_status).toBe("submitted");
  const { data } = await poll();
  expect(data.task_status).toBe("succeed");
  const film = await fetch(data.task_result.videos[0].url);
  expect([film.status, film.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(Buffer.from(await film.arrayBuffer()).toString("latin1", 4, 8)).toBe("ftyp");
});

test("a task fails, or its video expires, if the prompt requests that", async () => {
  const ended = async (behaviour: object): Promise<any> => {
    const prompt = simulate({ polls: 1, ...behaviour });
    const { body } = await started.post(path, { ...videoRequest, prompt }, bearer(tokenOf({})));
    return (await fetch(`${started.url}${path}/${body.data.task_id}`, { headers: bearer(tokenOf({})) })).json();
  };
  expect((await ended({ taskError: "too wet" })).data).toMatchObject({
    task_status: "failed",
    task_status_msg: "too wet",
  });
  const { data } = await ended({ expired: true });
  expect((await fetch(data.task_result.videos[0].url)).status).toBe(404);
});
