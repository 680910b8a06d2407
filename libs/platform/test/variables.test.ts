import { describe, expect, test } from "vitest";
import { readEnv, serviceVariables } from "../src/service-variables.ts";
import { StartError } from "../src/start-error.ts";
import { describeVariables, readVariables, type VariableReader } from "../src/variables.ts";

const declare = (read: VariableReader) => ({
  store: { url: read.url("URL_A", "Address of a store.") },
  limits: {
    count: read.integer("COUNT", 3, "How many.", { min: 1, max: 9 }),
    waitMs: read.integer("WAIT_MS", 1_000, "How long."),
  },
  word: read.choice("WORD", ["a", "b"], "a", "Which."),
  secret: read.secret("SECRET", "Whose."),
  maybe: read.optionalUrl("MAYBE", "Perhaps."),
});
const validEnv = { URL_A: "redis://x:1,redis://y:2", SECRET: "0123456789abcdef" };

describe("readVariables", () => {
  test("returns values in the declaration's structure, and defaults for unset or empty variables", () => {
    expect(readVariables(declare, { ...validEnv, COUNT: "", WAIT_MS: "5" })).toEqual({
      store: { url: validEnv.URL_A },
      limits: { count: 3, waitMs: 5 },
      word: "a",
      secret: validEnv.SECRET,
      maybe: undefined,
    });
  });

  test("reports all invalid variables together, and no secret", () => {
    const wrong = () =>
      readVariables(declare, { URL_A: "not a url", COUNT: "10", WORD: "c", SECRET: "short", MAYBE: "x" });
    expect(wrong).toThrow(StartError);
    expect(wrong).toThrow(
      /URL_A is not a URL[\s\S]*COUNT must be a whole number from 1 to 9[\s\S]*WORD must be one of a, b[\s\S]*SECRET must have at least 16[\s\S]*MAYBE is not a URL/,
    );
    expect(wrong).not.toThrow(/short/);
  });

  test.each(["redis://:50%@x:1", "redis://x:1,redis://%:pass@y:2"])(
    "refuses %s, whose password cannot be read",
    (url) => {
      expect(() => readVariables(declare, { ...validEnv, URL_A: url })).toThrow(
        "URL_A has a % in its user name or password",
      );
      expect(readVariables(declare, { ...validEnv, URL_A: url.replace("%", "%25") }).store.url).toContain("%25");
    },
  );

  test("refuses to start with the former name of a variable, which it would ignore", () => {
    const proxies = (read: VariableReader) =>
      read.integer("PROXIES", 0, "How many.", { formerName: "CONSOLE_PROXIES" });
    expect(() => readVariables(proxies, { CONSOLE_PROXIES: "1" })).toThrow("CONSOLE_PROXIES is now named PROXIES");
    expect(readVariables(proxies, { CONSOLE_PROXIES: "", PROXIES: "1" })).toBe(1);
    expect(readVariables((read) => read.integer("COUNT", 3, "How many."), { CONSOLE_PROXIES: "1" })).toBe(3);
  });

  test.each([
    ["http://text:8081", /^$/],
    ["http://[::1]:8081/", /^$/],
    ["https://text", /A must be one address such as http/],
    ["http://a,http://b", /A must be one address/],
    ["text:8081", /A must be one address/],
  ])("accepts one HTTP address without TLS: %s", (address, problem) => {
    const read = (): unknown => readVariables((from) => from.optionalHttpAddress("A", "Where."), { A: address });
    expect(messageOf(read)).toMatch(problem);
  });

  test("refuses to start without a required variable", () => {
    expect(() => readVariables(declare, {})).toThrow(/URL_A is not set[\s\S]*SECRET is not set/);
  });
});

describe("describeVariables", () => {
  test("lists name, default, unit, bounds and meaning in the order of the declaration", () => {
    const described = describeVariables(declare).map(
      ({ name, fallback, unit, allowed, meaning, kind, isRequired }) => ({
        name,
        fallback,
        unit,
        allowed,
        meaning,

        as: isRequired ? `required ${kind}` : kind,
      }),
    );
    expect(described).toEqual([
      { name: "URL_A", as: "required url", meaning: "Address of a store.", fallback: undefined, ...plain },
      { name: "COUNT", as: "integer", meaning: "How many.", fallback: "3", unit: undefined, allowed: "1 to 9" },
      { name: "WAIT_MS", as: "integer", meaning: "How long.", fallback: "1000", unit: "ms", allowed: "0 or more" },
      { name: "WORD", as: "choice", meaning: "Which.", fallback: "a", unit: undefined, allowed: "a, b" },
      { name: "SECRET", as: "required secret", meaning: "Whose.", fallback: undefined, ...plain },
      { name: "MAYBE", as: "url", meaning: "Perhaps.", fallback: undefined, ...plain },
    ]);
  });

  test("refuses a name that is declared twice", () => {
    expect(() => describeVariables((read) => [read.text("A", "", "One."), read.text("A", "", "Two.")])).toThrow(
      "A is declared twice",
    );
  });
});

/** Returns the message of a function's error, or "". */
function messageOf(step: () => unknown): string {
  try {
    step();
    return "";
  } catch (error) {
    return String(error);
  }
}

const plain = { unit: undefined, allowed: undefined };

describe("serviceVariables", () => {
  const variables = serviceVariables("demo", (read) => ({ count: read.integer("COUNT", 3, "How many.") }));

  test("adds the ports, named after the service, and the variables of every service", () => {
    expect(variables.describe().map(({ name }) => name)).toEqual([
      "DEMO_PORT",
      "DEMO_OPS_PORT",
      "HOST",
      "INNER_HOST",
      "LOG_LEVEL",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "DRAIN_MS",
      "DRAIN_ERROR_MS",
      "COUNT",
    ]);
  });

  test("lets a service name its port's variable, and limit its drain", () => {
    const { declare: own } = serviceVariables("demo", () => ({}), { port: ["PORT", 8080], maxDrainMs: 10 });
    expect(readVariables(own, { DRAIN_MS: "500" }).common).toMatchObject({ port: 8080, drainMs: 10 });
  });

  test("checks the variables of every service even if only the service's values are read", () => {
    expect(readEnv(variables, { COUNT: "4" })).toEqual({ count: 4 });
    expect(() => readEnv(variables, { LOG_LEVEL: "loud" })).toThrow(/LOG_LEVEL must be one of/);
  });
});
