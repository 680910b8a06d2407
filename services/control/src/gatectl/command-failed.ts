/** What a command could not do, in words for a person; exit status 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
