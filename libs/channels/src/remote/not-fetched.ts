/** Error of a remote file that was not fetched; its message may be shown to a client and contains no addresses. */
export class NotFetched extends Error {
  override readonly name = "NotFetched";
}
