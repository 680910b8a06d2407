import type { Fields, JsonRecord } from "../json/fields.ts";

/**
 * Members of a client's body that the neutral form does not hold: a vendor of the same wire gets them unchanged; on any
 * other wire they are dropped by name.
 */
export interface OwnMembers<Wire extends string> {
  readonly wire: Wire;
  readonly members: JsonRecord;
  /** Of these, the names whose meaning the neutral form holds as well: nothing is lost on another wire. */
  readonly shared?: readonly string[] | undefined;
}

/** Collects the members of a body that have not been read; undefined for none. Call it after everything else was read. */
export function ownMembers<Wire extends string>(
  wire: Wire,
  fields: Fields,
  shared: readonly string[] = [],
): OwnMembers<Wire> | undefined {
  const unread = new Set(fields.unread());
  const names = Object.keys(fields.value).filter((name) => unread.has(fields.at(name)));
  if (names.length === 0) return undefined;
  const members = Object.fromEntries(names.map((name) => [name, fields.value[name]]));
  return shared.length === 0 ? { wire, members } : { wire, members, shared };
}

/** Returns the members that a rendering to `wire` adds to the body, and the names that it leaves out. */
export function renderOwn<Wire extends string>(
  own: OwnMembers<Wire> | undefined,
  wire: Wire,
): { readonly members: JsonRecord; readonly dropped: readonly string[] } {
  if (own === undefined) return { members: {}, dropped: [] };
  if (own.wire === wire) return { members: own.members, dropped: [] };
  return { members: {}, dropped: Object.keys(own.members).filter((name) => own.shared?.includes(name) !== true) };
}
