import type { Notice } from '../common/api/wire.ts'
import { shortCauseOfCode } from '../common/format/attempt-hints.ts'
import { bothTimes, momentOf } from '../common/format/times.ts'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { useNow } from '../common/ui/now.ts'
import { RowLink } from '../common/ui/text-link.tsx'
import { placeOf } from './notice-kinds.ts'
import { texts } from './texts.ts'

/** «Billing began to fail at 08:03: 500», in the reader's zone. The name links to the webhook or key while that exists. */
export function NoticeSentence({ notice }: { notice: Notice }) {
  const now = useNow()
  const { kind, name, at, error, count } = notice
  const href = placeOf(notice)
  const told = name === null ? texts.gone : <ForeignName text={name} />
  const moment = at === null ? undefined : new Date(at)
  const time = moment && (
    <time dateTime={moment.toISOString()} title={bothTimes(moment)}>
      {momentOf(moment, now)}
    </time>
  )
  return (
    <span className="told">
      {texts.sentences[kind]({
        name: name === null ? told : <RowLink href={href}>{told}</RowLink>,
        at: time ?? texts.unknownTime,
        atTime: time && texts.atTime({ time }),
        cause: error === null ? '' : texts.cause({ cause: shortCauseOfCode(error) }),
        count: count ?? 0,
      })}
    </span>
  )
}
