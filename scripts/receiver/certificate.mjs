import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generate } from 'selfsigned'

/** @typedef {{ key: string, cert: string }} Certificate both PEM; the certificate signs itself, so it is its own CA */

/**
 * Makes a certificate for this machine's own names.
 *
 * @returns {Promise<Certificate>}
 */
export async function makeCertificate() {
  const notAfterDate = new Date()
  notAfterDate.setFullYear(notAfterDate.getFullYear() + 5)
  const altNames = [
    { type: 2, value: 'localhost' },
    { type: 7, ip: '127.0.0.1' },
    { type: 7, ip: '::1' },
  ]
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  return { key, cert }
}

/**
 * The certificate kept in a directory, made on first use.
 *
 * @param {string} dir
 * @returns {Promise<Certificate & { certFile: string, keyFile: string }>}
 */
export async function keepCertificate(dir) {
  const [keyFile, certFile] = [path.join(dir, 'key.pem'), path.join(dir, 'cert.pem')]
  const kept = await Promise.all([readFile(keyFile, 'utf8'), readFile(certFile, 'utf8')]).catch(
    () => undefined,
  )
  if (kept) return { key: kept[0], cert: kept[1], certFile, keyFile }
  const { key, cert } = await makeCertificate()
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await writeFile(certFile, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  return { key, cert, certFile, keyFile }
}
