import { expect, test } from "vitest";
import { checkConfiguration } from "../../src/configuration/check.ts";

const validConfig = () => ({
  groups: { default: { multiplier: 1, models: ["*"], limits: { requestsPerMinute: 60 } } },
  models: { "gpt-x": { kind: "chat", price: { input: 2.5, output: 10 } } },
  channels: [
    {
      id: "main",
      provider: "openai",
      baseUrl: "https://vendor.example/v1",
      keys: ["env:KEY"],
      models: ["gpt-x"],
      groups: ["default"],
    },
  ],
  accounts: { demo: { balance: "10.00", tokens: [{ key: "sk-demo-12345678", group: "default" }] } },
});

test("a complete file is valid", () => {
  expect(checkConfiguration(validConfig()).problems).toBeUndefined();
  const accounts = {
    a: { balance: "0" },
    "a~ads": { balance: "0" },
    ["a".repeat(64)]: { balance: "999999999.999999999" },
  };
  expect(checkConfiguration({ ...validConfig(), accounts }).problems).toBeUndefined();
  const film = { kind: "video", price: { second: 0.3, resolutions: { "1024p": { second: 0.5 }, "1080p": {} } } };
  expect(checkConfiguration({ ...validConfig(), models: { ...validConfig().models, film } }).problems).toBeUndefined();
});

test.each([
  "http://p.example:3128",
  "https://p.example/",
  "socks5://[::1]:1080",
  "socks5h://p.example",
  "env:PROXY",
  "none",
])("the proxy %s is valid", (proxy) => {
  const { channels, ...file } = validConfig();
  expect(checkConfiguration({ ...file, channels: [{ ...channels[0], proxy }] }).problems).toBeUndefined();
  if (proxy !== "none") expect(checkConfiguration({ ...file, channels, proxy }).problems).toBeUndefined();
});

