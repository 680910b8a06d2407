import { expect, test } from "vitest";
import { refusedCertificateError, createCertificateCheck, withoutCertificate } from "../src/certificate.ts";

const certificate = { subject: { CN: "nats" }, subjectaltname: "DNS:nats.example, IP Address:10.0.0.1" };

test.each<[string, readonly string[], string, boolean]>([
  ["a name that it contains", ["tls://nats.example:4222"], "nats.example", true],
  ["a name that it does not contain", ["tls://nats.example:4222"], "other.example", false],
  ["one of the addresses", ["tls://10.0.0.2:4222", "tls://10.0.0.1:4222"], "localhost", true],
  ["none of the addresses", ["tls://10.0.0.2:4222"], "localhost", false],
  ["localhost itself", ["tls://localhost:4222", "tls://10.0.0.1:4222"], "localhost", false],
  ["names only, if none is requested", ["tls://nats.example:4222"], "localhost", false],
])("a certificate is checked against %s", (_, servers, host, isAccepted) => {
  // The certificate has only the members that the check reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const problem = createCertificateCheck(servers)(
    host,
    certificate as Parameters<ReturnType<typeof createCertificateCheck>>[1],
  );
  expect(problem === undefined).toBe(isAccepted);
});

test("only an error about certificates aborts the start", () => {
  expect(refusedCertificateError("Redis", new Error("connect ECONNREFUSED"))).toBeUndefined();
  expect(refusedCertificateError("Redis", undefined)).toBeUndefined();
  expect(refusedCertificateError("Redis", new Error("certificate has expired; more"))?.message).toBe(
    "Redis's certificate is refused: certificate has expired. Set NODE_EXTRA_CA_CERTS to the file of your own authority.",
  );
});

test("a logged error contains no certificate", () => {
  const error = Object.assign(new Error("does not match"), { cert: certificate });
  expect(withoutCertificate(error)).toMatchObject({ message: "does not match" });
  expect(withoutCertificate(error)).not.toHaveProperty("cert");
  expect(withoutCertificate("words")).toBe("words");
});
