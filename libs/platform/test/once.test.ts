import { expect, test } from "vitest";
import { once } from "../src/once.ts";

test("a value is made once, also where it is undefined", () => {
  let made = 0;
  const value = once(() => void made++);
  expect(made).toBe(0);
  value();
  value();
  expect(made).toBe(1);
});

test("what could not be made is tried again", () => {
  let tries = 0;
  const value = once(() => {
    if (++tries === 1) throw new Error("not yet");
    return "made";
  });
  expect(value).toThrow("not yet");
  expect(value()).toBe("made");
  expect(value()).toBe("made");
  expect(tries).toBe(2);
});
