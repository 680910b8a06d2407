import { describe, afterAll, beforeAll, expect, test } from "vitest";
import { shapes, startSuite, type Suite } from "@modelgate/testkit";
import { channel, hello, post } from "./suite-client.ts";

const keys = {
  plain: "sk-plain-0123456789abcdef",
  daily: "sk-daily-0123456789abcdef",
  other: "sk-other-0123456789abcdef",
  team: "sk-team-0123456789abcdef",
  mate: "sk-mate-0123456789abcdef",
} as const;

const config = {
  groups: { default: { models: ["*"] }, team: { models: ["*"], limits: { dollarsPerDay: 0.005 } } },
  models: { fixed: { kind: "chat", price: { request: 0.001, input: 0, cachedInput: 0, output: 0 } } },
  channels: [channel("main", ["fixed"])],
  accounts: {
    demo: {
      balance: "1.00",
      tokens: [
        { key: keys.plain, group: "default" },
        { key: keys.daily, group: "default", budget: { dollarsPerDay: 0.003 } },
        { key: keys.other, group: "default", budget: { dollarsPerMonth: 1 } },
        { key: keys.team, group: "team" },
        { key: keys.mate, group: "team" },
      ],
    },
  },
};

describe.each(shapes)("services %s", (shape) => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({ shape, config });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  const passed = async (calls: readonly string[]): Promise<number> => {
    const answers = await Promise.all(calls.map((key) => post(suite, hello("fixed"), key)));
    for (const answer of answers) {
      if (answer.status === 402) expect(await answer.text()).toContain("per day");
      else expect(answer.status).toBe(200);
    }
    return answers.filter(({ status }) => status === 200).length;
  };

  test("a key's daily budget covers a fixed number of its parallel calls; other keys continue", async () => {
    expect(await passed(Array.from({ length: 20 }, () => keys.daily))).toBe(3);
    expect(await passed([keys.other, keys.plain])).toBe(2);
  });

  test("a group's daily budget is shared by all keys of an account in it", async () => {
    expect(await passed(Array.from({ length: 10 }, () => [keys.team, keys.mate]).flat())).toBe(5);
  });
});
