import { readFileSync, statSync } from 'node:fs'
import { variables } from './variables.ts'

/** Settings of Temporal's client that are no variable of ours. Its TLS settings have names of their own for files. */
const OF_TEMPORAL = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY']

const NAMES = [...Object.keys(variables.describe()['keys'] as object), ...OF_TEMPORAL].filter(
  (name) => !name.endsWith('_FILE'),
)

/** Settings that give access to something. Whoever may read one of these files has it. A chat hook's URL holds its token. */
const SECRET = [
  'DATABASE_URL',
  'SECRETS_KEYS',
  'NOTICE_URL',
  'NOTICE_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'TEMPORAL_API_KEY',
]

const EVERYBODY_READS = 0o004

type Settings = Readonly<Record<string, string>>

/**
 * Reads the settings that come from files: that of `METRICS_TOKEN` from the file that `METRICS_TOKEN_FILE` names, without the
 * line break at its end.
 *
 * @param given the variables that are set
 * @returns all settings, and one line for each file that cannot be taken; no line shows what a file holds
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
    return { fault: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})` }
  }
}
