import { expect, test } from "vitest";
import { changedMembers } from "../src/parts/changed-members.ts";

test("a save has only the members that a person changed", () => {
  const before = { name: "mine", dollarsPerDay: null, requestsPerDay: 5, allowedAddresses: ["10.0.0.1"] };
  expect(changedMembers({ ...before, name: "renamed", allowedAddresses: ["10.0.0.1"] }, before)).toEqual({
    name: "renamed",
  });
  expect(changedMembers<object>({ ...before, requestsPerDay: null }, before)).toEqual({ requestsPerDay: null });
  expect(changedMembers({ ...before }, before)).toEqual({});
});
