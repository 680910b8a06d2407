/** Failure of a command, with a message for a person; exit status 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
