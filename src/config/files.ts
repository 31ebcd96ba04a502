import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { variables } from './variables.ts'

/** Checks files that variables name, and returns a line for each fault. Each process checks the files that it reads. */
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

/** Checks the file with the certificates that the worker trusts for webhooks in addition to the public ones. */
export const checkCaFile: FileCheck = ({ WEBHOOK_CA_FILE }) =>
  certificateFaults('WEBHOOK_CA_FILE', WEBHOOK_CA_FILE)

/** Checks the file with the authorities that may sign the database's certificate. Every process reads this file. */
export const checkDatabaseCaFile: FileCheck = ({ DATABASE_CA_FILE }) =>
  certificateFaults('DATABASE_CA_FILE', DATABASE_CA_FILE)

/** Checks that the file has a certificate, because Node accepts a file without one, and then trusts no server. */
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
    return [`${name}: ${unreadableFault(error)}`]
  }
}

const unreadableFault = (error: unknown): string =>
  `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`

/**
 * The settings of Temporal's client, which are not among our variables. For the files of its TLS settings, the client
 * has variables of its own.
 */
const OF_TEMPORAL = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY']

const NAMES = [...Object.keys(variables.describe()['keys'] as object), ...OF_TEMPORAL].filter(
  (name) => !name.endsWith('_FILE'),
)

/**
 * These settings give access to something. So a file with such a setting is refused if every user of the machine may
 * read it. NOTICE_URL is among them because the URL of a chat hook contains its token.
 */
const SECRET = [
  'DATABASE_URL',
  'SECRETS_KEYS',
  'NOTICE_URL',
  'NOTICE_SECRET',
  'SMTP_URL',
  'EGRESS_PROXY',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'TEMPORAL_API_KEY',
]

const EVERYBODY_READS = 0o004

/** The texts of variables that are set, by name. */
export type Settings = Readonly<Record<string, string>>

/**
 * Reads settings from files: for example `METRICS_TOKEN` from the file that `METRICS_TOKEN_FILE` names, without the
 * line break at its end.
 *
 * @param given the variables that are set
 * @returns all settings, and one line for each file that cannot be used; no line shows the content of a file
 */
export function addFileSettings(given: Settings): { settings: Settings; faults: string[] } {
  const settings: Record<string, string> = { ...given }
  const faults: string[] = []
  for (const name of NAMES) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    const read = name in given ? { fault: `set ${name} or ${name}_FILE, not both` } : readSetting(name, file)
    if ('fault' in read) faults.push(`${name}_FILE: ${read.fault}`)
    else settings[name] = read.value
  }
  return { settings, faults }
}

function readSetting(name: string, file: string): { readonly value: string } | { readonly fault: string } {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.trim() === '') return { fault: 'the file is empty' }
    if (SECRET.includes(name) && (statSync(file).mode & EVERYBODY_READS) !== 0) {
      return {
        fault:
          'every user of this machine may read the file. Take that away: chmod o-r, or mode 0440 where it is mounted',
      }
    }
    return { value: text.replace(/\r?\n$/, '') }
  } catch (error) {
    return { fault: unreadableFault(error) }
  }
}
