import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { keepSecrets } from '../../scripts/lib/private-files.mjs'
import { parseKeyRing } from '../../src/domain/sealing/sealing.ts'
import { useTemporaryDirectory } from './support.ts'

describe('the secrets of a checkout', () => {
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, '.data', 'secrets.env')

  it('are generated once and kept', async () => {
    const first = await keepSecrets(file())
    expect(await keepSecrets(file())).to.deep.equal(first)
    expect(first.DATABASE_PASSWORD).to.match(/^[0-9a-f]{48}$/)
  })

  it('hold a key ring that the service can read', async () => {
    expect(parseKeyRing((await keepSecrets(file())).SECRETS_KEYS).firstKeyId).to.equal('dev')
  })

  it('are readable by their owner only', async () => {
    await keepSecrets(file())
    expect((await stat(file())).mode & 0o777).to.equal(0o600)
    expect((await stat(path.dirname(file()))).mode & 0o777).to.equal(0o700)
  })

  it('are never replaced; those that an older file lacks are added', async () => {
    await keepSecrets(file())
    await writeFile(file(), 'DATABASE_PASSWORD=kept\n')
    const secrets = await keepSecrets(file())
    expect(secrets.DATABASE_PASSWORD).to.equal('kept')
    expect(await readFile(file(), 'utf8')).to.contain(`SECRETS_KEYS="${secrets.SECRETS_KEYS}"`)
  })
})
