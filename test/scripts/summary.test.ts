import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { DEMO_RETRY_SCHEDULE } from '../../scripts/demo/settings.mjs'
import { describeDemo } from '../../scripts/demo/summary.mjs'
import { FIXED_PATHS } from '../../scripts/receiver/fixed-paths.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'

const proof = (name: string, statuses: number[]) => ({
  path: name,
  deliveryId: 'del_…',
  eventId: 'evt_1',
  attempts: statuses.length,
  statuses,
  isVerified: true,
})
const DEMO = {
  urls: { api: 'http://127.0.0.1:3000', worker: 'http://127.0.0.1:3001' },
  temporalUi: 'http://127.0.0.1:8233',
  namespace: 'default',
  receiver: 'https://127.0.0.1:3002',
  schedule: DEMO_RETRY_SCHEDULE,
  key: 'salesdata_live_…',
  user: { email: 'demo@example.com', password: '…' },
  proofs: [proof('/healthy', [200]), proof('/fails-twice', [503, 503, 200])],
}

describe('what npm start prints at its end', () => {
  it('is what the README shows', async () => {
    const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8')
    expect(readme).to.include(`\`\`\`${describeDemo(DEMO)}\`\`\``)
  })

  it('names every fixed path, and the delays of retries also when the user set them', () => {
    const text = describeDemo({ ...DEMO, schedule: '5s,5m' })
    for (const { path: name, says } of FIXED_PATHS)
      expect(text).to.match(new RegExp(`^  ${name} +${says}$`, 'm'))
    expect(text).to.match(/^Retries +after 5s, 5m$/m)
  })
})
