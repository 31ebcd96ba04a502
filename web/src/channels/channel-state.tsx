import type { Channel } from '../common/api/wire.ts'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { For } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** Whether the channel works. If not, the latest error, and since when it fails. */
export function ChannelState({ channel }: { channel: Channel }) {
  const { state, failing_since, last_error, last_sent_at, last_test_arrived } = channel
  if (state === 'unconfirmed') return <Status tone="warning">{texts.unconfirmed}</Status>
  if (state === 'paused') return <Status tone="idle">{texts.paused}</Status>
  if (state === 'active' && failing_since === null) {
    if (last_sent_at === null && !last_test_arrived) return <Status tone="idle">{texts.notTriedYet}</Status>
    return <Status tone="good">{texts.works}</Status>
  }
  return (
    <div>
      <Status tone="bad">{state === 'off' ? texts.off : texts.fails}</Status>
      <span className="second-line">
        {last_error !== null && <ForeignText text={last_error} limit={80} />}{' '}
        {failing_since !== null && <For since={failing_since} />}
      </span>
    </div>
  )
}
