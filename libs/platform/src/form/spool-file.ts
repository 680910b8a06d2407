import type { Holder } from "../buffer-budget.ts";
import { followFile, type FollowedFile, type Spool } from "./follow-file.ts";
import type { FormFile } from "./form-file.ts";

/** A file of a form on disk, all of it. */
export type SpooledFile = Omit<FollowedFile, "whole" | "reached">;

/**
 * Writes a file of a form to disk, at the disk's pace, within the form's own bound. Throws what `bytes` of the file
 * throws, and Failure server_overloaded (503) where the disk has no room; nothing is left on disk then.
 */
export async function spoolFile(file: FormFile, spool: Spool, holder: Holder): Promise<SpooledFile> {
  const followed = await followFile(file, spool, holder);
  try {
    await followed.whole;
    return followed;
  } catch (error) {
    await followed[Symbol.asyncDispose]();
    throw error;
  }
}
