import { randomBytes } from "node:crypto";
import {
  alertKinds,
  alertTargetKinds,
  alertTargetPurpose,
  withoutUndefined,
  type AlertKind,
  type AlertTarget,
  type AlertTargetKind,
  type AlertTargetSecret,
} from "@modelgate/contracts";
import { makeCipher, type Secrets } from "@modelgate/platform";
import { unsafeAddress } from "../configuration/addresses.ts";
import { fields, invalidField } from "./fields.ts";

const pagerDutyUrl = "https://events.pagerduty.com/v2/enqueue";

/** A new target as operators see it, and its encrypted secret part. */
export interface NewAlertTarget {
  readonly target: AlertTarget;
  readonly sealed: string;
  /** Key that signs the bodies of a webhook. Its creator sees it once. */
  readonly secret?: string;
}

interface NewTargetDeps {
  readonly secrets: Secrets;
  readonly internalAddresses: readonly string[];
  readonly addedByMember?: boolean | undefined;
}

/**
 * Reads a new target of an account (or "") from a request. Throws Failure for an invalid field, or for an address that
 * could reach stores or a cloud's credentials.
 */
export function readNewAlertTarget(
  body: unknown,
  account: string,
  { secrets, internalAddresses, addedByMember }: NewTargetDeps,
): NewAlertTarget {
  const kind = fields.optionalWord(body, "kind", alertTargetKinds) ?? fields.missing("kind");
  const id = `trg_${randomBytes(9).toString("base64url")}`;
  const secretPart = secretParts[kind](body);
  const { protocol, host } = new URL(secretPart.url);
  const unsafe = unsafeAddress(`${protocol}//${host}`, internalAddresses);
  if (unsafe !== undefined) throw invalidField("url", unsafe);
  const target: AlertTarget = withoutUndefined({
    id,
    account,
    kind,
    name: fields.optionalText(body, "name") ?? kind,
    alerts: alertsIn(body),
    address: secretPart.to === undefined ? host : `${secretPart.to} by ${host}`,
    addedByMember,
    createdAt: new Date().toISOString(),
  });
  const sealed = makeCipher(secrets, alertTargetPurpose).encrypt(JSON.stringify(secretPart), id);
  return withoutUndefined({ target, sealed, secret: kind === "webhook" ? secretPart.secret : undefined });
}

/** Reads the secret part of a target from a request, by kind. */
const secretParts: Readonly<Record<AlertTargetKind, (body: unknown) => AlertTargetSecret>> = {
  webhook: (body) => ({ url: urlIn(body, httpProtocols), secret: `whsec_${randomBytes(24).toString("base64url")}` }),
  slack: (body) => ({ url: urlIn(body, httpProtocols) }),
  teams: (body) => ({ url: urlIn(body, httpProtocols) }),
  feishu: (body) => withoutUndefined({ url: urlIn(body, httpProtocols), secret: fields.optionalText(body, "secret") }),
  pagerduty: (body) => ({
    url: fields.optionalText(body, "url") === undefined ? pagerDutyUrl : urlIn(body, httpProtocols),
    secret: fields.text(body, "secret"),
  }),
  email: (body) => ({
    url: urlIn(body, mailProtocols),
    from: addressesIn(body, "from"),
    to: addressesIn(body, "to"),
  }),
};

const httpProtocols = ["https:", "http:"];
const mailProtocols = ["smtps:", "smtp:"];

/** Reads an address with one of these protocols. An HTTP address must not contain credentials. */
function urlIn(body: unknown, protocols: readonly string[]): string {
  const url = URL.parse(fields.text(body, "url"));
  const isMail = protocols === mailProtocols;
  if (url === null || url.hostname === "" || !protocols.includes(url.protocol))
    throw invalidField("url", `must be an address: ${isMail ? "smtps://user:password@host" : "https://host/path"}`);
  if (!isMail && url.username + url.password !== "")
    throw invalidField("url", "must not contain a user name or password");
  return url.href;
}

function addressesIn(body: unknown, name: string): string {
  const text = fields.text(body, name);
  if (!text.split(",").every((each) => /^[^@<>\r\n]*<?[^\s@<>]+@[^\s@<>]+>?$/.test(each.trim())))
    throw invalidField(name, "must be e-mail addresses, separated by commas");
  return text;
}

function alertsIn(body: unknown): AlertKind[] | undefined {
  return fields.optionalTexts(body, "alerts")?.map((name) => {
    const kind = alertKinds.find((known) => known === name);
    if (kind === undefined) throw invalidField("alerts", `must be among ${alertKinds.join(", ")}`);
    return kind;
  });
}
