import { expect, test } from "vitest";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { sourceProblems, type AllowedSources } from "../../src/configuration/sources.ts";
import { stringify } from "yaml";

const environment = {
  SIMULATOR_URL: "http://127.0.0.1:1",
  EVIL_HOST: "evil.example",
  AWS_REGION: "eu-central-1",
};
const allowed: AllowedSources = {
  keysFolder: "/keys",
  variables: new Set(["NAMED", "SIMULATOR_URL"]),
  internalAddresses: ["redis://127.0.0.1:15432"],
};
const openai = "https://api.openai.com/v1";
const evil = "https://evil.example/v1";

interface Written {
  readonly id?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly keys?: readonly string[];
  readonly proxy?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function configurationOf(channel: Written) {
  const channels = [{ id: "one", provider: "openai", models: ["m"], ...channel }];
  const { configuration, problems } = parseConfiguration(
    stringify({ groups: { default: { models: ["*"] } }, models: { m: { kind: "chat" } }, channels }),
  );
  if (configuration === undefined) throw new Error(JSON.stringify(problems));
  return configuration;
}

function problemsOf(after: Written, before?: Written, sources = allowed): readonly string[] {
  const check = { ...sources, environment, before: before && configurationOf(before) };
  return sourceProblems(configurationOf(after), check).map(({ path, message }) => `${path} ${message}`);
}

test.each<[string, Written, Written?]>([
  ["an entered key", { baseUrl: evil, keys: ["sk-theirs"] }],
  ["the vendor's usual variable at its own address", { baseUrl: openai, keys: ["env:OPENAI_API_KEY"] }],
  [
    "the usual variable in a region of the vendor",
    { baseUrl: "https://eu.api.openai.com/v1", keys: ["env:OPENAI_API_KEY"] },
  ],
  ["no key and no address: the vendor's defaults", {}],
  ["a variable that the operator names", { baseUrl: evil, keys: ["env:NAMED"] }],
  ["a file in the folder", { baseUrl: openai, keys: ["file:/keys/openai"] }],
  ["an operator's server", { provider: "vllm", baseUrl: "http://10.0.0.1:8000/v1", keys: ["env:VLLM_API_KEY"] }],
  ["an address with a region", { provider: "bedrock", baseUrl: "https://bedrock-runtime.${AWS_REGION}.amazonaws.com" }],
  ["another region", { provider: "bedrock", baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com" }],
  ["a path at an address of a variable", { baseUrl: "${SIMULATOR_URL}/v1", keys: ["k"] }],
  [
    "the channel's existing key, at its address",
    { baseUrl: `${evil}/more`, keys: ["env:ODD", "file:/etc/x", "kept:a"] },
    { baseUrl: evil, keys: ["kept:a", "file:/etc/x", "env:ODD"] },
  ],
  [
    "the channel's existing unusual address",
    { baseUrl: "https://${EVIL_HOST}/v1", keys: ["k"] },
    { baseUrl: "https://${EVIL_HOST}/v1", keys: ["k"] },
  ],
  ["a proxy in the operator's network", { proxy: "http://10.0.0.1:3128" }],
  ["a proxy of a variable that the operator names", { proxy: "env:NAMED" }],
  ["a header of a variable that the operator names", { headers: { "x-tenant": "env:NAMED" } }],
  ["the channel's kept header", { headers: { "x-t": "kept:a" } }, { headers: { "x-tenant": "kept:a" } }],
  ["the channel's existing header", { headers: { "x-t": "env:ODD" } }, { headers: { "x-tenant": "env:ODD" } }],
  ["the channel's existing proxy", { proxy: "env:ODD" }, { proxy: "env:ODD" }],
  [
    "another proxy with a kept key, which TLS hides from it",
    { baseUrl: openai, keys: ["kept:a"], proxy: "http://p.example" },
    { baseUrl: openai, keys: ["kept:a"] },
  ],
])("%s is allowed", (_, after, before) => {
  expect(problemsOf(after, before)).toEqual([]);
});

const again = "enter the key again";
test.each<[string, Written, string, Written?]>([
  [
    "a variable of modelgate",
    { baseUrl: evil, keys: ["env:MODELGATE_SECRET"] },
    "channels[0].keys[0] names MODELGATE_SECRET",
  ],
  ["another variable of modelgate", { baseUrl: evil, keys: ["env:BOOKS_URL"] }, "channels[0].keys[0] names BOOKS_URL"],
  [
    "a variable in an address",
    { baseUrl: "https://evil.example/${MODELGATE_SECRET}", keys: ["k"] },
    "channels[0].baseUrl names MODELGATE_SECRET",
  ],
  ["a file of the data folder", { baseUrl: evil, keys: ["file:/data/secret"] }, "is not a file below /keys"],
  ["a path out of the folder", { baseUrl: evil, keys: ["file:/keys/../data/secret"] }, "is not a file below /keys"],
  [
    "a folder next to the allowed one",
    { baseUrl: evil, keys: ["file:/keys-of-others/a"] },
    "is not a file below /keys",
  ],
  [
    "a vendor's key at another address",
    { baseUrl: evil, keys: ["env:OPENAI_API_KEY"] },
    "its vendor's own address only",
  ],
  [
    "a vendor's key at another address, without a named key",
    { baseUrl: evil },
    "channels[0].keys is sent to its vendor's own address only",
  ],
  [
    "a vendor's key at a host with a similar end",
    { baseUrl: "https://evilopenai.com/v1", keys: ["env:OPENAI_API_KEY"] },
    "own address only",
  ],
  [
    "a vendor's key without TLS",
    { baseUrl: "http://api.openai.com/v1", keys: ["env:OPENAI_API_KEY"] },
    "own address only",
  ],
  ["another vendor's key", { provider: "vllm", baseUrl: evil, keys: ["env:OPENAI_API_KEY"] }, "own address only"],
  [
    "the cloud's credential chain at another address",
    { provider: "vertex", baseUrl: "https://evil.example/v1/projects/p/locations/l", keys: ["google"] },
    "own address only",
  ],
  [
    "a kept key of another channel",
    { baseUrl: openai, keys: ["kept:a"] },
    again,
    { id: "two", baseUrl: openai, keys: ["kept:a"] },
  ],
  ["a kept key at another origin", { baseUrl: evil, keys: ["kept:a"] }, again, { baseUrl: openai, keys: ["kept:a"] }],
  [
    "a kept key at another port",
    { baseUrl: "https://api.openai.com:8443/v1", keys: ["kept:a"] },
    again,
    { keys: ["kept:a"] },
  ],
  [
    "a seed's key at another origin",
    { baseUrl: evil, keys: ["env:ODD"] },
    "names ODD",
    { baseUrl: openai, keys: ["env:ODD"] },
  ],
  ["a proxy of a variable of modelgate", { proxy: "env:REDIS_URL" }, "channels[0].proxy names REDIS_URL"],
  [
    "a header of a variable of modelgate",
    { headers: { "x-tenant": "env:MODELGATE_SECRET" } },
    "channels[0].headers.x-tenant names MODELGATE_SECRET",
  ],
  [
    "the channel's existing header, at another address",
    { baseUrl: evil, keys: ["k"], headers: { "x-tenant": "env:ODD" } },
    "channels[0].headers.x-tenant names ODD",
    { keys: ["k"], headers: { "x-tenant": "env:ODD" } },
  ],
  [
    "a kept header at another address",
    { baseUrl: evil, keys: ["k"], headers: { "x-tenant": "kept:a" } },
    "channels[0].headers.x-tenant was entered for another channel or address: enter its value again",
    { keys: ["k"], headers: { "x-tenant": "kept:a" } },
  ],
  ["a store as a proxy", { proxy: "socks5://127.0.0.1:6379" }, "channels[0].proxy has port 6379"],
  ["the cloud's credentials as a proxy", { proxy: "http://169.254.169.254" }, "channels[0].proxy is a link-local"],
  [
    "another proxy that would read a kept key",
    { baseUrl: "http://plain.example/v1", keys: ["kept:a"], proxy: "http://p.example" },
    again,
    { baseUrl: "http://plain.example/v1", keys: ["kept:a"] },
  ],
  [
    "a link-local address",
    { baseUrl: "http://169.254.169.254/v1", keys: ["k"] },
    "channels[0].baseUrl is a link-local address",
  ],
  ["a port of a store", { baseUrl: "http://127.0.0.1:6379/v1", keys: ["k"] }, "channels[0].baseUrl has port 6379"],
  [
    "the port of this gateway's store",
    { baseUrl: "http://10.0.0.1:15432/v1", keys: ["k"] },
    "channels[0].baseUrl has port 15432",
  ],
])("%s is refused", (_, after, expected, before) => {
  expect(problemsOf(after, before).join()).toContain(expected);
});

test("without a folder no file is allowed", () => {
  const sources = { keysFolder: undefined, variables: new Set<string>(), internalAddresses: [] };
  expect(problemsOf({ keys: ["file:/keys/openai"] }, undefined, sources).join()).toContain("CONFIG_KEYS_FOLDER");
});
