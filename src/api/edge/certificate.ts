import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'

export type CertificateFiles = { readonly certFile: string; readonly keyFile: string }

/** A renewed certificate serves new connections within this time. */
const LOOK_EVERY_MS = 5_000

export const readCertificate = ({ certFile, keyFile }: CertificateFiles) =>
  ({ cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' }) as const

export type CertificateOptions = {
  /** Milliseconds between two looks at the files. */
  readonly certificateEveryMs?: number
  /** Called after each reload, or with the error that prevented it. */
  readonly onCertificate?: (error?: unknown) => void
}

/**
 * Loads certificate and key again when one of the files changes, until the server closes. Open connections keep the old
 * pair. A pair that cannot be read or does not match changes nothing: the second file may not be written yet.
 */
export function watchCertificate(
  server: Server,
  files: CertificateFiles,
  { certificateEveryMs: interval = LOOK_EVERY_MS, onCertificate = () => undefined }: CertificateOptions,
): void {
  const load = () => {
    try {
      const pair = readCertificate(files)
      // Throws for a bad pair, so that the server keeps its own.
      createSecureContext(pair)
      server.setSecureContext(pair)
      onCertificate()
    } catch (error) {
      onCertificate(error)
    }
  }
  // Polls, because watching by the system misses files that are replaced through symbolic links, as Kubernetes does.
  for (const file of Object.values(files)) {
    watchFile(file, { interval, persistent: false }, load)
    server.once('close', () => unwatchFile(file, load))
  }
}
