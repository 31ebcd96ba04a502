import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { generate } from 'selfsigned'
import { writePrivate } from '../lib/private-files.ts'

/** Makes a certificate for this machine's own names. @returns both PEM; the certificate signs itself, so it is its own CA */
export async function makeCertificate() {
  const notAfterDate = new Date()
  notAfterDate.setFullYear(notAfterDate.getFullYear() + 5)
  const altNames = [
    { type: 2 as const, value: 'localhost' },
    { type: 7 as const, ip: '127.0.0.1' },
    { type: 7 as const, ip: '::1' },
  ]
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  return { key, cert }
}

/** The certificate kept in a directory, made on first use. */
export async function keepCertificate(dir: string) {
  const [keyFile, certFile] = [path.join(dir, 'key.pem'), path.join(dir, 'cert.pem')]
  const readBoth = () => Promise.all([readFile(keyFile, 'utf8'), readFile(certFile, 'utf8')])
  const [key, cert] = await readBoth().catch(async () => {
    const made = await makeCertificate()
    await writePrivate(certFile, made.cert)
    await writePrivate(keyFile, made.key)
    return [made.key, made.cert]
  })
  return { key, cert, certFile, keyFile }
}
