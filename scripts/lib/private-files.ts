import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'

/** Writes a file that only its owner may read. A reader sees the old content or the new one, never a part. */
export async function writePrivate(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}.next`
  await writeFile(next, content, { mode: 0o600 })
  await rename(next, file)
}

/** Reads a JSON file; undefined when there is none that can be read. */
export const readJson = <T>(file: string): Promise<T | undefined> =>
  readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as T)
    .catch(() => undefined)

/**
 * The secrets of this checkout, generated once and kept in a file. A missing secret is added. An existing one never changes,
 * because what it sealed could no longer be read.
 */
export async function keepSecrets(file: string) {
  const known = parseEnv(await readFile(file, 'utf8').catch(() => ''))
  const secrets = {
    SECRETS_KEYS: known['SECRETS_KEYS'] ?? `dev:${randomBytes(32).toString('base64')}`,
    DATABASE_PASSWORD: known['DATABASE_PASSWORD'] ?? randomBytes(24).toString('hex'),
  }
  const lines = Object.entries(secrets).map(([name, value]) => `${name}="${value}"\n`)
  const head = '# Generated for local development. Deleting it makes the data in .data unreadable.\n'
  await writePrivate(file, head + lines.join(''))
  return secrets
}
