import { expect } from 'chai'
import { useStack } from '../../support/use-stack.ts'

describe('the probes of api and worker', () => {
  const use = useStack()

  it('answer 405 to everything but reading', async () => {
    for (const { url } of [use.stack.api, use.stack.workers[0]!]) {
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        const answer = await fetch(url + path, { method: 'POST', body: '{}' })
        expect([answer.status, answer.headers.get('allow')], path).to.deep.equal([405, 'GET, HEAD'])
        expect(await answer.json()).to.have.nested.property('error.code', 'METHOD_NOT_ALLOWED')
      }
    }
  })
})