test.each<[string, (file: any) => void, string, RegExp]>([
  ["unknown field", (f) => (f.groups.default.colour = "red"), "groups.default.colour", /not a known field/],
  ["missing field", (f) => delete f.channels[0].provider, "channels[0].provider", /missing/],
  ["wrong kind", (f) => (f.models["gpt-x"].kind = "chatty"), "models.gpt-x.kind", /one of chat, completion/],
  [
    "a proxy with a password",
    (f) => (f.channels[0].proxy = "http://me:canary@p.example:3128"),
    "channels[0].proxy",
    /^has a user name or a password: put the whole address into a variable/,
  ],
  [
    "a proxy of another protocol",
    (f) => (f.channels[0].proxy = "ftp://p.example"),
    "channels[0].proxy",
    /not the address of a proxy/,
  ],
  ["a proxy with a path", (f) => (f.proxy = "http://p.example/proxy"), "proxy", /only a host and a port/],
  ["none as the default proxy", (f) => (f.proxy = "none"), "proxy", /not the address of a proxy/],
  [
    "a proxy with an invalid variable name",
    (f) => (f.channels[0].proxy = "env:A B"),
    "channels[0].proxy",
    /env: and the name of a variable/,
  ],
  [
    "an authentication header",
    (f) => (f.channels[0].headers = { Authorization: "canary" }),
    "channels[0].headers.Authorization",
    /^cannot be set: the gateway sets/,
  ],
  [
    "a length",
    (f) => (f.channels[0].headers = { "Content-Length": "3" }),
    "channels[0].headers.Content-Length",
    /cannot/,
  ],
  [
    "a header that changes the price",
    (f) => (f.channels[0].headers = { "Anthropic-Beta": "context-1m-2025-08-07" }),
    "channels[0].headers.Anthropic-Beta",
    /cannot/,
  ],
  ["a signature", (f) => (f.channels[0].headers = { "x-amz-date": "1" }), "channels[0].headers.x-amz-date", /cannot/],
  [
    "an invalid header name",
    (f) => (f.channels[0].headers = { "a b": "1" }),
    "channels[0].headers.a b",
    /not the name/,
  ],
  [
    "two lines",
    (f) => (f.channels[0].headers = { a: "1\ncanary" }),
    "channels[0].headers.a",
    /not allowed in a header/,
  ],
  [
    "a duplicate header",
    (f) => (f.channels[0].headers = { a: "1", A: "2" }),
    "channels[0].headers.A",
    /more than once/,
  ],
  ["negative price", (f) => (f.models["gpt-x"].price.input = -1), "models.gpt-x.price.input", /at least 0/],
  [
    "too many decimals in a price of longer calls",
    (f) => (f.models["gpt-x"].price.tiers = [{ above: 1, input: 1e-13 }]),
    "models.gpt-x.price.tiers[0].input",
    /decimal places/,
  ],
  [
    "two prices for one length",
    (f) => (f.models["gpt-x"].price.tiers = [{ above: 9 }, { above: 9 }]),
    "models.gpt-x.price.tiers[1].above",
    /twice: 9/,
  ],
  [
    "too many decimals in a factor",
    (f) => (f.models["gpt-x"].price.serviceTiers = { flex: 1e-10 }),
    "models.gpt-x.price.serviceTiers.flex",
    /9 decimal places/,
  ],
  [
    "too many decimals in a tool's price",
    (f) => (f.models["gpt-x"].price.tools = { webSearch: 1e-13 }),
    "models.gpt-x.price.tools.webSearch",
    /decimal places/,
  ],
  [
    "a tool without a price field",
    (f) => (f.models["gpt-x"].price.tools = { mcp: 1 }),
    "models.gpt-x.price.tools.mcp",
    /known field/,
  ],
  [
    "an unknown handling of unpriced units",
    (f) => (f.groups.default.unpriced = "ignore"),
    "groups.default.unpriced",
    /refuse, pass/,
  ],
  [
    "too many decimals in a price",
    (f) => (f.models["gpt-x"].price.input = 1e-13),
    "models.gpt-x.price.input",
    /decimal places/,
  ],
  [
    "too many decimals in a resolution's price",
    (f) => (f.models["gpt-x"] = { kind: "video", price: { resolutions: { "720p": { second: 1e-13 } } } }),
    "models.gpt-x.price.resolutions.720p.second",
    /decimal places/,
  ],
  [
    "an invalid resolution name",
    (f) => (f.models["gpt-x"] = { kind: "video", price: { resolutions: { "1280x720": { second: 1 } } } }),
    "models.gpt-x.price.resolutions.1280x720",
    /not a known field/,
  ],
  [
    "a resolution for a kind without resolutions",
    (f) => (f.models["gpt-x"].price.resolutions = { "720p": { request: 1 } }),
    "models.gpt-x.price.resolutions",
    /kind video/,
  ],
  [
    "an unknown value for vendors' stores",
    (f) => (f.groups.default.vendorStores = "all"),
    "groups.default.vendorStores",
    /one of refuse, shared/,
  ],
  [
    "too many decimals in a multiplier",
    (f) => (f.groups.default.multiplier = 1.0000000001),
    "groups.default.multiplier",
    /9 decimal/,
  ],
  [
    "too many decimals in a budget",
    (f) => (f.groups.default.limits.dollarsPerDay = 1e-10),
    "groups.default.limits.dollarsPerDay",
    /9 decimal/,
  ],
  [
    "an unknown model of a token",
    (f) => (f.accounts.demo.tokens[0].models = ["gpt-x", "gpt-y"]),
    "accounts.demo.tokens[0].models[1]",
    /not in models/,
  ],
  [
    "an invalid account id",
    (f) => (f.accounts["a".repeat(65)] = { balance: "1" }),
    `accounts.${"a".repeat(65)}`,
    /account id/,
  ],
  ["an unknown model", (f) => (f.channels[0].models = ["gpt-y"]), "channels[0].models[0]", /not in models/],
  [
    "an unknown renamed model",
    (f) => (f.channels[0].models = { "gpt-y": "up" }),
    "channels[0].models.gpt-y",
    /not in models/,
  ],
  ["an unknown group", (f) => (f.channels[0].groups = ["vip"]), "channels[0].groups[0]", /not in groups/],
  ["a duplicate channel id", (f) => f.channels.push(f.channels[0]), "channels[1].id", /used twice/],
  [
    "models that are neither a list nor a map",
    (f) => (f.channels[0].models = 3),
    "channels[0].models",
    /an array, or must be an object/,
  ],
  ["a balance as a number", (f) => (f.accounts.demo.balance = 10), "accounts.demo.balance", /string/],
  ["malformed key", (f) => (f.accounts.demo.tokens[0].key = "pk-1"), "accounts.demo.tokens[0].key", /pattern/],
  [
    "no date",
    (f) => (f.accounts.demo.tokens[0].expiresAt = "2030-13-45"),
    "accounts.demo.tokens[0].expiresAt",
    /not a date/,
  ],
  [
    "a time without a zone",
    (f) => (f.accounts.demo.tokens[0].expiresAt = "2030-01-01T00:00:00"),
    "accounts.demo.tokens[0].expiresAt",
    /with its zone/,
  ],
  ["a model with an empty name", (f) => (f.models[""] = { kind: "chat" }), 'models.""', /not a valid name/],
  [
    "a name with surrounding white space",
    (f) => (f.groups["vip "] = { models: [] }),
    'groups."vip "',
    /not a valid name/,
  ],
  ["a name with a line break", (f) => (f.models["a\nb"] = { kind: "chat" }), 'models."a\\nb"', /not a valid name/],
  ["a model named *", (f) => (f.models["*"] = { kind: "chat" }), "models.*", /all models/],
  ["a duplicate key", (f) => f.channels[0].keys.push("env:KEY"), "channels[0].keys[1]", /more than once/],
  ["an address with another scheme", (f) => (f.channels[0].baseUrl = "ftp://x"), "channels[0].baseUrl", /pattern/],
])("%s is named by its path", (_, spoil, path, message) => {
  const file = validConfig();
  spoil(file);
  const { problems } = checkConfiguration(file);
  expect(problems).toContainEqual({ path, message: expect.stringMatching(message) });
});

