import { Failure, validatorOf, type SchemaError, type Units } from "@modelgate/contracts";
import type { TObject } from "typebox";
import { Fields, isRecord, parseRecord, type JsonRecord, firstProblem } from "@modelgate/formats/json";
import type { AnswerHeaders, ClientSide, Parsed, RequestPath, VendorSide, Wire } from "../wire.ts";

/** Size of a request. Before the call, the money and the rate limits that it needs are computed from it. */
export interface InputSize {
  /** UTF-8 bytes of the model's text input. */
  readonly textBytes: number;
  /** Maximum number of tokens of other input, such as images. */
  readonly mediaTokens: number;
  readonly maxOutputTokens: number | undefined;
}

export interface UnstreamedContext<Request> {
  readonly model: string;
  readonly request: Request;
  /** Answer id, used if the vendor sends none. */
  readonly answerId: string;
  /** The gateway's count of input tokens, used if the vendor sends none. */
  readonly inputTokens: number;
}

/** The vendor side of a kind that answers without a stream. */
export interface UnstreamedVendor<Request, Answer> extends VendorSide<Request, Answer> {
  /** Bytes of text that rendering adds to the client's text. */
  readonly addedBytes?: number;
  parse(body: JsonRecord, headers: AnswerHeaders): Answer;
  usage(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
  /** Returns true if an answer that starts with this text needs no conversion for a client of the same wire. */
  isAsRequested?(start: string, request: Request): boolean;
}

export type UnstreamedClient<Request, Answer> = ClientSide<Request, Answer, UnstreamedContext<Request>>;

/** A wire of a kind that answers without a stream, such as embeddings. */
export type UnstreamedWire<
  Request,
  Answer,
  Vendor extends UnstreamedVendor<Request, Answer> = UnstreamedVendor<Request, Answer>,
> = Wire<Vendor, UnstreamedClient<Request, Answer>>;

/** Counts the UTF-8 bytes of texts, and adds a margin for each text. */
export function countTextBytes(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + extraBytesPerText;
  return bytes;
}

/**
 * Bytes added for each text: two tokens, with which a model may mark the text's beginning and end, of at least two
 * bytes each.
 */
const extraBytesPerText = 4;

/** Parses a body and checks its schema. The parser runs first, because its errors are more precise. */
export function parseChecked<Request>(
  body: unknown,
  shape: { Check(value: unknown): boolean; Errors(value: unknown): Iterable<SchemaError> },
  parse: (body: JsonRecord) => Parsed<Request>,
): Parsed<Request> {
  if (!isRecord(body)) throw firstProblem(shape.Errors(body), body);
  const parsed = parse(body);
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  return parsed;
}

/** Creates the reader of a client's body from its schema. */
export function schemaReader<Request>(
  schema: TObject,
  parse: (body: JsonRecord, path: RequestPath) => Parsed<Request>,
): { read(body: unknown, path?: RequestPath): Parsed<Request>; readonly inspectedMembers: readonly string[] } {
  const shape = validatorOf(schema);
  return {
    read: (body, path = {}) => parseChecked(body, shape, (record) => parse(record, path)),
    inspectedMembers: Object.keys(schema.properties),
  };
}

/** Reads a vendor's answer. Throws Failure upstream_error for a wrong field. */
export function readVendor<Result>(body: unknown, read: (fields: Fields) => Result): Result {
  try {
    return read(new Fields(body));
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.code === "upstream_error") throw cause;
    throw new Failure("upstream_error", `The vendor's answer cannot be read: ${cause.message}`, { cause });
  }
}

/** Parses the JSON object of a stream's event. Throws Failure upstream_error. */
export function parseEvent(data: string): JsonRecord {
  const event = parseRecord(data);
  if (event !== undefined) return event;
  throw new Failure("upstream_error", "The vendor's stream has an event that is not a JSON object.");
}

export function renderEvent(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Members of a request that the neutral form lacks. Only a vendor of the same wire gets them. */
export interface AdditionalMembers<Wire extends string> {
  readonly wire: Wire;
  readonly members: JsonRecord;
  /** Names of those members that another field of the neutral form expresses. */
  readonly shared?: readonly string[] | undefined;
}

/** Members by which clients name further models to vendors with many models. Only the gateway chooses a model. */
export const modelMembers = ["models", "route", "fallbacks", "context_window_fallbacks", "content_policy_fallbacks"];

const maxAdditionalMembers = 1_000;

/** Collects the members of a body that have not been read. Throws Failure if there are too many. */
export function additionalMembers<Wire extends string>(
  wire: Wire,
  fields: Fields,
  shared: readonly string[] = [],
): AdditionalMembers<Wire> | undefined {
  const unread = new Set(fields.unread());
  const names = Object.keys(fields.value).filter((name) => unread.has(fields.at(name)));
  if (names.length === 0) return undefined;
  if (names.length > maxAdditionalMembers)
    throw new Failure(
      "invalid_value",
      `The body has more than ${maxAdditionalMembers} members that this endpoint does not know.`,
    );
  const members = Object.fromEntries(names.map((name) => [name, fields.value[name]]));
  return shared.length === 0 ? { wire, members } : { wire, members, shared };
}

/**
 * Returns the additional members for `wire`, and the names of dropped fields. `unsupportedFields` are fields for which
 * the wire has no member.
 */
export function renderAdditionalMembers<Wire extends string>(
  additional: AdditionalMembers<Wire> | undefined,
  wire: Wire,
  unsupportedFields: JsonRecord = {},
): { readonly members: JsonRecord; readonly dropped: readonly string[] } {
  const dropped = Object.keys(unsupportedFields).filter(
    (name) => unsupportedFields[name] !== undefined && unsupportedFields[name] !== false,
  );
  if (additional === undefined) return { members: {}, dropped };
  if (additional.wire === wire) {
    const members = { ...additional.members };
    for (const name of modelMembers) delete members[name];
    return { members, dropped: [...modelMembersOf(additional.members), ...dropped] };
  }
  const names = Object.keys(additional.members).filter((name) => additional.shared?.includes(name) !== true);
  return { members: {}, dropped: [...names, ...dropped] };
}

/** Returns the names of the effective members that name further models. */
export function modelMembersOf(members: JsonRecord): readonly string[] {
  return modelMembers.filter((name) => (members[name] ?? undefined) !== undefined);
}
