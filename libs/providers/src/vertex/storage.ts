/** What a film's address in Google Cloud Storage begins with. */
const scheme = "gs:";
const googlesOwn = /\.googleapis\.com$/;

/**
 * Where a file of a bucket (`gs://bucket/name`) can be fetched from, by the JSON API of storage. An address that is not
 * Google's own stands for all of Google's, and has storage beneath it as well.
 */
export function storageAddress(file: URL, project: string): URL {
  if (file.protocol !== scheme) return file;
  const { origin, hostname, pathname } = new URL(project);
  const beneath = pathname.slice(0, Math.max(0, pathname.search(/\/v1(?:beta1)?\/projects\//)));
  const base = googlesOwn.test(hostname) ? "https://storage.googleapis.com" : origin + beneath;
  const name = encodeURIComponent(decodeURIComponent(file.pathname.slice(1)));
  return new URL(`${base}/storage/v1/b/${encodeURIComponent(file.host)}/o/${name}?alt=media`);
}
