import { Moment } from '../common/ui/when.tsx'
import { fromWhere, mayDo } from './key-words.ts'
import { texts } from './texts.ts'

type Props = {
  readonly scopes: readonly string[]
  readonly allowlist: readonly string[]
  /** When it expires; null: never; undefined: the date is incomplete. */
  readonly expiresAt: string | null | undefined
}

/** One sentence: what a key may do, from which addresses, and until when. */
export const KeySentence = ({ scopes, allowlist, expiresAt }: Props) => (
  <span className="foreign">
    {texts.keyMay({
      scopes: mayDo(scopes),
      addresses: fromWhere(allowlist),
      until: expiresAt
        ? texts.until({ when: <Moment at={expiresAt} /> })
        : expiresAt === null
          ? texts.untilRevoked
          : texts.untilIncomplete,
    })}
  </span>
)
