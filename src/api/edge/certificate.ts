import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'

export type CertificateFiles = { readonly certFile: string; readonly keyFile: string }

/** Within this time a renewed certificate is used for new connections. */
const LOOK_EVERY_MS = 5_000

export const readCertificate = ({ certFile, keyFile }: CertificateFiles) =>
  ({ cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' }) as const

export type CertificateOptions = {
  /** The time between two checks of the files, in milliseconds. */
  readonly certificateEveryMs?: number
  /** Called after each reload, or with the error that prevented it. */
  readonly onCertificate?: (error?: unknown) => void
}

/**
 * Loads certificate and key again when one of the files changes, until the server closes. Open connections keep the old
 * pair. A pair that cannot be read or does not match changes nothing, because the second file may not be written yet.
 */
export function watchCertificate(
  server: Server,
  files: CertificateFiles,
  { certificateEveryMs: interval = LOOK_EVERY_MS, onCertificate = () => undefined }: CertificateOptions,
): void {
  const load = () => {
    try {
      const pair = readCertificate(files)
      // Throws for a bad pair. Then the server keeps the pair that it has.
      createSecureContext(pair)
      server.setSecureContext(pair)
      onCertificate()
    } catch (error) {
      onCertificate(error)
    }
  }
  // Checks at intervals, because the system's file watching misses files that are replaced through symbolic links, as in
  // Kubernetes.
  for (const file of Object.values(files)) {
    watchFile(file, { interval, persistent: false }, load)
    server.once('close', () => unwatchFile(file, load))
  }
}
