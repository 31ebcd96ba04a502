import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ConfigError, readConfig } from '../../../src/config/index.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`
const URL = 'mysql://u:hunter2@127.0.0.1:3306/d'

describe('settings from files', () => {
  const dir = useTemporaryDirectory('all tests')
  let files = 0
  const file = (text: string, mode = 0o640): string => {
    const name = path.join(dir.path, String(++files))
    writeFileSync(name, text)
    chmodSync(name, mode)
    return name
  }
  const faultsOf = (environment: Record<string, string>): readonly string[] => {
    try {
      readConfig(environment)
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.faults
    }
  }

  it('are taken without the line break at the end, those of Temporal too', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file(`${URL}\n`),
      SECRETS_KEYS_FILE: file(`${KEYS}\r\n`),
      PORT_FILE: file('4000\n', 0o644),
      TEMPORAL_NAMESPACE_FILE: file('elsewhere', 0o644),
    })
    expect(config).to.include({ databaseUrl: URL, port: 4000 })
    expect(config.temporal.namespace).to.equal('elsewhere')
  })

  // decision: Settings from files
  it('are refused, each with what is wrong, when they cannot be taken or everybody may read a secret', () => {
    const faults = faultsOf({
      DATABASE_URL_FILE: file(URL, 0o644),
      SECRETS_KEYS_FILE: path.join(dir.path, 'missing'),
      METRICS_TOKEN_FILE: file('\n'),
      NOTICE_URL_FILE: file('https://hooks.example.com/token', 0o644),
      PORT_FILE: file('hunter2', 0o644),
      HOST: '127.0.0.1',
      HOST_FILE: file('127.0.0.1'),
      LOG_LEVEL_FILE: dir.path,
    })
    expect(faults).to.have.members([
      'DATABASE_URL_FILE: every user of this machine may read the file. Take that away: chmod o-r, or mode 0440 where it is mounted',
      'NOTICE_URL_FILE: every user of this machine may read the file. Take that away: chmod o-r, or mode 0440 where it is mounted',
      'HOST_FILE: set HOST or HOST_FILE, not both',
      'SECRETS_KEYS_FILE: the file cannot be read (ENOENT)',
      'LOG_LEVEL_FILE: the file cannot be read (EISDIR)',
      'METRICS_TOKEN_FILE: the file is empty',
      'PORT must be a number',
    ])
  })
})
