import { afterAll, beforeAll, describe } from "vitest";
import { shapes, startSuite, type Suite } from "@modelgate/testkit";
import { config } from "./suite-client.ts";
import { moneyRaceTests } from "./money-race.ts";

describe.each(shapes)("services %s", (shape) => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({ shape, config });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  moneyRaceTests(() => suite);
});
