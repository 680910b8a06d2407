import { expect, test } from "vitest";
import { StartError } from "@modelgate/platform";
import { readGroupRoles, roleOf } from "../../src/operators/group-roles.ts";

const roles = readGroupRoles("platform=admin, support=viewer,acme=operator@acme, ads=viewer@labs~ads");

test.each([
  [["platform", "support"], { role: "admin", account: undefined }],
  [["support"], { role: "viewer", account: undefined }],
  [["acme"], { role: "operator", account: "acme" }],
  [["ads"], { role: "viewer", account: "labs~ads" }],
  [["acme", "support"], { role: "viewer", account: undefined }],
])("groups %j have a role", (groups, expected) => {
  expect(roleOf(groups, roles)).toMatchObject(expected);
});

test("other groups have no role, and without configured roles no group has one", () => {
  expect(roleOf(["others"], roles)).toBeUndefined();
  expect(roleOf(["platform"], readGroupRoles(""))).toBeUndefined();
});

test.each(["platform", "platform=root", "acme=admin@acme", "=admin"])("%s is refused", (written) => {
  expect(() => readGroupRoles(written)).toThrow(StartError);
});
