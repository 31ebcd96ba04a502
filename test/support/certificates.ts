import { generate } from 'selfsigned'

/** A self-signed certificate that is its own authority, and its key, both PEM. */
export type Certificate = { readonly cert: string; readonly key: string }

const DAY_MS = 86_400_000

/** Makes a certificate for DNS names and addresses, good for `days` from yesterday; a negative number has expired. */
export async function createCertificate(names: readonly string[], days = 2): Promise<Certificate> {
  const altNames = names.map((name) =>
    /^[\d.]+$|:/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
  )
  const until = Date.now() + days * DAY_MS
  const pems = await generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Math.min(Date.now(), until) - DAY_MS),
    notAfterDate: new Date(until),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { cert: pems.cert, key: pems.private }
}
