import { expect } from 'chai'
import { SAVED_FILTERS_AT_MOST } from '../../../src/domain/user/saved-filter.ts'
import { useConsole, verdictOf } from '../../support/console.ts'
import type { Json } from '../../support/tenants.ts'

// decision: Saved filters
describe('the filters that a user keeps', () => {
  const its = useConsole()
  const failed = { page: 'deliveries', name: 'Failed today', query: 'status=failed&response=5xx' }

  it('are made, renamed and deleted by the user, in both environments the same, and seen by nobody else', async () => {
    const { client } = await its.person('member')
    const { client: other } = await its.person('member')
    const made = (await client.call('POST', '/saved-filters', failed)).body.data
    expect(made).to.include(failed)
    const inTest = `/console/api/companies/${client.companyId}/test/saved-filters`
    expect((await client.request('GET', inTest)).body.data).to.deep.equal([made])
    expect((await other.call('GET', '/saved-filters')).body.data).to.deep.equal([])
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      expect(await other.verdict(method, `/saved-filters/${made.id}`, body)).to.equal('404 NOT_FOUND')
    }
    const renamed = await client.call('PATCH', `/saved-filters/${made.id}`, { name: 'Server errors' })
    expect(renamed.body.data).to.deep.equal({ ...made, name: 'Server errors' })
    expect(await client.verdict('POST', '/saved-filters', failed)).to.equal('201')
    const taken = await client.verdict('PATCH', `/saved-filters/${made.id}`, { name: failed.name })
    expect(taken).to.equal('409 CONFLICT')
    expect(await client.verdict('DELETE', `/saved-filters/${made.id}`)).to.equal('200')
    const left = (await client.call('GET', '/saved-filters')).body.data
    expect(left.map(({ name }: Json) => name)).to.deep.equal([failed.name])
  })

  it('are 50 for each page at most, also when many are kept at once, with names of their own', async () => {
    const { client, id } = await its.person('member')
    const answers = await Promise.all(
      Array.from({ length: SAVED_FILTERS_AT_MOST + 5 }, (_, n) =>
        client.call('POST', '/saved-filters', { ...failed, name: `filter ${n}` }),
      ),
    )
    const verdicts = answers.map(verdictOf)
    expect(verdicts.filter((verdict) => verdict === '201')).to.have.length(SAVED_FILTERS_AT_MOST)
    expect(verdicts.filter((verdict) => verdict === '409 CONFLICT')).to.have.length(5)
    expect(await client.verdict('POST', '/saved-filters', { ...failed, page: 'events' })).to.equal('201')
    for (const wrong of [
      { name: 'n'.repeat(61) },
      { name: ' ' },
      { page: 'keys' },
      { query: 'q'.repeat(1_001) },
      { query: '' },
    ]) {
      const verdict = await client.verdict('POST', '/saved-filters', { ...failed, name: 'x', ...wrong })
      expect(verdict, JSON.stringify(wrong).slice(0, 30)).to.equal('400 VALIDATION_ERROR')
    }
    const { client: admin } = await its.person('admin')
    expect(await admin.verdict('DELETE', `/users/${id}`)).to.equal('200')
    expect(await its.stack.count('saved_filters', { user_id: id })).to.equal(0)
  })
})
