import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeVariables } from "@modelgate/deploy/reference";

const root = join(import.meta.dirname, "../../..");
const suite = await describeVariables();
const allVariables = suite.flatMap(({ service, variables }) => variables.map((variable) => ({ service, ...variable })));

/** Files of gatectl, a separate program that reads the variables of `npm start` and control. */
const gatectl = ["services/control/src/gatectl/server.ts", "services/control/src/gatectl/config.ts"];

const sources = globSync("{libs,services}/*/src/**/*.ts", { cwd: root })
  .filter((file) => !gatectl.includes(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

describe.each(suite)("$service", ({ service, variables }) => {
  test.skipIf(service === "gateway")(
    "has port variables with its name, except the edge, whose variable is PORT",
    () => {
      const prefix = service.toUpperCase();
      expect(variables.slice(0, 2).map(({ name }) => name)).toEqual([
        service === "edge" ? "PORT" : `${prefix}_PORT`,
        `${prefix}_OPS_PORT`,
      ]);
    },
  );

  test.each(variables)("$name is described in one sentence", ({ meaning }) => {
    expect(meaning).toMatch(/^[A-Z][^\n]{8,150}\.$/);
  });
});

test("a variable's name appears once in the source", () => {
  const names = new Set(allVariables.map(({ name }) => name).filter((name) => !/^[A-Z]+_(OPS_)?PORT$/.test(name)));
  const spelled = [...names].map((name) => ({
    name,
    in: sources.filter(({ text }) => text.includes(`"${name}"`)).map(({ file }) => file),
  }));
  expect(spelled.filter((one) => one.in.length !== 1)).toEqual([]);
});

test("a variable has the same meaning in every service", () => {
  const meanings = Map.groupBy(allVariables, ({ name }) => name);
  const differing = [...meanings].filter(([, each]) => new Set(each.map(({ meaning }) => meaning)).size > 1);
  expect(differing.map(([name]) => name)).toEqual([]);
});

test.each([
  ["edge", "PORT", "8080"],
  ["edge", "HOST", "0.0.0.0"],
  ["edge", "LOG_LEVEL", "info"],
  ["text", "TEXT_PORT", "0"],
  ["ledger", "BOOKS_URL", undefined],
  ["ledger", "BOOKS_KEEP_DAYS", "400"],
  ["ledger", "MODELGATE_DATA", ".data"],
  ["control", "MODELGATE_CONFIG", undefined],
  ["text", "REDIS_URL", undefined],
  ["text", "NATS_URL", undefined],
  ["text", "MODELGATE_SECRET", undefined],
  ["text", "MODELGATE_SECRET_BEFORE", undefined],
])("%s keeps the published name and default of %s", (service, name, fallback) => {
  const declaredVariable = allVariables.find((variable) => variable.service === service && variable.name === name);
  expect(declaredVariable).toMatchObject({ fallback });
});
