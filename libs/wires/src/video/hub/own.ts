import { Failure, type VideoWire } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { ownMembers, type OwnMembers } from "../../kind/own-members.ts";
import { isAmountWord } from "./extras.ts";

/**
 * The members of a body that were not read, for a vendor of the same wire. Throws Failure invalid_value for one under
 * which some vendor would read a length or a number of videos: the price is made from the members that were read.
 */
export function ownVideoMembers(wire: VideoWire, fields: Fields): OwnMembers<VideoWire> | undefined {
  const own = ownMembers(wire, fields);
  const wrong = Object.keys(own?.members ?? {}).find(isAmountWord);
  if (wrong === undefined) return own;
  const param = fields.at(wrong);
  throw new Failure("invalid_value", `This endpoint does not take a length or a number of videos as ${param}.`, {
    param,
  });
}
