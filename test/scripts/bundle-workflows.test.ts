import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

const BUNDLE = new URL('../../dist/workflow-bundle.js', import.meta.url)

type SourceMap = { sources: string[]; mappings: string; sourcesContent?: string[] }

describe('the bundle of the workflows', () => {
  it('names the file and line of its code, and holds no sources', async () => {
    const code = await readFile(BUNDLE, 'utf8')
    const [, encoded = ''] = /;base64,(\S+)\s*$/.exec(code) ?? []
    const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap
    expect(map.sources.filter((file) => file.endsWith('src/workflows/deliver-webhook.ts'))).to.have.length(1)
    expect(map.mappings).to.not.equal('')
    expect(map).to.not.have.property('sourcesContent')
  })
})
