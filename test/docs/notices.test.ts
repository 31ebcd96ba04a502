import { expect } from 'chai'
import { NOTICE_KINDS, TENANT_NOTICES } from '../../src/domain/notice/notice.ts'
import { matches, readDocument } from './documents.ts'

/** The first cells of the table under the heading. */
function kindsIn(file: string): string[] {
  const section = readDocument(file).text.split('\n## Notices\n')[1]?.split('\n## ')[0] ?? ''
  return matches(/^\| `(\w+)` /gm, section)
}

describe('the kinds of notices', () => {
  it('are in docs/operating.md, all of them', () => {
    expect(kindsIn('docs/operating.md')).to.deep.equal([...NOTICE_KINDS])
  })

  it('are in docs/api-clients.md without those for the operator', () => {
    expect(kindsIn('docs/api-clients.md')).to.deep.equal([...TENANT_NOTICES])
  })
})