test("all errors are reported together, and no message contains a key", () => {
  const key = "sk-very-secret-key-1234";
  const tokens = [
    { key, group: "none" },
    { key, group: "default" },
  ];
  const { problems = [] } = checkConfiguration({ ...validConfig(), accounts: { demo: { balance: "1", tokens } } });
  expect(problems.map(({ path }) => path)).toEqual(["accounts.demo.tokens[0].group", "accounts.demo.tokens[1].key"]);
  expect(JSON.stringify(problems)).not.toContain(key);
});

test.each([
  ["env:", /name of a variable/],
  ["env:sk-live-canary", /name of a variable/],
  ["file:", /a path/],
  ["${CANARY}", /env:NAME/],
  ["canary canary", /header/],
  ["канарейка-canary", /header/],
  ["canary\n", /header/],
])("the vendor's key %j is refused, and the message does not contain it", (key, message) => {
  const file = validConfig();
  file.channels[0]?.keys.push("env:OTHER", key);
  const { problems } = checkConfiguration(file);
  expect(problems).toEqual([{ path: "channels[0].keys[2]", message: expect.stringMatching(message) }]);
  expect(JSON.stringify(problems)).not.toMatch(/canary/i);
});

test("a key in place of a name is not in the message", () => {
  const file = validConfig();
  for (const token of file.accounts.demo.tokens) token.group = "sk-very-secret-key-1234";
  expect(checkConfiguration(file).problems).toEqual([
    { path: "accounts.demo.tokens[0].group", message: "is not in groups: (a key)" },
  ]);
});

test("if a list or a map is allowed, the error inside the map is named", () => {
  const file: { channels: object[] } = validConfig();
  file.channels = [{ ...validConfig().channels[0], models: { "gpt-x": 4 } }];
  expect(checkConfiguration(file).problems).toEqual([
    { path: "channels[0].models.gpt-x", message: "must be a string" },
  ]);
});

test.each([undefined, null, 3, "text", []])("%j is not a valid file", (value) => {
  expect(checkConfiguration(value).problems?.length).toBeGreaterThan(0);
});
