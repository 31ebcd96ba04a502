import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** Checks files that variables name, and gives a line for each fault. Each process checks those that it reads. */
export type FileCheck = (environment: NodeJS.ProcessEnv) => string[]

/** Checks that the api's certificate and key can be read and belong together. Variables that are not set pass. */
export const checkTlsFiles: FileCheck = ({ TLS_CERT_FILE, TLS_KEY_FILE }) => {
  const files = { TLS_CERT_FILE, TLS_KEY_FILE }
  const faults = Object.entries(files).flatMap(([name, file]) => (file ? unreadable(name, file) : []))
  if (!TLS_CERT_FILE || !TLS_KEY_FILE || faults.length > 0) return faults
  try {
    createSecureContext({ cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) })
    return []
  } catch (error) {
    const reason = (error as Error).message
    return [`TLS_CERT_FILE and TLS_KEY_FILE must be a certificate and its key, both PEM (${reason})`]
  }
}

/** Certificates that the worker trusts for webhooks besides the public ones. */
export const checkCaFile: FileCheck = ({ WEBHOOK_CA_FILE }) =>
  certificateFaults('WEBHOOK_CA_FILE', WEBHOOK_CA_FILE)

/** Authorities that may have signed the certificate of the database. Every process reads this file. */
export const checkDatabaseCaFile: FileCheck = ({ DATABASE_CA_FILE }) =>
  certificateFaults('DATABASE_CA_FILE', DATABASE_CA_FILE)

/** Checks that the file has certificates: Node accepts one without any, and would then trust no server. */
function certificateFaults(name: string, file: string | undefined): string[] {
  if (!file) return []
  const faults = unreadable(name, file)
  if (faults.length > 0 || certificatesIn(readFileSync(file, 'utf8')) > 0) return faults
  return [`${name} must hold one or more certificates, PEM`]
}

/** How many certificates the text holds; 0 when one of them is broken. */
function certificatesIn(text: string): number {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block)).length
  } catch {
    return 0
  }
}

function unreadable(name: string, file: string): string[] {
  try {
    readFileSync(file)
    return []
  } catch (error) {
    return [`${name}: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`]
  }
}
