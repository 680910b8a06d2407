import { expect, test } from "vitest";
import { parseConfiguration } from "./read.ts";
import { resolveChannels } from "./resolve.ts";

/** A channel as it is with some variables set. */
async function resolved(baseUrl: string, names: Readonly<Record<string, string>>) {
  const { configuration } = parseConfiguration(
    `{ groups: {}, models: { m: { kind: chat } }, channels: [{ id: c, provider: openai, baseUrl: "${baseUrl}", keys: [k], models: [m] }] }`,
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  const [channel] = await resolveChannels(configuration, names);
  return { baseUrl: channel?.baseUrl, off: channel?.off };
}

test("an address is filled in from the environment", async () => {
  expect(await resolved("${AT}/v1", { AT: "https://v.example" })).toEqual({ baseUrl: "https://v.example/v1" });
});

test.each([
  ["${AT}/v1", {}, /^AT is not set$/],
  ["${AT}/v1", { AT: "v.example" }, /base URL is no URL/],
  ["${AT}/v1", { AT: "https://user:canary@v.example" }, /base URL holds a name or a password/],
  ["https://v.example${AT}", { AT: "/v1?key=canary" }, /base URL has a query/],
])("with the address %s of %j a channel is off, and a secret in it is not shown", async (written, names, why) => {
  const { off, ...shown } = await resolved(written, names);
  expect(off).toMatch(why);
  expect(JSON.stringify({ off, ...shown })).not.toContain("canary");
});
