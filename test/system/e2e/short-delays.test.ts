import { expect } from 'chai'
import { SEARCH_ATTRIBUTES as REGISTERED_AT_LAUNCH } from '../../../scripts/lib/temporal/launch.mjs'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contract.ts'
import { linesWith } from '../../support/outputs.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

/** Holds for the server that npm test launches; with TEMPORAL_ADDRESS it holds when that one is configured likewise. */
describe('the Temporal server that the scripts launch', () => {
  const use = useStack('talkative')

  // decision: Delays under 1 s
  it('keeps a delay of 100 ms, and does not make a full second of it', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 8 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('failed', { withinMs: 30_000 })
    const starts = (await webhook.detail(id)).attempt_log.map(({ started_at }: Json) =>
      Date.parse(started_at),
    )
    const gaps = starts.slice(1).map((startedMs: number, index: number) => startedMs - starts[index])
    expect(gaps).to.have.length(8)
    // The shortest of eight: a busy machine makes a timer late, none makes it early. Unconfigured it is 970 ms.
    expect(Math.min(...gaps)).to.be.within(90, 700)
  })

  it('has the search attributes from its first moment', () => {
    expect(REGISTERED_AT_LAUNCH).to.have.members([...SEARCH_ATTRIBUTES])
  })

  it('gets a warning from the worker, which cannot know how the server is configured', () => {
    const warnings = linesWith(use.stack.workers[0]!, 'history.timerProcessorMaxTimeShift')
    expect(warnings).to.have.length(1)
  })
})
